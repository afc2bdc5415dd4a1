# Everything runs in .venv, which the first target creates; nothing else has to be installed by hand.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(FEATSIEVE_DATA)
MINUTES ?= 5

.PHONY: demo test test-fast fuzz fuzz-short bench lint docs exports clean

demo: .venv/.run
	@mkdir -p reports
	$(BIN)/featsieve compare breast_cancer --report reports/breast_cancer.html
	@echo "Open reports/breast_cancer.html in a browser."

test: .venv/.test
	$(BIN)/python -m pytest -n auto

# Leaves out the tests marked as slow; answers in less than a minute.
test-fast: .venv/.test
	$(BIN)/python -m pytest -n auto -q -m "not slow" tests

# Reads damaged files for MINUTES. SEED=7 repeats a run, SEED=7 NUMBER=12 one file; FORMATS=csv,h5ad selects formats.
fuzz: .venv/.test
	PYTHONPATH=tests $(BIN)/python -m fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) \
	  $(if $(NUMBER),--number $(NUMBER)) $(if $(FILES),--files $(FILES)) $(if $(FORMATS),--formats $(FORMATS))

fuzz-short: .venv/.test
	PYTHONPATH=tests $(BIN)/python -m fuzz --seed 1 --files 2500

bench: .venv/.bench
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA))

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/check_docstrings.py

docs: .venv/.test
	$(BIN)/python docs/build_methods.py
	$(BIN)/python docs/build_ledger.py
	$(BIN)/python docs/build_effectiveness.py
	$(BIN)/python -m pytest -q --doctest-glob='*.md' README.md docs

# Updates the lists of exported names after a method was added.
exports: .venv/.test .venv/.lint
	$(BIN)/python docs/build_exports.py

clean:
	rm -rf .venv reports

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

.venv/.run: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable '.[report,tables]'
	@touch $@

.venv/.test .venv/.bench .venv/.lint: .venv/.%: pyproject.toml .venv/.run
	$(BIN)/pip install --quiet --editable '.[report,tables]' --group $*
	@touch $@

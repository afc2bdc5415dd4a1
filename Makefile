# Everything runs in .venv, which the first target creates; nothing else has to be installed by hand.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(FEATSIEVE_DATA)
MINUTES ?= 5
# What needs the versions of NumPy, SciPy, scikit-learn and pandas.
OLDEST := tests/contract tests/engines tests/evaluation tests/graphs tests/kernel_space tests/scores tests/subsets

.PHONY: demo test test-fast test-oldest fuzz fuzz-short bench lint docs exports release-check clean

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

# Updates the generated pages, runs the examples of all pages, and builds the site into docs/_build/html.
# EXAMPLES=plot_03 runs only the examples of the gallery whose names match.
docs: .venv/.test .venv/.docs
	$(BIN)/python docs/build_methods.py
	$(BIN)/python docs/build_ledger.py
	$(BIN)/python docs/build_effectiveness.py
	$(BIN)/python -m pytest -q --doctest-glob='*.md' README.md $(wildcard docs/*.md) docs/guide docs/howto
	$(if $(EXAMPLES),FEATSIEVE_EXAMPLES=$(EXAMPLES)) $(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html

# Updates the lists of exported names after a method was added.
exports: .venv/.test .venv/.lint
	$(BIN)/python docs/build_exports.py

# Tests with the lowest supported versions (SPEC 0), in an environment of their own.
test-oldest: .venv-oldest/.done
	.venv-oldest/bin/python -m pytest -n auto -q -m "not slow" $(OLDEST)

# Builds the files of a release, checks them, and uses the wheel in a clean environment. TAG=v0.2.0 checks the version.
release-check: .venv/.release
	$(BIN)/python .ci/release_check.py $(TAG)

clean:
	rm -rf .venv .venv-oldest reports dist docs/_build docs/api docs/gallery

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

.venv/.run: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable '.[report,tables]'
	@touch $@

.venv/.test .venv/.bench .venv/.lint .venv/.docs .venv/.release: .venv/.%: pyproject.toml .venv/.run
	$(BIN)/pip install --quiet --editable '.[report,tables]' --group $*
	@touch $@

.venv-oldest/.done: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-oldest/bin/pip install --quiet --constraint .ci/oldest.txt --editable . --group oldest
	@touch $@

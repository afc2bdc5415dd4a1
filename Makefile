# Everything runs in .venv, which the first target makes; nothing else has to be installed by hand.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= $(FEATSIEVE_DATA)

.PHONY: demo test bench lint docs clean

demo: .venv/.run
	@mkdir -p reports
	$(BIN)/featsieve rank breast_cancer --method lle --scale --top 8
	$(BIN)/featsieve rank breast_cancer --method fisher --top 8
	$(BIN)/featsieve rank breast_cancer --method lle --scale --top 30 --json > reports/breast_cancer.json
	@echo "The whole ranking is in reports/breast_cancer.json"

test: .venv/.test
	$(BIN)/python -m pytest -n auto

bench: .venv/.bench
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/graph_scores.py $(if $(DATA),--data $(DATA))
	$(BIN)/python benchmarks/subsets.py $(if $(DATA),--data $(DATA))

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/.test
	$(BIN)/python docs/build_methods.py
	$(BIN)/python -m pytest -q --doctest-glob='*.md' README.md docs

clean:
	rm -rf .venv reports

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

.venv/.run: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/.test .venv/.bench .venv/.lint: .venv/.%: pyproject.toml .venv/.run
	$(BIN)/pip install --quiet --editable . --group $*
	@touch $@

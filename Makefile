# tracegym: every target needs nothing done before it but Python 3.11 and a package index.
SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
UV := $(BIN)/uv
PYTEST := $(BIN)/python -m pytest
DEMO_HOME ?= demo-out

.PHONY: help setup demo test test-all test-train test-consumers check audit sbom docs dev bench compile lock format clean

help:            ## these lines
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## / — /'

setup: $(VENV)/.installed  ## .venv from the lock file (uv is installed into it if missing)

# The lock pins versions and hashes; which index serves them is the machine's own business.
$(VENV)/.installed: uv.lock pyproject.toml ingest/exporter/pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(UV) || $(BIN)/python -m pip install --quiet "uv>=0.13,<1"
	@$(UV) export --quiet --frozen --all-groups --no-emit-workspace --output-file $(VENV)/requirements.txt
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes --requirement $(VENV)/requirements.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . --editable ingest/exporter
	@touch $@

demo: setup      ## run an instrumented example app, take its OTLP in, build a task set, run rollouts, print where to look
	@$(BIN)/python examples/support_desk/demo.py --home $(DEMO_HOME)

test: setup      ## all fast tests
	$(PYTEST) -n 2 --dist loadfile -m "not slow and not consumer" tests

test-all: setup  ## and the slow ones
	$(PYTEST) -n 2 --dist loadfile -m "not consumer" tests

test-train: setup  ## the local policy and the training example, once, on a CPU (installs torch beside the project)
	$(PYTEST) -m consumer -k "local_policy or example_runs" tests/e2e/test_train_consumer.py

test-consumers: setup  ## the exports' own loaders, each in a virtual environment of its own
	$(PYTEST) -m consumer tests

check: setup     ## ruff, mypy strict, basedpyright, import-linter, names
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m tests.house_names

audit: setup     ## known vulnerabilities (where OSV answers) and licences of what the lock pins
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m benchmarks.shipping.audit

sbom: setup      ## sbom.json: what the lock pins, as CycloneDX 1.5, with hashes and no index host
	@$(UV) export --quiet --frozen --no-dev --no-emit-workspace --format cyclonedx1.5 --output-file sbom.json
	@sed -i -E 's#\?repository_url=[^"]*##; s#https://files\.invalid/##' sbom.json

dev: setup       ## the Dagster UI over ./.tracegym (or TRACEGYM_HOME)
	@$(BIN)/tracegym dev

docs: setup      ## the documentation as a site in site/; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: setup     ## what learnt worlds answer; `python -m benchmarks` lists every benchmark
	$(BIN)/python -m benchmarks worlds

compile: setup   ## a faster copy of redact in .compiled, where there is a C compiler (PYTHONPATH=.compiled uses it)
	@$(BIN)/python -m benchmarks.shipping.compiled_redact .compiled

format: setup    ## ruff's fixes and layout
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

lock:            ## resolve again; the lock names no index host
	$(UV) lock --upgrade
	@sed -i -E 's#registry = "https?://[^"]*"#registry = "https://index.invalid/simple"#g; s#url = "https?://[^/"]+/#url = "https://files.invalid/#g' uv.lock

clean:           ## the demo's output and caches (never a home)
	rm -rf $(DEMO_HOME) site .compiled .pytest_cache .mypy_cache .ruff_cache

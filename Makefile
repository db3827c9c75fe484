# `make demo` and `make test` do all the set-up on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
BOUNDSCHECK_CACHE := .cache/boundscheck

.PHONY: demo test lint typecheck test-compiled test-uncompiled test-boundscheck format bench clean

demo: $(VENV)/.core
	$(BIN)/nile tournament --game ra --players 3 --agents ppo greedy random --games 600 --seed 1

# Two legs at a time; what one prints is shown when it ends.
test: lint
	+$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-compiled test-uncompiled test-boundscheck

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The product as users run it.
test-compiled: $(VENV)/.dev
	$(BIN)/pytest

# The same source as plain Python: coverage sees every line of the rules.
test-uncompiled: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -m "not compiled" --cov --cov-report=term-missing:skip-covered --cov-fail-under=95

# Out-of-range reads are silent in compiled code unless it is compiled with checks, into a cache of its own.
test-boundscheck: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(BOUNDSCHECK_CACHE) $(BIN)/pytest -m engine

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.core
	$(BIN)/nile benchmark

clean:
	rm -rf $(VENV) .cache build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev,train,interop]'
	@touch $@ $(VENV)/.core

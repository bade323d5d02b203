# Everything a developer types. `make` alone lists it.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

# The first Python that is new enough; override with `make test PYTHON=python3.13`.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
DATA ?=
CONFIG ?= config.toml

.PHONY: help run demo test lint types walls check bench farm week faults soak slow test-all clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What the bot needs, and what its developers need beside; each is installed once, and afterwards nothing here
# touches the network.
$(RUNS): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found on the PATH"; exit 1; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version) (once, a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(READY): $(RUNS)
	@echo "adding the tools of the tests (once, a minute)"
	@$(PIP) --editable '.[dev]'
	@touch $@

run: $(RUNS) ## run the bot with CONFIG=config.toml
	$(BIN)/shinglebot --config $(CONFIG) run

demo: $(RUNS) ## watch the whole job on bundled feeds, offline, in a few seconds
	@$(BIN)/shinglebot demo

test: $(READY) ## run every test that needs only Python (DATA=folder adds the measurements on real data)
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile $(if $(DATA),--data=$(abspath $(DATA)))

lint: $(READY) ## ruff: style and errors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	$(BIN)/mypy

walls: $(READY) ## import-linter: which room may import which
	$(BIN)/lint-imports

check: lint types walls test ## all of the above

slow: $(READY) ## the tests that take minutes
	HYPOTHESIS_PROFILE=slow $(BIN)/python -m pytest -m slow $(if $(DATA),--data=$(abspath $(DATA)))

bench: $(READY) ## benchmarks and quality measurements (DATA=folder with real data)
	$(BIN)/python bench/weighted_length.py
	@for bench in link_keys parsing parsing_plain histories edit_table skip_curve bodies learned quality; do echo "== bench/$$bench.py"; \
		if [ -n "$(DATA)" ]; then $(BIN)/python bench/$$bench.py --data "$(DATA)" || exit 1; \
		else echo "skipped: it measures real data, give their folder with DATA="; fi; done

farm: $(READY) ## poll farms of 1,000 and 10,000 feeds on loopback, beside feedparser called plainly (a quarter of an hour)
	$(BIN)/python -m bench.farm --items 3

week: $(READY) ## a simulated week of bursts, quiet hours and changes of clocks: limits kept, nothing lost, the waiting times
	$(BIN)/python -m bench.week

faults: $(READY) ## inject every fault of the table, kill the bot, and count what X got twice or never (half an hour; SEEDS=200 for more)
	$(BIN)/python -m bench.fault_table $(if $(SEEDS),--seeds $(SEEDS))

soak: $(READY) ## a simulated week with 2,000 feeds, restarts and faults: what grows, and what X got (a quarter of an hour)
	$(BIN)/python -m bench.soak

# Every CPython from 3.11 that is installed, whether on the PATH or under pyenv.
test-all: ## run the tests on every Python from 3.11 that is installed
	@found=0; for python in python3.11 python3.12 python3.13 python3.14 $${PYENV_ROOT:-$$HOME/.pyenv}/versions/*/bin/python; do \
		version=$$($$python -c 'import sys; v = sys.version_info; print(f"{v.major}.{v.minor}") if v >= (3, 11) and sys.implementation.name == "cpython" else None' 2>/dev/null); \
		case "$$version" in ""|None) continue;; esac; \
		case " $$done " in *" $$version "*) continue;; esac; \
		done="$$done $$version"; found=1; echo "== Python $$version"; \
		$(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$version || exit 1; \
	done; test $$found = 1

clean: ## remove what the other targets made
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache htmlcov .coverage

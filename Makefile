# Every target works with nothing but make and a Python of 3.11 or later: what it needs it installs into .venv, once.
#
#   make demo                           set up and run the main job on the bundled sessions
#   make test                           set up and run every test this machine can run
#   make test ARGS=tests/core           some of them; ARGS goes to pytest as it is
#   make test HYPOTHESIS_PROFILE=deep   every law on ten times the examples
#   make bench ARGS=import              measure Recense beside named baselines
#   make install                        only set up, with every extra
#   make check                          what has to hold before a change is done, but for the tests
#   make lint                           of these what is no test: make test runs those too
#   make fix                            what ruff can mend
#   make clean                          remove .venv and what tools left behind
#   make PYTHON=/path/to/python …       when python3 is not the one to take

.DEFAULT_GOAL := help
.SUFFIXES:

# Bytecode is kept: tests start hundreds of interpreters, each of which would compile all that it loads.
unexport PYTHONDONTWRITEBYTECODE

python := .venv/bin/python
# Twice quiet: errors alone.
pip := $(python) -m pip --quiet --quiet --disable-pip-version-check --no-input

.PHONY: help demo install test check lint fix bench lock clean

help:
	@sed -n '3,/^$$/s/^# *//p' Makefile

demo: .venv/base.stamp
	@$(python) scripts/demo.py

install: .venv/all.stamp
	@echo "Ready: .venv holds Recense and every extra"

# PYTHONWARNDEFAULTENCODING: a text file opened without naming its encoding is a failure.
test: .venv/all.stamp
	@PYTHONWARNDEFAULTENCODING=1 $(python) -m pytest --numprocesses=2 --dist=worksteal $(ARGS)

check: lint
	$(python) -m pytest -q tests/architecture

lint: .venv/all.stamp
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/lint-imports --no-logo --no-cache
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/pyright --project pyproject.toml --warnings

fix: .venv/all.stamp
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

bench: .venv/all.stamp
	@$(python) -m recense bench $(ARGS)

lock:
	@scripts/lock $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@scripts/venv

# The lock holds the build backend too, so the package itself is installed without fetching anything.
.venv/base.stamp: locks/base.txt pyproject.toml | .venv/bin/python
	@echo "Installing Recense into .venv"
	@$(pip) install --require-hashes -r locks/base.txt
	@$(pip) install --no-build-isolation --no-deps --editable .
	@touch $@

.venv/all.stamp: locks/dev.txt pyproject.toml | .venv/bin/python
	@echo "Installing Recense with every extra into .venv"
	@$(pip) install --require-hashes -r locks/dev.txt
	@$(pip) install --no-build-isolation --no-deps --editable .
	@touch $@ .venv/base.stamp

# What CI runs is what is written here.  Everything a target needs, it creates.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
ALL := $(shell find src -name '*.py')
BUILDS_WITH := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])

.DEFAULT_GOAL := help
.PHONY: help demo test check check-deep twin bench bench-locks figures papers format clean

help:
	@echo "make demo        three nodes on this machine, for ten seconds"
	@echo "make test        the tests, compiled and interpreted"
	@echo "make check       style, types, layers, the repository's own rules"
	@echo "make check-deep  the large explorations and the mutation run, an hour or so"
	@echo "make twin        the service in a simulated world: 10,000 seeds of misfortune"
	@echo "make bench       how fast, side by side with other ways to do it"
	@echo "make bench-locks the lock service beside Redis, PostgreSQL, etcd and ZooKeeper; QUICK=1: a minute"
	@echo "make figures     the figures of docs/quorums.md"
	@echo "make papers      the papers' experiments again, for docs/papers.md; half an hour"
	@echo "make format      lay out the code;  make clean  remove what was made"

# The tools, and the project itself in a form that runs from src/.
.venv/tools: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev $$($(BIN)/python -c '$(BUILDS_WITH)')
	touch $@

# A compiled module shadows its source, so both are made anew whenever a source changes.
.venv/built: .venv/tools setup.py $(ALL)
	find src -name '*.so' -delete
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@$(BIN)/python -c "from grouplock import _build; print(_build.advice(), end='')"
	touch $@

demo: .venv/built
	$(BIN)/grouplock demo --seconds 10

test: .venv/built
	$(BIN)/python -m pytest -n 2 --dist worksteal
	GROUPLOCK_INTERPRETED=1 $(BIN)/python -m pytest -n 2 tests/conformance tests/check/test_counts.py tests/twin

check: .venv/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src tests
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/rules

# What takes too long for every day.  It writes what it found to docs/checked.md.
check-deep: .venv/built
	rm -rf build/deep
	GROUPLOCK_DEEP=1 $(BIN)/python -m pytest -n 2 --dist worksteal --timeout 3600 tests/deep
	$(BIN)/python -m tests.deep.report

twin: .venv/built
	$(BIN)/grouplock twin --seeds 1-10000

bench: .venv/built bench/build/suzuki_kasami
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/quorums.py
	$(BIN)/python bench/large.py

bench/build/suzuki_kasami: bench/suzuki_kasami.cpp
	mkdir -p bench/build
	g++ -O3 -march=native -std=c++17 -Wall -Wextra -o $@ $<

# Installs the others' servers with apt-get where they are missing, and their Python clients.
bench-locks: .venv/bench
	$(BIN)/python -m bench.locks $(if $(QUICK),--quick)

.venv/bench: .venv/built
	$(BIN)/python -m pip install --quiet --group bench
	touch $@

figures: .venv/built
	$(BIN)/python docs/figures/quorums.py

# Kept runs are taken from out/paper; of other code they are refused, so begin with an empty folder.
papers: .venv/built
	$(BIN)/grouplock paper --out out/paper
	mkdir -p docs/figures/papers
	cp out/paper/figures/*.svg docs/figures/papers/
	cp out/paper/report.md docs/papers-results.md

format: .venv/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build bench/build src/*.egg-info
	find src -name '*.so' -delete

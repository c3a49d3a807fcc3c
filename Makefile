# Every target sets up what it needs: a virtual environment in .venv, and nothing outside this folder.
# Asked of the machine: Python 3.11 or newer with pip and venv, and make.

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready
JOBS  ?= 2
PYTEST_ARGS ?=
VERSIONS_ARGS ?=
BENCH_ARGS ?=
FIRST_CONTACT_ARGS ?=
EXAMPLES_EXTRAS ?= examples

# The first interpreter that is new enough and can make a virtual environment; `make PYTHON=... test` overrides.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

.PHONY: help setup demo examples-wheel first-contact lint test versions conformance check check-full format generate site bench soak clean

help:
	@echo "make demo    the example: log-Huber and a photograph, through graphs and eagerly"
	@echo "make examples-wheel  every example, with a wheel installed where there is nothing else"
	@echo "make test    format, lint and types, then the whole test suite (JOBS=2 processes)"
	@echo "make versions  the suite on every Python of the window, and on the lowest versions of what we depend on"
	@echo "make first-contact  a newcomer's paths in empty environments, with the seconds of each step"
	@echo "make conformance  every recorded call of every function, compared with TensorFlow's results; kernels on eager JAX; Keras's tests"
	@echo "make check   format, lint, types, layers, fast tests, snippets; under two minutes"
	@echo "make format  rewrite the sources the way 'check' wants them"
	@echo "make generate  write the namespaces, the reference, the tables, the pictures and the list of public names"
	@echo "make site    the site of the documents, in build/site/html; SERVE=8000 serves it on that port"
	@echo "make bench   the benchmarks"
	@echo "make soak    the long-running checks for leaks and hangs"
	@echo "make clean   remove .venv, the benchmarks' environments and caches"

setup: $(READY)

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer with venv and pip was found;" \
		"on Debian: apt install python3 python3-venv. Or name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'  # the first that knows dependency groups
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: $(READY)
	$(BIN)/python examples/demo.py

# In a folder of its own: a wheel of what is here, an environment with it and with what the extras name, every example.
# EXAMPLES_EXTRAS=examples,torch,ray: those that need PyTorch and Ray too.
examples-wheel: WHEEL := $(CURDIR)/build/examples-wheel
examples-wheel:
	rm -rf $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEEL)/dist .
	cd $(WHEEL) && bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/inlay-*.whl)[$(EXAMPLES_EXTRAS)]"
	cd $(WHEEL) && bin/python $(CURDIR)/scripts/run_examples.py --installed

# FIRST_CONTACT_ARGS='--debian 3.13': in an empty Debian; '-- tests': every test of the source distribution.
first-contact:
	$(PYTHON) scripts/first_contact.py $(FIRST_CONTACT_ARGS)

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy

# The tests run in any case, and last, so that what is printed ends with their verdict; the exit status is of both.
test: $(READY)
	@$(MAKE) --no-print-directory lint; linted=$$?; \
		$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS) && exit $$linted

# VERSIONS_ARGS='--python /path/to/python3.13 --only lowest': an interpreter that is not on the path, one environment.
versions: $(READY)
	$(BIN)/python scripts/test_on_versions.py $(VERSIONS_ARGS) -- -n $(JOBS) --dist worksteal $(PYTEST_ARGS)

conformance: $(READY)
	$(BIN)/python -m pytest -q tests/conformance/test_recorded_cases.py tests/recorded/test_signatures.py
	$(BIN)/python -m pytest -q -n $(JOBS) --exhaustive tests/conformance/test_kernels.py
	$(BIN)/python -m tests.recorded.compare_results
	$(BIN)/python -m scripts.compare_keras --jobs $(JOBS)

check: $(READY)
	./check

check-full: $(READY)
	./check full

format: $(READY)
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format .

generate: $(READY)
	$(BIN)/python scripts/update_generated.py

# make site SERVE=8000: and serve it, on this machine alone, until Ctrl-C.
site: $(READY)
	$(BIN)/python -m scripts.build_site
	$(if $(SERVE),$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site/html $(SERVE))

# BEFORE=COMMIT: rows, growth and concurrency also of the library as it was then, in the same run.
# BENCH_ARGS: see `.venv/bin/python -m benchmarks.run --help`; for example BENCH_ARGS='--quick --only eager'.
bench: $(READY)
	$(BIN)/python -m benchmarks.run $(BENCH_ARGS) $(BEFORE:%=--before %)
	-$(BIN)/python -m benchmarks.import_time
	$(BIN)/python -m benchmarks.programs $(BEFORE:%=--before %)
	$(BIN)/python -m benchmarks.growth $(BEFORE:%=--before %)
	$(BIN)/python -m benchmarks.work_growth
	$(BIN)/python -m benchmarks.data_growth
	$(BIN)/python -m benchmarks.concurrency $(BEFORE:%=--before %)
	$(BIN)/python -m benchmarks.executors
	$(BIN)/python -m benchmarks.compilers
	$(BIN)/python -m benchmarks.gpu
	$(BIN)/python -m benchmarks.report

soak: $(READY)
	$(BIN)/python -m benchmarks.soak

clean:
	rm -rf $(VENV) .versions benchmarks/.envs build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

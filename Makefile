# Every chore has one name. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help venv demo picture panel test check format serve campaign hand-campaign api-campaign compete-campaign demo-campaign faults witness bench bench-web firmware firmware-campaign lock wheel deps clean

VENV := .venv
BIN := $(VENV)/bin
SEED ?= 1979
SPEED ?= 10
JOBS ?= 2
LOCKED := --universal --generate-hashes --no-emit-index-url --no-header --quiet

help: ## list the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(VENV)/made ## make .venv with pointsman in it

$(VENV)/made: requirements.lock pyproject.toml .ci/make-venv
	@bash .ci/make-venv $(VENV)

demo: venv ## play an Inglenook on the simulated layout
	$(BIN)/pointsman play inglenook --seed $(SEED) --on sim --speed $(SPEED) --yes

serve: venv ## show the small Inglenook, simulated, in a browser at http://127.0.0.1:8765
	$(BIN)/pointsman serve inglenook-small $(ARGS)

picture: venv ## make docs/play.svg, the picture in the README, by a real play
	$(BIN)/pointsman play inglenook --seed $(SEED) --on sim --speed 0 --yes --picture docs/play.svg

panel: venv ## make docs/panel.png, the picture of the panel in the README, by a test in a browser
	POINTSMAN_ALL=1 POINTSMAN_PICTURES=build/pictures $(BIN)/python -m pytest -q tests/browser/test_story.py -k from_opening
	cp build/pictures/auto.png docs/panel.png

test: venv ## run the tests; changes nothing on the system
	$(BIN)/python -m pytest -n $(JOBS) --dist load $(ARGS)

check: venv ## style, types, layers, and whether the lock is in step
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/check_lock.py
	$(BIN)/python firmware/generate.py --check

format: venv ## write the code in the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

campaign: venv ## play 200 drawn Inglenooks, 50 Timesavers and 60 Tchoutchous in virtual time: each must end with truth = goal and no incident
	$(BIN)/python tests/campaign/campaign.py --jobs $(JOBS) $(ARGS)

hand-campaign: venv ## drive by hand like somebody who means no good, 80 times ten minutes in virtual time, on all four layouts: nothing may happen, nothing be believed that is not so
	$(BIN)/python tests/campaign/hand_campaign.py --jobs $(JOBS) $(ARGS)

compete-campaign: venv ## hold a competition of 200 entrants in virtual time, with real journals: standings, draws and truths are worked out again by the documents alone, and verify finds what is changed
	$(BIN)/python tests/campaign/compete_campaign.py --jobs $(JOBS) $(ARGS)

api-campaign: venv ## try the signal box's HTTP interface and that of a competition against their OpenAPI for 100 s: every answer must be one that it tells of
	$(BIN)/python tests/campaign/api_campaign.py $(ARGS)

faults: venv ## play 2,000 puzzles with faults at random moments, in virtual time; writes docs/faults.md
	$(BIN)/python tests/campaign/fault_campaign.py --jobs $(JOBS) $(ARGS)

witness: $(VENV)/witness ## install Fast Downward in .venv, and let it find the solver's results again
	$(BIN)/python -m pytest -n $(JOBS) tests/witness $(ARGS)

$(VENV)/witness: $(VENV)/made requirements-witness.lock
	@echo "installing the planner (100 MB to fetch, 390 MB on the disk) ..."
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-witness.lock
	@touch $@

bench: venv ## measure the solver, against a plain search in C too; writes docs/performance.md
	$(BIN)/python tests/bench/performance.py

bench-web: venv ## measure how late the panel is, and how soon a stop leaves, while 100 look on and 4 drive; ten minutes
	$(BIN)/python tests/bench/web_load.py $(ARGS)

demo-campaign: venv ## play sixty draws by the demo of the signal box, one after the other
	$(BIN)/python -m pytest -m long tests/unit/box

firmware: ## build the node's firmware for Uno and Mega, with what each takes; needs Debian's avr-gcc and Arduino core
	@$(MAKE) --no-print-directory -C firmware uno mega

firmware-campaign: venv ## play ten Inglenooks and a Timesaver through the compiled firmware: each must end with truth = goal and no incident; then the long tests
	$(BIN)/python tests/campaign/firmware_campaign.py --jobs $(JOBS) $(ARGS)
	$(BIN)/python -m pytest -n $(JOBS) -m long tests/system

lock: venv ## write both locks anew from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev $(LOCKED) --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra witness --constraint requirements.lock $(LOCKED) \
	    --output-file requirements-witness.lock
	$(BIN)/python .ci/check_lock.py

wheel: venv ## build the wheel into dist/
	$(BIN)/python -m hatchling build --target wheel

deps: ## install the Debian packages that the program and its tests use (as root)
	@bash .ci/install-deps

clean: ## remove what the chores made
	rm -rf $(VENV) dist build firmware/build htmlcov .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# fairshoe. `make help` lists what there is; the first run of anything sets up .venv by itself.

PYTHON ?= python3
BIN := .venv/bin
# Every tool is a module or a package of tools/, called by its name.
TOOL := PYTHONPATH=tools $(BIN)/python -m
BOARD ?=
GAME ?=
PORT ?=
SEED ?=
SPEED ?=
UF2 ?=
MINUTES ?= 1
WRITE ?=
RULES ?=
MODULE ?=
SHARD ?=
JOBS ?=
ROUNDS ?=
NAMES ?=
KIND ?=
QUICK ?=
KEYED ?=
MICROPYTHON ?=
LAW := tests/unit/games/test_law.py
PICOTOOL ?=
BENCH ?=
OUT ?=
SHOES ?=
SIGN ?=
ROLLBACK ?=
KEY ?=

# pyright: no look for newer releases (that would need a network), and the node of the lock.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PYRIGHT_PYTHON_GLOBAL_NODE := 0

.DEFAULT_GOAL := help
.PHONY: help setup ready run test test-all quick test-cpython test-mpy test-dissector check lint types types-device style
.PHONY: scenarios generate trace soak sweep soak-kill powerloss powerloss-records model size deploy bench fuzz growth hil hil-smoke wheel clean distclean

# option,value: passed on only when set
opt = $(if $(2),$(1) '$(2)')

# What a person types; the rest is for a change of one thing, and for CI.
DAILY = run quick test test-all generate scenarios bench-page image deploy docs

help: ## the targets that a person types; `make help-all` lists all
	@for name in $(DAILY); do sed -nE "s/^($$name):[^#]*## /\1\t/p" Makefile; done | $(TABLE)
	@echo '  make help-all           all targets, in groups'

.PHONY: help-all
help-all: ## all targets, in groups
	@sed -nE 's/^##@ (.*)/\n\1:/p; s/^([a-z0-9-]+):[^#]*## /\1\t/p' Makefile | $(TABLE)

TABLE = awk -F '\t' 'NF > 1 {printf "  make %-18s %s\n", $$1, $$2; next} {print}'

##@ Daily

setup: ## install everything into .venv (every other target does this first)
	@$(PYTHON) tools/setup.py

ready:
	@$(PYTHON) tools/setup.py --quiet

run: ready ## play rounds, a short deck and a jam on a simulated shoe  [GAME= BOARD= SEED= SPEED=]
	@$(BIN)/fairshoe demo $(call opt,--game,$(GAME)) $(call opt,--board,$(BOARD)) \
		$(call opt,--seed,$(SEED)) $(call opt,--speed,$(SPEED))

test: ready ## the gate: checks and tests on CPython and on the MicroPython VM; unchanged stages are skipped outside CI
	@$(TOOL) gate

test-all: ready ## what `make test` leaves out: long tests, all tests on the MicroPython VM, more draws; CI runs both
	@$(TOOL) gate --full

quick: ready ## the fast loop: ruff, types of what changed, unit tests on CPython
	@$(TOOL) quick

bench-page: ready ## a simulated shoe in the browser, to watch, handle and break  [PORT=]
	@$(BIN)/fairshoe web $(call opt,--port,$(PORT))

##@ Tests by kind

test-cpython: ready ## the tests on CPython
	@$(BIN)/pytest --ignore=tests/style --ignore=tests/web --ignore=tests/floor_servers

test-mpy: ready ## all tests that both VMs share, on the MicroPython VM
	@$(BIN)/node tools/mpy/test.mjs tests/unit tests/contract

test-dissector: ready ## the Wireshark dissector in the real tshark (as root on Debian it installs tshark if missing)
	@$(TOOL) dissector

.PHONY: test-web bench-page
test-web: ready ## the pages in the system's Chromium (as root on Debian it installs Chromium if missing)
	@$(TOOL) web


check: ready ## ruff, pyright for host, tests, tools and device, layering and tidiness
	@$(TOOL) gate lint types-all types-device style

lint types types-device style: ready
	@$(TOOL) gate $@

bench: ## measure against the budgets and against what others use; status 1 if a section could not be measured  [NAMES=]
	@$(PYTHON) tools/setup.py --quiet --bench --web --floor || $(PYTHON) tools/setup.py --quiet
	@$(TOOL) bench $(NAMES)

scenarios: ready ## every scenario on both VMs, transcripts compared (some minutes)
	@$(TOOL) scenarios

generate: ready ## write every generated file again: messages, protocol and wiring pages, tables of pages from the code, docs/RULES.md
	@$(TOOL) protocol
	@$(TOOL) wiring
	@$(TOOL) docs.tables --write
	@$(TOOL) docs.procedure_page
	@$(TOOL) release.notices
	@$(TOOL) rules --write > /dev/null
	@$(TOOL) oracles.rulings_page

.PHONY: matrix
matrix: ready ## which record is taken at which stage of each game, by playing: compared with rules/records.txt; WRITE=1 renews it  [GAME=]
	@$(TOOL) rules.matrix $(if $(WRITE),--write) $(call opt,--game,$(GAME))

.PHONY: law
law: ready ## the law of each game, row by row: on CPython and on the MicroPython VM, with the time of each
	time -p $(BIN)/pytest -q $(LAW)
	time -p $(BIN)/node tools/mpy/test.mjs --lanes 1 $(LAW)

trace: ready ## which test proves which clause of the games' rules; WRITE=1 renews docs/RULES.md
	@$(TOOL) rules $(if $(WRITE),--write)

.PHONY: mutants
mutants: ready ## change one thing of the firmware at a time; list what no unit test notices  [MODULE= MINUTES= SEED= SHARD= ONLY=]; of the games' rules: RULES=1; of host library, floor and table: HOST=1; those of tests/kills.txt again: KILLS=1, others: WRITE=1 too
	@$(TOOL) mutants $(if $(RULES),--rules,$(if $(HOST),--host) $(call opt,--module,$(MODULE)) $(call opt,--shard,$(SHARD))) \
		$(if $(KILLS),--kills $(if $(WRITE),--write)) $(call opt,--seed,$(SEED)) $(call opt,--only,$(ONLY)) \
		$(if $(filter-out file default,$(origin MINUTES)),--minutes '$(MINUTES)')

fuzz: ready ## random bytes into both decoders  [MINUTES= SEED=]
	@$(TOOL) fuzz --minutes $(MINUTES) $(call opt,--seed,$(SEED))

soak: ready ## random dealers, faults and power cuts at simulated machines of all kinds  [MINUTES= SEED=]
	@$(TOOL) soak --minutes $(MINUTES) $(call opt,--seed,$(SEED))

sweep: ready ## simulated machines with one thing wrong, case by case: a pulse, a noisy line, a wrong figure, two, or all of them  [KIND="pulses storms truths pairs calibrations" MINUTES= SEED= BOARD=]
	@$(TOOL) soak.sweep $(KIND) --minutes $(MINUTES) $(call opt,--seed,$(SEED)) $(call opt,--board,$(BOARD))

powerloss: ready ## power cut at every storage write and at sampled instants, on all boards and games  [MINUTES= SEED= JOBS= BOARD= GAME=]
	@$(TOOL) powerloss --minutes $(MINUTES) $(call opt,--seed,$(SEED)) $(call opt,--jobs,$(JOBS)) \
		$(call opt,--board,$(BOARD)) $(call opt,--game,$(GAME))

powerloss-records: ready ## power cut at every write of every kind of record, in all games and ways of dealing  [MINUTES= SEED=]
	@$(TOOL) powerloss.records --minutes $(MINUTES) $(call opt,--seed,$(SEED))

soak-kill: ready ## rounds by commands while host, power and cable are killed at random; then kill -9 over TCP  [ROUNDS= KILLS= MINUTES= SEED= BOARD= GAME=]
	@$(TOOL) soak.kill $(call opt,--rounds,$(ROUNDS)) $(call opt,--seed,$(SEED)) \
		$(if $(filter-out file default,$(origin MINUTES)),--minutes '$(MINUTES)') \
		$(call opt,--board,$(BOARD)) $(call opt,--game,$(GAME))
	@$(TOOL) soak.kill_tcp $(call opt,--kills,$(KILLS)) $(call opt,--seed,$(SEED)) \
		$(if $(filter-out file default,$(origin MINUTES)),--minutes '$(MINUTES)') \
		$(call opt,--game,$(filter-out house,$(GAME)))

model: ready ## check the promises exhaustively within bounds, and that planted errors are found (SPIN; as root on Debian installed if missing)  [ONLY=]
	@$(TOOL) model $(call opt,--only,$(ONLY))

growth: ready ## whether memory grows over 1,000 rounds, on the MicroPython VM  [ROUNDS=]
	@$(BIN)/node tools/mpy/growth.mjs $(or $(ROUNDS),1000)

##@ Firmware on a board

size: ready ## what one board ships, module by module, against the budget  [BOARD=]
	@$(TOOL) size $(call opt,--board,$(BOARD))

deploy: ready ## build, write what changed, reset, see that it runs  BOARD= PORT= [GAME= TABLE_PORT=]
	@$(if $(and $(BOARD),$(PORT)),,echo 'make deploy BOARD=pico2-carousel PORT=/dev/ttyACM0 [GAME= TABLE_PORT=]'; exit 2)
	@$(BIN)/fairshoe firmware flash '$(PORT)' --board '$(BOARD)' $(call opt,--game,$(GAME)) \
		$(call opt,--table-port,$(TABLE_PORT))

.PHONY: image
image: ready ## one UF2 with the firmware in it  BOARD= MICROPYTHON=checkout [BENCH=1 GAME= SIGN= ROLLBACK= PICOTOOL= OUT=]
	@$(if $(and $(BOARD),$(MICROPYTHON)),,echo 'make image BOARD=pico-carousel MICROPYTHON=path/to/checkout [BENCH=1 GAME= PICOTOOL= OUT=]'; exit 2)
	@$(BIN)/fairshoe firmware image --board '$(BOARD)' --micropython '$(MICROPYTHON)' $(if $(BENCH),--bench) \
		$(call opt,--game,$(GAME)) $(call opt,--picotool,$(PICOTOOL)) $(call opt,-o,$(OUT)) \
		$(call opt,--sign,$(SIGN)) $(call opt,--rollback,$(ROLLBACK))

hil: ready ## play and measure the firmware on an emulated RP2040  UF2=firmware.uf2 or a folder of them, or PORT=a bare Pico [BOARD= ROUNDS= CARDS= SEED= RUNS= ONLY= JOBS= QUICK=1 KEYED=1 WRITE=1]
	@$(TOOL) hil $(call opt,--uf2,$(UF2)) $(call opt,--port,$(PORT)) $(call opt,--board,$(BOARD)) \
		$(call opt,--rounds,$(ROUNDS)) $(call opt,--cards,$(CARDS)) $(call opt,--seed,$(SEED)) $(call opt,--only,$(ONLY)) \
		$(call opt,--jobs,$(JOBS)) $(if $(QUICK),--quick) $(if $(KEYED),--keyed) \
		$(call opt,--runs,$(RUNS)) $(if $(WRITE),--write)

hil-smoke: ## the shortest run of hil: one round  UF2=firmware.uf2 [BOARD=]
	@$(MAKE) --no-print-directory hil QUICK=1

.PHONY: hil-contract hil-same hil-cuts hil-two twin
hil-two: ready ## a shoe on one emulated RP2040, its machine on a second one, wired pin to pin  UF2=a bench image of pico-shoe [ONLY= SEED= JOBS=]
	@$(TOOL) hil.two $(call opt,--uf2,$(UF2)) $(call opt,--only,$(ONLY)) $(call opt,--seed,$(SEED)) $(call opt,--jobs,$(JOBS))

twin: ready ## make a second Pico the machine of a motor shoe  PORT=its USB port [BOARD=pico-shoe SEED=]
	@$(TOOL) twin '$(PORT)' --install '$(or $(BOARD),pico-shoe)' $(call opt,--seed,$(SEED))

hil-cuts: ready ## updates cut short at any block, on an emulated RP2040: no motor starts  UF2=new.uf2 OLD=old.uf2 [CASES= SEED= JOBS=]
	@$(TOOL) hil.cuts $(call opt,--uf2,$(UF2)) $(call opt,--old,$(OLD)) $(call opt,--cases,$(CASES)) \
		$(call opt,--seed,$(SEED)) $(call opt,--jobs,$(JOBS))

hil-same: ready ## whether the emulated RP2040 is the same machine in bursts and one instruction at a time  UF2=firmware.uf2 [BOARD=]
	@$(TOOL) hil.same $(call opt,--uf2,$(UF2)) $(call opt,--board,$(BOARD))

hil-contract: ready ## what hal/api.py promises, kept by the port on the emulated RP2040  UF2=firmware.uf2 [KIND= JOBS=]
	@$(TOOL) hil.contract $(call opt,--uf2,$(UF2)) $(call opt,--kind,$(KIND)) $(call opt,--jobs,$(JOBS))

##@ Table and floor

.PHONY: fleet-chaos
fleet-chaos: ready ## break gateways, broker, PostgreSQL and network of a floor; every event must arrive once  [MINUTES= SEED= SHOES= BUSY= ONLY=]
	@$(TOOL) floor.chaos --install $(if $(filter-out file default,$(origin MINUTES)),--minutes '$(MINUTES)') \
		$(call opt,--seed,$(SEED)) $(call opt,--shoes,$(SHOES)) $(call opt,--busy,$(BUSY)) $(call opt,--only,$(ONLY))

.PHONY: table-oracles table-soak
table-oracles: ready ## returns of the five games, counted and compared with known ones; some splits and hands sampled  [MINUTES= SEED=]
	@$(TOOL) oracles.table --minutes $(MINUTES) $(call opt,--seed,$(SEED))

table-soak: ready ## tables killed between statements, with full disks, other options, replaced shoes, voids by a supervisor; then shoes and books must agree  [MINUTES= SEED= GAME=]
	@$(TOOL) soak.table --minutes $(MINUTES) $(call opt,--seed,$(SEED)) $(call opt,--game,$(GAME))

##@ Documentation

.PHONY: docs docs-serve docs-ready
docs-ready:
	@$(PYTHON) tools/setup.py --quiet --docs

docs: docs-ready ## the documentation site, in build/site; a warning is an error
	@$(TOOL) docs

docs-serve: docs-ready ## the same on a local port, built again whenever a page changes
	@$(TOOL) docs --serve

.PHONY: captures
captures: ready ## take the captures of docs/captures again: terminals, and pages in Chromium  [NAMES=]
	@$(PYTHON) tools/setup.py --quiet --web --floor
	@$(TOOL) captures $(NAMES)

##@ Releases and the tree

.PHONY: release release-try
release-try: ready ## install a release into an empty environment of every Python here, and start demo, web, gateway and table  OUT=release-folder
	@$(if $(OUT),,echo 'make release-try OUT=dist/release-0.2.0'; exit 2)
	@$(TOOL) release.install '$(OUT)'

release: ## one folder from a clean commit: packages, site, boards, images, bill of materials, sums  [OUT= BOARD= MICROPYTHON= PICOTOOL= KEY=]
	@$(PYTHON) tools/setup.py --quiet --docs --release
	@$(TOOL) release $(call opt,--out,$(OUT)) $(call opt,--board,$(BOARD)) $(call opt,--micropython,$(MICROPYTHON)) \
		$(call opt,--picotool,$(PICOTOOL)) $(call opt,--key,$(KEY))

.PHONY: release-files
release-files: ready ## what the programs of a commit leave on disks, as text in tests/releases: before a release, then commit it  [COMMIT=]
	@$(PYTHON) tools/setup.py --quiet --floor
	@$(TOOL) release_files $(COMMIT)

.PHONY: surface
surface: ready ## what is public, compared with what the last release has; WRITE=1 writes the messages down before a release
	@$(TOOL) surface $(if $(WRITE),--write)

wheel: ready ## build the wheel into dist/
	@$(BIN)/hatchling build -t wheel

clean: ## remove what builds, checks and tests left
	@rm -rf build dist .pytest_cache .ruff_cache .hypothesis
	@find . \( -name .venv -o -name node_modules -o -name .git \) -prune -o \
		-type d -name __pycache__ -exec rm -rf {} +

distclean: clean ## remove .venv and node_modules too
	@rm -rf .venv node_modules .setup.log .setup.lock

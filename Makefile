# Every target sets up its own virtual environment in .venv when there is none.
.DEFAULT_GOAL := help
EXPERIMENTS := $(patsubst configs/%.yaml,run-%,$(wildcard configs/*.yaml))
BEGAN := $(shell date +%s)

.PHONY: help demo test test-all test-lowest lint docs packages reliability coverage mutants reproduce $(EXPERIMENTS) bench clean

PYTHON ?= python3
PYTHONS ?=
TRIALS ?= 100
JOBS ?= -1
VENV := .venv
BIN := $(VENV)/bin
# a home that nobody may write to has no cache of packages
export UV_NO_CACHE := $(or $(UV_NO_CACHE),$(shell mkdir -p "$${UV_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/uv}" 2>/dev/null && echo false || echo true))
# a short run must not replace the full one that is kept in results/
OUT ?= $(if $(filter 100,$(TRIALS)),results,results-$(TRIALS)-trials)

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

# tests of a module stay together, since they share what they only read; who is done first takes over from the other
WORKERS := -n 2 --dist worksteal

# the packages are installed once, and again when their list changes; compiled, or a Python that keeps no
# bytecode would compile them at each start, and so would each worker
$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(VENV) --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed ## Run the paper's main job, cluster two tables (two minutes)
	$(BIN)/mvcc run configs/four_quadrants.yaml --trials 4 -j $(JOBS) --out results-demo
	$(BIN)/mvcc plot results-demo --fresh
	test -e results-demo-tables/cluster.yaml || $(BIN)/mvcc init results-demo-tables --quiet
	$(BIN)/mvcc cluster results-demo-tables/cluster.yaml --out results-demo-tables/results --fresh
	@echo "The learning curves of the paper's main job are in results-demo/figures/figure_04.png"
	@echo "The report of two clustered tables is results-demo-tables/results/report.html"

test: $(VENV)/.installed ## Run the quick tests (three to six minutes)
	$(BIN)/pytest $(WORKERS)

test-all: test ## Run the slow tests, too (8 to 16 minutes)
	$(BIN)/pytest $(WORKERS) -m "slow and not reliability" --hypothesis-profile thorough

# an environment of its own, with the oldest Python, too; and kernels of its own, since each numba compiles anew
LOWEST := .venv-lowest
$(LOWEST)/.installed: pyproject.toml
	rm -rf $(LOWEST)
	$(or $(shell command -v python3.11),$(PYTHON)) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --compile-bytecode --python $(LOWEST) --resolution lowest-direct --editable '.[dev]'
	NUMBA_CACHE_DIR="$(CURDIR)/$(LOWEST)/numba" $(LOWEST)/bin/mvcc doctor --compile --quiet
	touch $@

# what differs from version to version shows with the first parameters of a test, or hardly ever; scripts/ is
# not installed, and needs no old libraries; the others are tests of what is computed from results of libraries, or
# of whole jobs, of which those of tests/cli/test_cluster.py are enough
LEFT_OUT := bench field golden docs test_count_evaluations.py test_peers.py test_scripts.py reporting/claims \
  reporting/html reporting/test_written_figures.py tables/asking \
  tables/test_comparison.py tables/test_reasons_recomputed.py tables/test_asked.py \
  tables/test_limits.py tables/test_continued.py tables/test_folders.py \
  tables/test_clusterings.py tables/test_given_pairs.py tables/test_output_folder.py \
  tables/test_changed_models.py experiments/test_replay.py multiview/test_multiview.py \
  datasets/test_rec_talk.py cli/test_compiling.py cli/test_init.py cli/test_ask.py \
  cli/test_claims.py
test-lowest: $(LOWEST)/.installed ## Run most quick tests once with the lowest versions allowed
	NUMBA_CACHE_DIR="$(CURDIR)/$(LOWEST)/numba" $(LOWEST)/bin/pytest $(WORKERS) --first-parameters -m "not slow and not reliability and not exact_bits" $(LEFT_OUT:%=--ignore=tests/%)

lint: $(VENV)/.installed ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed ## Build the documentation into docs/_build/html (a minute)
	$(BIN)/sphinx-build -W --keep-going --quiet -b html -d docs/_build/doctrees -c docs . docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

packages: $(VENV)/.installed ## Build wheel and sdist, try them (PYTHONS="python3.13")
	$(BIN)/python -m scripts.check_packages $(PYTHONS)

reliability: $(VENV)/.installed ## Run all tests, with hundreds of kills (an hour)
	MVCC_TRIED=results/reliability.csv $(BIN)/pytest $(WORKERS) -m "" --hypothesis-profile exhaustive

# first what the quick tests reach, then what all tests do; those that need the compiler do not see the lines of kernels
coverage: $(VENV)/.installed ## Count the branches that tests reach (a quarter of an hour)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest $(WORKERS) --cov --cov-report= --cov-fail-under=92
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest $(WORKERS) -m "slow and not reliability and not compiled" --cov --cov-append --cov-report=
	$(BIN)/pytest $(WORKERS) -m "compiled and not reliability" --cov --cov-append --cov-report=term --cov-fail-under=98

mutants: $(VENV)/.installed ## Count what tests notice of small changes (over an hour)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutation]'
	$(BIN)/python -m scripts.mutants

# kernels of OpenBLAS that any x86-64 processor with AVX2 can take: they give the committed bytes on all of them
reproduce: export OPENBLAS_CORETYPE ?= Haswell
reproduce: $(EXPERIMENTS) ## Run all experiments, figures, claims (TRIALS=1: minutes)
	$(BIN)/python -m scripts.count_evaluations $(OUT)/evaluations.csv
	$(BIN)/mvcc plot $(OUT) --fresh
	$(BIN)/mvcc claims $(OUT) --fresh || [ $$? -eq 3 ]
	@echo "All experiments, figures and claims are in $(OUT);" \
	  "it took $$(($$(date +%s) - $(BEGAN))) seconds."

# one after the other, with the trials side by side; few trials are done sooner the other way round:
# make reproduce JOBS=1 -j2
$(EXPERIMENTS): run-%: $(VENV)/.installed
	$(BIN)/mvcc run configs/$*.yaml --trials $(TRIALS) -j $(JOBS) --out $(OUT)/$*

bench: $(VENV)/.installed ## Measure fits and runs beside others (twelve minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m scripts.bench
	$(BIN)/python -m scripts.bench.stages
	$(BIN)/python -m scripts.bench.growth

clean: ## Remove environments, caches and the demo's results
	rm -rf $(VENV) $(LOWEST) *.egg-info build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis results-demo docs/_build docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

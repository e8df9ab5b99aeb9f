# Each target does all its own set-up: `make demo` and `make test` work in a fresh clone with
# Python 3.11+, pip and make, and never need root.

PYTHON ?= python3
BIN := .venv/bin
export DIALOGAUGE_DATA ?= $(wildcard $(abspath ../shared/data))
ifeq ($(DIALOGAUGE_DATA),)
unexport DIALOGAUGE_DATA
endif

MODELS := relevance relevance-base maude bert-ruber dynaeval dynaeval-research deam gauge amr language concepts dialogue-minilm base

.PHONY: demo test lint bench format docs lexicon results system clean mixtures amr-results manipulations $(MODELS)

demo: .venv/run  ## score the examples and judge a metric against people
	$(BIN)/dialogauge score examples/chats.jsonl examples/support.json --table
	$(BIN)/dialogauge score examples/talk.txt --metric gauge,deam,maude --turns --table
	$(BIN)/dialogauge meta --on examples/rated.jsonl --metric meteor --table

test: lint  ## lint, format check, types, all tests
	$(BIN)/python -m pytest -n auto

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/dev  ## ratios against a peer measured in the same run
	$(BIN)/python -m benchmarks

format: .venv/dev  ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/dev  ## write the parts of docs/ that repeat what the code says
	$(BIN)/python scripts/write_docs.py

lexicon: .venv/dev  ## rebuild the lexicon from Debian's wordnet-base
	$(BIN)/python scripts/build_lexicon.py

results: .venv/dev  ## measure the tables of docs/measured/results.md again
	$(BIN)/python -m benchmarks.results

$(MODELS): .venv/dev  ## train a shipped model anew, or go on where it was stopped, and ship it
	test ! -e build/$@/manifest.json || rm -rf build/$@
	$(BIN)/dialogauge train $@ --out build/$@ $$(test ! -e build/$@/recipe.json || echo --resume)
	$(BIN)/python scripts/ship.py build/$@

mixtures: .venv/dev  ## what was tried, on the tuning sets; writes docs/measured/mixtures.md
	$(BIN)/python -m benchmarks.students
	$(BIN)/python -m benchmarks.mixtures

amr-results: .venv/dev  ## measure the built-in AMR parser; writes docs/measured/amr.md
	$(BIN)/python -m benchmarks.amr

manipulations: .venv/dev  ## measure every manipulation; writes docs/measured/manipulations.md
	$(BIN)/python -m benchmarks.manipulate

system:  ## Debian packages that some tests need; the only target that needs root
	apt-get update && apt-get install -y --no-install-recommends wordnet-base apertium apertium-eng-spa

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/run: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

.venv/dev: .venv/run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

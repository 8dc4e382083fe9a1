# Two commands do everything from a fresh clone: `make` and `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint docs bench clean

# The main job: every experiment and figure of the paper, at full size, and the page about them.
# PUBLISHED=FOLDER compares with the authors' results.
run: .venv/ready
	$(BIN)/peergauge reproduce --out out/reproduction --seed 1 $(if $(PUBLISHED),--published $(PUBLISHED))
	@echo "Open out/reproduction/index.html"

test: lint
	sh tests/browser/install.sh
	$(BIN)/python -m pytest -n 2

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Write the reference pages anew from what mechanisms, strategies and the like declare.
docs: .venv/ready
	$(BIN)/python -m peergauge.pages.reference docs/reference

bench: .venv/ready
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.fitting
	$(BIN)/python -m benchmarks.grading
	$(BIN)/python -m benchmarks.experiments

clean:
	rm -rf .venv out

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@mkdir -p out
	@touch $@

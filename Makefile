# Two commands do everything from a fresh clone: `make` and `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint docs bench clean

# The main job: simulate a class, pay its graders, and see how fair the pay is.
run: .venv/ready
	$(BIN)/peergauge simulate --out out/class --students 100 --assignments 10 --seed 1
	$(BIN)/peergauge score out/class/reports.csv --mechanism mse-p --out out/rewards.csv \
		--truth out/class/truth.csv --graders out/class/graders.csv

test: lint
	$(BIN)/python -m pytest -n 2

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Write the reference pages anew from what mechanisms, strategies and the like declare.
docs: .venv/ready
	$(BIN)/python -m peergauge.reference docs/reference

bench: .venv/ready
	$(BIN)/python -m benchmarks.speed

clean:
	rm -rf .venv out

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@mkdir -p out
	@touch $@

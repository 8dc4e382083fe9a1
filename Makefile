# Two commands do everything from a fresh clone: `make` and `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test quick-test coverage lint docs site oldest newest bench clean

# The main job: every experiment and figure of the paper, at full size, and the page about them.
# PUBLISHED=FOLDER compares with other published results than those shipped with the package.
run: .venv/ready
	$(BIN)/peergauge reproduce --out out/reproduction --seed 1 $(if $(PUBLISHED),--published $(PUBLISHED))
	@echo "Open out/reproduction/index.html"

test: lint
	sh tests/browser/install.sh
	$(BIN)/python -m pytest -n 2

# The tests for the inner loop, in about a minute.
quick-test: .venv/ready
	$(BIN)/python -m pytest -n 2 -m "not slow and not browser and not statistical"

# Which lines no test runs. Slower than the tests alone, so it is a command of its own.
coverage: .venv/ready
	sh tests/browser/install.sh
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

# Write the reference pages anew from what mechanisms, strategies and the like declare.
docs: .venv/ready
	$(BIN)/python -m peergauge.pages.reference docs/reference

# The documentation as a site that needs no network; any warning is an error.
site: .venv/ready
	$(BIN)/python docs/site/build_site.py out/site
	@echo "Open out/site/index.html"

# The fast tests with the oldest and with the newest dependencies that pyproject.toml allows, each in
# an environment of its own. uv resolves both; pip cannot ask for the oldest.
oldest:
	sh tests/dependencies.sh oldest $(PYTHON)

newest:
	sh tests/dependencies.sh newest $(PYTHON)

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

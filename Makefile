# Two commands do everything from a fresh clone: `make` and `make test`.

PYTHON ?= python3
TESTS ?= full
BIN := .venv/bin

.PHONY: run test quick-test coverage mutants lint docs site oldest newest bench faults clean

# The main job: every experiment and figure of the paper, at full size, and the page about them.
# PUBLISHED=FOLDER compares with other published results than those shipped with the package.
run: .venv/ready
	$(BIN)/peergauge reproduce --out out/reproduction --seed 1 $(if $(PUBLISHED),--published $(PUBLISHED))
	@echo "Open out/reproduction/index.html"

test: lint
	sh tests/browser/install.sh
	sh tests/web/install.sh
	$(BIN)/python -m pytest -n 2

# The tests for the inner loop, in about four minutes; name a folder of tests for the inner loop of one
# part, as in `.venv/bin/python -m pytest tests/metrics`, which takes seconds.
quick-test: .venv/ready
	$(BIN)/python -m pytest -n 2 -m "not slow and not browser and not statistical"

# Which lines no test runs. Slower than the tests alone, so it is a command of its own.
coverage: .venv/ready
	sh tests/browser/install.sh
	sh tests/web/install.sh
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term

# Which small changes of the source no test notices, in a random sample, written to out/mutants.md:
# make mutants SAMPLE=200 SEED=1 OPTIONS=--again
SAMPLE ?= 60
SEED ?= 1

mutants: .venv/ready
	nice -n 10 $(BIN)/python -m mutants --sample $(SAMPLE) --seed $(SEED) $(OPTIONS)

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

# Every test in an environment of its own: on another version of Python, as in `make python3.12`, or with
# the oldest or the newest dependencies that pyproject.toml allows. TESTS=fast leaves out the slow ones.
# The version of Python is looked for by its name; PYTHON=/path/to/python names another interpreter.
python3.%:
	sh tests/environment.sh 3.$* $(TESTS) $(if $(filter file,$(origin PYTHON)),python3.$*,$(PYTHON))

oldest newest:
	sh tests/environment.sh $@ $(TESTS) $(PYTHON)

bench: .venv/ready
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.fitting
	$(BIN)/python -m benchmarks.grading
	$(BIN)/python -m benchmarks.regrading
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.experiments
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.large_semesters

# Kills, signals and dead workers, many times for every command that writes a folder.
faults: .venv/ready
	$(BIN)/python -m tests.faults --kills 20 --stops 6 --workers 4

clean:
	rm -rf .venv out

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@mkdir -p out
	@touch $@

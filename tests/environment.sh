#!/bin/sh
# Run the tests in an environment of its own: `sh tests/environment.sh WHICH [full|fast] [PYTHON]`.
#
# WHICH is a version of Python, such as 3.12, with the dependencies of constraints.txt; or `oldest` or
# `newest`, the oldest or the newest dependencies that pyproject.toml allows. uv resolves them, because
# pip cannot ask for the oldest. Tools for tests and pages are as new as these dependencies let them be.
set -eu
which=$1
tests=${2:-full}
python=${3:-python3}
home=out/environments/$which
constraints=$home/constraints.txt
warnings=""

case $which in
    # An old package may use what a newer one that it depends on deprecates; that is not our error.
    oldest) resolution=lowest-direct; warnings="-W default::DeprecationWarning" ;;
    newest) resolution=highest ;;
    3.*) resolution=""; constraints=constraints.txt ;;
    *) echo "Say oldest, newest or a version of Python such as 3.12, not '$which'." >&2; exit 2 ;;
esac
case $tests in
    full) chosen="" ;;
    fast) chosen="not slow and not browser and not statistical" ;;
    *) echo "Say full or fast, not '$tests'." >&2; exit 2 ;;
esac
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true)
case $which in
    3.*) wanted=$which ;;
    *) wanted=${found:-3.11} ;;
esac
if [ "$found" != "$wanted" ]; then
    here=${found:+Python $found}
    here=${here:-not here}
    echo "Python $wanted is needed, but '$python' is $here; install" \
        "Python $wanted, or name its interpreter by PYTHON=/path/to/python." >&2
    exit 2
fi

rm -rf "$home"
mkdir -p out/environments
"$python" -m venv "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check uv
install() { "$home/bin/uv" pip install --quiet --python "$home/bin/python" "$@"; }
if [ -n "$resolution" ]; then
    install --resolution "$resolution" --editable '.[lab,report,web]'
    "$home/bin/uv" pip freeze --python "$home/bin/python" | grep -v '^-e' >"$constraints"
fi
install --constraint "$constraints" --editable '.[dev]'
# Applications are tested by httpx2, and by httpx with older versions of Starlette.
[ "$which" != oldest ] || install --constraint "$constraints" httpx
"$home/bin/uv" pip freeze --python "$home/bin/python"

if [ "$tests" = full ]; then
    sh tests/browser/install.sh
    sh tests/web/install.sh
fi
"$home/bin/python" -m pytest -n 2 -m "$chosen" $warnings

#!/bin/sh
# Run the fast tests with the oldest or the newest dependencies: `sh tests/dependencies.sh oldest python3`.
# The library itself must work with the oldest versions of what it requires; tools for tests are the newest.
set -eu
which=$1
python=${2:-python3}
home=out/dependencies-$which
case $which in
    # An old package may use what a newer one that it depends on deprecates; that is not our error.
    oldest) resolution=lowest-direct; warnings="-W default::DeprecationWarning" ;;
    newest) resolution=highest; warnings="" ;;
    *) echo "Say oldest or newest, not '$which'." >&2; exit 2 ;;
esac
rm -rf "$home"
mkdir -p out
"$python" -m venv "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$home/bin/uv" pip install --quiet --python "$home/bin/python" --resolution "$resolution" --editable '.[lab,report]'
"$home/bin/uv" pip freeze --python "$home/bin/python" | grep -v '^-e' >"$home/constraints.txt"
"$home/bin/uv" pip install --quiet --python "$home/bin/python" --constraint "$home/constraints.txt" --editable '.[test]'
"$home/bin/uv" pip freeze --python "$home/bin/python"
# Pages and their tools are tested with the versions of constraints.txt alone.
"$home/bin/python" -m pytest -n 2 -m "not slow and not browser and not statistical" $warnings \
    --ignore tests/browser --ignore tests/documentation --ignore docs/site

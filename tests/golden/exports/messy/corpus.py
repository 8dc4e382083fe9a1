"""All cases of the corpus."""

from __future__ import annotations

from tests.golden.exports.messy import (
    columns,
    files,
    forms,
    grades,
    habits,
    layouts,
    people,
    phrases,
    tools,
    wild_cells,
    wild_files,
    wild_forms,
)
from tests.golden.exports.messy.kit import Case, cases_of

MODULES = (
    forms,
    layouts,
    columns,
    people,
    grades,
    files,
    wild_forms,
    wild_cells,
    wild_files,
    tools,
    habits,
)
CASES: list[Case] = [case for module in MODULES for case in cases_of(module)]
CASES += phrases.PHRASED_CASES

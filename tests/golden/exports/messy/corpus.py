"""All cases of the corpus."""

from __future__ import annotations

from tests.golden.exports.messy import columns, files, forms, grades, layouts, people
from tests.golden.exports.messy.kit import Case, cases_of

CASES: list[Case] = [
    case for module in (forms, layouts, columns, people, grades, files) for case in cases_of(module)
]

"""The gaming test of a week, as a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from peergauge.classroom.grade.gaming import GamingResult, measure_gaming
from peergauge.core.errors import ParameterError
from peergauge.engine.workers import cores
from peergauge.pages.gaming_section import gaming_section
from peergauge.tables import Scale
from peergauge.web.jobs.kinds import Tell, known_only, text, whole
from peergauge.web.jobs.plain import plain
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job
from peergauge.web.workbench import Workbench

GRADING_STEP, TESTING_STEP = "Grading the class", "Trying strategies in simulated classes"

MAX_REVISION_NUMBER = 10**9


@dataclass(frozen=True)
class GamingTest:
    """Tests whether students could gain by not reporting honestly.

    The parameters are the id of a ``week`` and the number of its ``revision``.
    """

    name: str = "gaming"
    steady: bool = True

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        known_only(parameters, ("week", "revision"))
        week = text(parameters, "week")
        if not week:
            raise ParameterError("The gaming test needs the id of a week; give 'week'.")
        return {"week": week, "revision": whole(parameters, "revision", 0, 1, MAX_REVISION_NUMBER)}

    def run(self, job: Job, store: Store, options: ServeOptions, tell: Tell) -> dict[str, Any]:
        tell(GRADING_STEP, 0, 0)
        week, number = store.week(job.parameters["week"]), job.parameters["revision"]
        state = store.revision(week.id, number).state
        graded = Workbench(store).graded(replace(week, revision=number, state=state))
        found = measure_gaming(
            graded.reports,
            graded.posterior,
            graded.mechanism.spec,
            seed=graded.settings.seed,
            workers=max(1, cores() // max(options.workers, 1)),
            progress=lambda done, of: tell(TESTING_STEP, done, of),
        )
        return {**gaming_result(found, graded.reports.scale), "revision": number}


def gaming_result(found: GamingResult, scale: Scale) -> dict[str, Any]:
    """The result of a gaming test as the page shows it, in plain values of JSON."""
    section = gaming_section(found, scale)
    chosen = {
        "recommendation": found.recommendation,
        "reason": found.reason,
        "classes": found.classes,
        "students": found.students,
        "strategies": section["strategies"],
        "table": [_row(*row) for row in section["table"]],
        "others": [_row(*row) for row in section["others"]],
        "model_errors": [
            {"model": label, "value": one.squared_error, "error": one.standard_error}
            for label, one in section["model_errors"]
        ],
        "quantile": section["quantile"],
    }
    made: dict[str, Any] = plain(chosen)
    return made


def _row(label: str, marks: str, integrity: Any, gains: list[Any]) -> dict[str, Any]:
    """The integrity of one mechanism, and the gain of each strategy under it."""
    return {
        "mechanism": label,
        "marks": marks,
        "integrity": integrity and _measured(integrity.integrity, integrity.standard_error),
        "gains": [one and _measured(one.gain, one.standard_error) for one in gains],
    }


def _measured(value: float, error: float) -> dict[str, float]:
    return {"value": value, "error": error}


kind = GamingTest()

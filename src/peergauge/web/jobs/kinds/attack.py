"""A search for the best attacks on a mechanism, as a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.engine.workers import cores
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.exploit import (
    ATTACK_KINDS,
    EVERYBODY,
    GRADER_TYPES,
    OTHERS_OUT_OF_100,
    AttackReport,
    exploit,
)
from peergauge.mechanisms import mechanisms
from peergauge.web.jobs import run_folder
from peergauge.web.jobs.kinds import Tell, known_only, others_out_of_100, text, texts, whole
from peergauge.web.jobs.plain import plain
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job

MAX_SEED = 2**31 - 1
EFFORTS = ("quick", "full")
DEFAULT_PARAMETERS: dict[str, Any] = {
    "mechanism": "mse-p",
    "population": "paper",
    "effort": "quick",
    "others": list(OTHERS_OUT_OF_100),
    "kinds": list(ATTACK_KINDS),
    "seed": 0,
}
"""What the form suggests."""


@dataclass(frozen=True)
class AttackSearch:
    """Searches for the strategies with which a grader gains most under one mechanism.

    The parameters are ``mechanism``, ``population``, ``effort`` (quick or full), ``others``
    (numbers of others, out of 100 graders, who follow the same strategy), ``kinds`` of strategies
    and ``seed``.
    """

    name: str = "attack"
    steady: bool = False

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        known_only(parameters, tuple(DEFAULT_PARAMETERS))
        spec = text(parameters, "mechanism")
        if not spec:
            raise ParameterError("The search needs a mechanism; choose one.")
        population = text(parameters, "population", "paper") or "paper"
        suite_setting(population)
        effort = text(parameters, "effort", "quick")
        if effort not in EFFORTS:
            raise UnknownNameError("effort", effort, EFFORTS)
        chosen = texts(parameters, "kinds", ATTACK_KINDS, len(ATTACK_KINDS))
        for one in chosen:
            if one not in ATTACK_KINDS:
                raise UnknownNameError("kind of strategies", one, ATTACK_KINDS)
        return {
            "mechanism": mechanisms.make(spec).spec,
            "population": population,
            "effort": effort,
            "others": others_out_of_100(parameters.get("others", list(OTHERS_OUT_OF_100))),
            "kinds": chosen,
            "seed": whole(parameters, "seed", 0, 0, MAX_SEED),
        }

    def run(
        self,
        job: Job,
        store: Store,  # noqa: ARG002
        options: ServeOptions,
        tell: Tell,
    ) -> dict[str, Any]:
        given = job.parameters
        found = exploit(
            given["mechanism"],
            run_folder(options, job.id),
            setting=suite_setting(given["population"]).environment,
            others=given["others"],
            kinds=cast(Any, given["kinds"]),
            types=(EVERYBODY,) if given["effort"] == "quick" else GRADER_TYPES,
            effort=given["effort"],
            seed=given["seed"],
            workers=max(1, cores() // max(options.workers, 1)),
            progress=tell,
        )
        made: dict[str, Any] = plain(attack_result(found))
        return made


def attack_result(found: AttackReport) -> dict[str, Any]:
    """The best attacks, and what they mean."""
    rows = found.to_polars().to_dicts() if found.attacks else []
    # The same order in every row.
    for row, attack in zip(rows, found.attacks, strict=True):
        row["clear"] = attack.clear
    return {
        "mechanism": found.mechanism,
        "tried": found.tried,
        "conclusion": conclusion(found),
        "attacks": rows,
    }


def conclusion(found: AttackReport) -> str:
    """One or two sentences on the attack that gains most."""
    if not found.attacks:
        return "No strategy of these kinds can be tried."
    clear = [one for one in found.attacks if one.clear]
    if not clear:
        return (
            f"{found.tried} strategies were tried, and none of them gains clearly more than "
            "truthful reporting does."
        )
    best = max(clear, key=lambda one: one.ranks)
    others = (
        "all others are truthful"
        if best.others == 0
        else f"{best.others} out of 100 graders follow the same strategy"
    )
    words = best.in_words()
    return (
        f"{found.tried} strategies were tried. The best of them gains {best.ranks:.1f} ± "
        f"{best.ranks_error:.1f} ranks out of 100 if {others}: {words[:1].lower()}{words[1:]}."
    )


kind = AttackSearch()

"""Clusters that have other versions of Dask are refused before anything is sent to them."""

from __future__ import annotations

from typing import Any

import pytest

from peergauge.core.errors import WorkerError
from peergauge.engine.cluster import refuse_other_dask

HERE, ADDRESS, WORKER = "2026.8.0", "tcp://10.0.0.1:8786", "tcp://10.0.0.2:4000"


def found(scheduler: str = HERE, worker: str = HERE) -> dict[str, Any]:
    """What Dask says of a client, a scheduler and one worker."""

    def packages(version: str) -> dict[str, Any]:
        return {"packages": {"distributed": version, "numpy": "2.0"}}

    return {
        "client": packages(HERE),
        "scheduler": packages(scheduler),
        "workers": {WORKER: packages(worker)},
    }


def test_the_same_version_everywhere_is_accepted() -> None:
    refuse_other_dask(found(), ADDRESS)
    refuse_other_dask({**found(), "workers": {}}, ADDRESS)


@pytest.mark.parametrize(
    ("other", "who"), [("scheduler", f"scheduler at {ADDRESS}"), ("worker", f"worker at {WORKER}")]
)
def test_another_version_is_refused_with_the_machine_that_has_it(other: str, who: str) -> None:
    with pytest.raises(WorkerError) as refused:
        refuse_other_dask(found(**{other: "2025.1.0"}), ADDRESS)
    assert f"{who} has version 2025.1.0 of Dask, and this machine has {HERE}" in str(refused.value)

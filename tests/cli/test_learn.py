"""The command that lets classes learn: what it says, what it writes, what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_cli import refusal, run

SMALL = ("--students", "16", "--assignments", "2", "--workers", "1")


@pytest.mark.slow
def test_one_strategy_is_answered_by_its_phase_line(tmp_path: Path) -> None:
    out = tmp_path / "two"
    words = ("learn", "mse", "--strategy", "all-tens", "--starts", "4", *SMALL, "-o", str(out))
    done = run(*words)
    assert done.returncode == 0, done.stderr
    first, *written = done.stdout.splitlines()
    assert first.startswith("Against all-tens: from ")
    assert "all-tens takes over if more than" in first
    assert [Path(line).name for line in written] == [
        "results.parquet",
        "learning_phase_lines.svg",
        "learning_phase_lines.png",
        "learning_gains.svg",
        "learning_gains.png",
    ]
    assert all(Path(line).is_file() for line in written)
    # The same again goes on where it was, which is at the end.
    assert run(*words).stdout == done.stdout


@pytest.mark.slow
def test_several_strategies_are_answered_by_where_classes_end(tmp_path: Path) -> None:
    done = run(
        "learn", "mse", "--strategy", "hedge", "--strategy", "prior", "--starts", "2", *SMALL,
        "--dynamic", "replicator", "-o", str(tmp_path / "three"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if not line.startswith(str(tmp_path))]
    assert said[0] == "Under the dynamic replicator:"
    starts = ("starting mixtures", "mixtures near truthful", "near hedge", "near prior")
    assert said[-1].endswith("the best single strategy would have (external regret).")
    for start, line in zip(starts, said[1:-1], strict=True):
        assert line.startswith("  From ")
        assert start in line
    drawn = {path.stem for path in (tmp_path / "three" / "figures").iterdir()}
    assert drawn == {"learning_fates", "learning_three"}


@pytest.mark.slow
def test_students_who_learn_alone_have_one_learner() -> None:
    few = ("--strategy", "all-tens", "--starts", "1", *SMALL, "--alone")
    done = run("learn", "mse", *few)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Under the dynamic exp3:\n  From ")
    assert "give one of the two" in refusal("learn", "mse", *few, "--dynamic", "logit")


@pytest.mark.slow
def test_a_cluster_finds_the_same() -> None:
    words = ("learn", "mse", "--strategy", "all-tens", "--starts", "3", *SMALL)
    here, there = run(*words), run(*words, "--cluster", "local")
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mse-q",), "did you mean 'mse"),
        (("mse", "--dynamic", "replicater"), "did you mean 'replicator'"),
        (("mse", "--strategy", "hege"), "did you mean 'hedge'"),
        (("mse", "--students", "9"), "need a class of more than 30"),
        (
            ("mse", "--unaware", "--strategy", "hedge"),
            "--unaware chooses among the paper's strategies",
        ),
        (("mse", "--cluster", "here:8786"), "'here:8786' is no address of a Dask scheduler"),
    ],
)
def test_what_is_typed_wrong_is_told_in_a_sentence(words: tuple[str, ...], told: str) -> None:
    assert told in refusal("learn", *words)

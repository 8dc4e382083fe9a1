"""The settings file: written, changed, read, merged and refused."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.settings import (
    AppealNotice,
    FinalRules,
    GradeRules,
    OwedRules,
    Settings,
)
from peergauge.classroom.grade.settings_file import (
    SETTING_COMMENTS,
    Source,
    earlier_settings,
    given_settings,
    merged_settings,
    parsed_settings,
    read_settings,
    settings_text,
)
from peergauge.core.errors import ParameterError, TableError

STEPS = st.one_of(st.none(), st.sampled_from([0.1, 0.5, 1.0, 2.5]))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SETTINGS = st.builds(
    Settings,
    course=TEXTS,
    assignment_title=TEXTS,
    mechanism=st.sampled_from(["", "oa", "mse-p:bias=correct"]),
    points=st.sampled_from(["5..10", "A:50,B:50", "A>=-0.5,B"]),
    level=st.floats(0.01, 0.99),
    budget=st.integers(0, 100),
    seed=st.integers(0, 2**40),
    ignore_staff=st.booleans(),
    grades=st.builds(
        GradeRules,
        round_to=STEPS,
        halves=st.sampled_from(["up", "even"]),
        letters=st.sampled_from(["", "A>=90%,B"]),
        curve_mean=st.floats(0, 10),
        curve_sd=STEPS,
    ),
    final=st.builds(FinalRules, missing=st.sampled_from(["empty", "zero", "ignore"])),
    owed=st.builds(OwedRules, rule=st.sampled_from(["none", "per review"]), most=STEPS),
    appeal=st.builds(AppealNotice, text=TEXTS, until=st.sampled_from(["", "2026-11-30"])),
)


def read(text: str, folder: Path) -> Settings:
    """The settings of a file with some text."""
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return merged_settings(read_settings(path))


@given(settings=SETTINGS)
def test_a_written_file_gives_the_same_settings(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert read(settings_text(settings), tmp_path_factory.mktemp("settings")) == settings


def test_every_setting_has_a_comment_and_every_comment_a_setting() -> None:
    written = tomllib.loads(settings_text(Settings()))
    sections = {key: value for key, value in written.items() if isinstance(value, dict)}
    inner = {f"{key}.{one}" for key, value in sections.items() for one in value}
    assert {*written, *inner} == set(SETTING_COMMENTS)


def test_one_changed_line_changes_one_setting(tmp_path: Path) -> None:
    text = settings_text(Settings()).replace("use = false", "use = true")
    assert read(text, tmp_path) == Settings(final=FinalRules(use=True))
    assert read("[grades]\nround_to = 1\n", tmp_path) == Settings(grades=GradeRules(round_to=1.0))
    assert read("[appeal]\nuntil = 2026-11-30\n", tmp_path).appeal.until == "2026-11-30"


def test_later_sources_win_key_by_key() -> None:
    earlier = Source("one", {"budget": 3, "final": {"use": True, "work": 60.0, "reviewing": 40.0}})
    file = Source("two", {"final": {"out_of": 20.0}, "budget": 4})
    line = Source("", {"budget": 5})
    found = merged_settings(earlier, file, line)
    assert found.budget == 5
    assert found.final == FinalRules(use=True, work=60, reviewing=40, out_of=20)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levle = 1", "no setting 'levle'; did you mean 'level'?"),
        ("[final]\nwrk = 1", r"section \[final\]: there is no setting 'wrk'; did you mean 'work'?"),
        ("round_to = 1", r"it belongs into the section \[grades\]"),
        ("[owed]\nbudget = 1", "it belongs above all sections"),
        ("[zzz]\na = 1", "there is no setting 'zzz'; its keys are course"),
        ("final = 3", r"key 'final': a section \[final\] was expected"),
        ("level = '0.9'", "key 'level': a number was expected, not \"0.9\""),
        ("level = nan", "key 'level': a number was expected"),
        ("level = true", "key 'level': a number was expected, not true"),
        ("level = 2", "key 'level': The level of intervals"),
        ("budget = 3.5", "key 'budget': a whole number was expected, not 3.5"),
        ("course = 3", "key 'course': a text in quotes was expected"),
        ("[final]\nuse = 1", "key 'final.use': true or false was expected"),
        ("[final]\nwork = 70", "key 'final.work': The shares"),
        ("[final]\nwork = 70\nreviewing = 40", "key 'final.work': The shares"),
        ("[grades]\nround_to = 'x'", 'a number or "none" was expected'),
        ("[grades]\nround_to = -1", "key 'grades.round_to': Grades are rounded"),
        ("[grades]\nhalves = 'down'", 'one of "up", "even" was expected'),
        ("points = 'A:50,B:50'\n[final]\nuse = true", "keys contradict each other: The points"),
        ("a = [", "is not a settings file in TOML"),
        ("[final]\nwork = 80\n[final]\n", "is not a settings file in TOML"),
    ],
)
def test_wrong_files_are_refused_with_file_and_key(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=said) as refused:
        read(text, tmp_path)
    assert "settings.toml" in str(refused.value)


def test_files_that_are_no_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be opened"):
        read_settings(tmp_path / "gone.toml")
    (tmp_path / "image.toml").write_bytes(b"\x89PNG\xff\x00")
    with pytest.raises(ParameterError, match="is not a settings file"):
        read_settings(tmp_path / "image.toml")


def test_settings_of_an_earlier_run_hold_except_titles_and_days() -> None:
    before = Settings(
        course="Logic",
        assignment_title="Essay 1",
        budget=3,
        grades=GradeRules(round_to=0.5),
        appeal=AppealNotice("Write to us.", "2026-11-30"),
    )
    found = merged_settings(earlier_settings(asdict(before)))
    kept = replace(before, assignment_title="", appeal=AppealNotice("Write to us."))
    assert found == kept


def test_audits_of_other_versions_give_what_is_known() -> None:
    old = {"mechanism": "", "points": "5..10", "level": 0.8, "budget": 3, "model": {}, "seed": 1}
    assert merged_settings(earlier_settings(old)) == Settings(level=0.8, budget=3, seed=1)
    newer = {"level": "high", "final": {"use": True, "colour": 3}, "something": 1, "owed": None}
    assert merged_settings(earlier_settings(newer)) == Settings(final=FinalRules(use=True))
    assert merged_settings(earlier_settings(None)) == Settings()


def test_days_in_a_settings_file_are_texts_that_json_can_hold() -> None:
    said = parsed_settings("course = 2026-01-02\n[appeal]\nuntil = 2026-11-30\n", "The file")
    assert said == {"course": "2026-01-02", "appeal": {"until": "2026-11-30"}}
    assert json.loads(json.dumps(said)) == said
    assert merged_settings(given_settings(said, "The file")).appeal.until == "2026-11-30"


@pytest.mark.parametrize("value", ["2026-11-30T10:00:00", "10:00:00", "2026-11-30T10:00:00Z"])
def test_a_time_is_no_day(value: str) -> None:
    with pytest.raises(ParameterError, match="a text in quotes was expected"):
        parsed_settings(f"[appeal]\nuntil = {value}\n", "The file")


def test_a_number_that_no_float_can_hold_is_refused() -> None:
    for path in ("level", "grades.round_to"):
        section, _, key = path.rpartition(".")
        said = {section: {key: 10**400}} if section else {key: 10**400}
        with pytest.raises(ParameterError, match=f"key '{path}'"):
            given_settings(said, "The file")

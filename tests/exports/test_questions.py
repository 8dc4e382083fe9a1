from __future__ import annotations

import json

import pytest

from peergauge.core.errors import ParameterError
from peergauge.exports.questions import (
    Choice,
    Dialogue,
    Interpretation,
    OpenQuestionsError,
    Question,
    map_line,
)

TWICE = Question(
    key="duplicates",
    text="3 reviews are given twice; which of them counts?",
    choices=(Choice("newest", "the later one counts"), Choice("first", "the earlier one counts")),
    default="newest",
    about="form.csv",
)
SCALE = Question(
    key="scale",
    text="Which grades could be given?",
    choices=(Choice("0..10", "from 0 to 10"),),
    default="0..10",
    form="LOW..HIGH",
)


def test_a_question_without_an_answer_takes_its_default_and_stays_open() -> None:
    talk = Dialogue()
    assert talk.ask(TWICE) == "newest"
    assert talk.unanswered == (TWICE,)


def test_an_answer_may_be_written_in_any_case() -> None:
    talk = Dialogue({"duplicates": " First "})
    assert talk.ask(TWICE) == "first"
    assert talk.unanswered == ()


def test_an_answer_that_is_no_choice_is_refused() -> None:
    with pytest.raises(ParameterError, match="'best' to the question 'duplicates' is none of new"):
        Dialogue({"duplicates": "best"}).ask(TWICE)


def test_a_question_with_a_form_takes_free_answers() -> None:
    assert Dialogue({"scale": "1..6"}).ask(SCALE) == "1..6"


def test_a_question_is_recorded_once() -> None:
    talk = Dialogue()
    assert [talk.ask(TWICE), talk.ask(TWICE)] == ["newest", "newest"]
    assert talk.asked == [TWICE]


def test_learnt_answers_do_not_replace_given_ones() -> None:
    talk = Dialogue({"scale": "1..6"})
    talk.learn({"scale": "0..5", "duplicates": "first"})
    assert talk.answers == {"scale": "1..6", "duplicates": "first"}


def test_a_default_is_one_of_the_choices() -> None:
    with pytest.raises(ValueError, match="default"):
        Question("k", "t", (Choice("a", "b"),), "c")
    with pytest.raises(ValueError, match="twice"):
        Question("k", "t", (Choice("a", "b"), Choice("a", "c")), "a")


def test_an_interpretation_is_plain_data() -> None:
    talk = Dialogue({"scale": "0..10", "unasked": "x"})
    talk.ask(TWICE)
    talk.ask(SCALE)
    talk.decide("columns", "'who' is the grader.", evidence="by its header", confidence="certain")
    found = Interpretation.of(talk, [{"row": 2, "grader": "ada"}])
    assert found.open_questions == (TWICE,)
    assert found.defaults == {"duplicates": "newest"}
    said = json.loads(json.dumps(found.as_json()))
    assert said["open"] == ["duplicates"]
    assert said["answers"] == {"scale": "0..10"}
    assert said["questions"][0]["choices"][1] == {
        "value": "first",
        "meaning": "the earlier one counts",
    }
    assert said["decisions"][0]["confidence"] == "certain"


def test_the_refusal_names_the_flag_and_the_line_of_the_map() -> None:
    error = OpenQuestionsError([TWICE, SCALE])
    assert "form.csv: 3 reviews are given twice" in str(error)
    assert "--answer duplicates=newest (or first)" in str(error)
    assert 'duplicates = "newest"' in str(error)
    assert "1 more" in str(error)
    assert error.questions == (TWICE, SCALE)


def test_a_line_of_a_map_quotes_what_toml_would_misread() -> None:
    assert map_line("self-reviews: Is self?", "yes") == '"self-reviews: Is self?" = "yes"'


def test_a_remembered_answer_holds_if_it_is_still_possible() -> None:
    talk = Dialogue(remembered={"duplicates": "first"})
    assert talk.ask(TWICE) == "first"
    assert not talk.unanswered
    assert Interpretation.of(talk).answers == {"duplicates": "first"}
    assert (
        Dialogue({"duplicates": "newest"}, remembered={"duplicates": "first"}).ask(TWICE)
        == "newest"
    )
    changed = Dialogue(remembered={"duplicates": "no more"})
    assert changed.ask(TWICE) == "newest"
    assert changed.unanswered == (TWICE,)


def test_choices_that_differ_only_in_case_are_told_apart() -> None:
    names = (Choice("Ada", "one"), Choice("ada", "the other"))
    question = Question("renamed", "Who is it?", names, "Ada")
    assert Dialogue({"renamed": "ada"}).ask(question) == "ada"
    assert Dialogue({"renamed": "Ada"}).ask(question) == "Ada"
    with pytest.raises(ParameterError, match="none of Ada, ada"):
        Dialogue({"renamed": "ADA"}).ask(question)

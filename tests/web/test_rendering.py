"""Templates and files of the screens: escaped, complete, and all of this package or of htmx."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from peergauge.web.rendering import ASSET_TYPES, asset, command_line, environment


def test_texts_are_escaped_and_missing_values_are_errors() -> None:
    made = environment()
    assert made.from_string("{{ x }}").render(x="<b>'\"&") == "&lt;b&gt;&#39;&#34;&amp;"
    with pytest.raises(Exception, match="undefined"):
        made.from_string("{{ missing }}").render()


@pytest.mark.parametrize("name", sorted(ASSET_TYPES))
def test_files_are_there_and_load_nothing(name: str) -> None:
    text = asset(name).decode()
    assert len(text) > 500
    if name != "htmx.js":
        assert not re.search(r"https?://|@import|url\((?!#|data:)", text)


def test_no_template_switches_escaping_off_or_has_a_script_of_its_own() -> None:
    folder = files("peergauge.web").joinpath("templates")
    texts = {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir()}
    assert len(texts) > 20
    for name, text in texts.items():
        assert "|safe" not in text.replace(" ", ""), name
        assert "autoescape" not in text, name
        assert not re.search(r"<script(?! src=\"/static/)", text), name
        assert not re.search(r"\son[a-z]+=", text), name


def test_a_command_can_be_pasted_into_a_shell() -> None:
    import shlex

    words = ("peergauge", "grade", "it's; rm -rf $HOME.csv", "--scale", "0..10", "")
    assert tuple(shlex.split(command_line(*words))) == words

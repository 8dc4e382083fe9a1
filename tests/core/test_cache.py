"""The cache: made once, made again if damaged, and never needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.cache import CACHE_FOLDER_VARIABLE, cache_folder, cached_text


class Maker:
    """Makes a text, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        return "Zoë\r\n</script>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_FOLDER_VARIABLE, str(tmp_path / "new" / "cache"))
    return cache_folder()


def test_a_text_is_made_once_and_comes_back_letter_by_letter(folder: Path) -> None:
    make = Maker()
    assert cached_text("a-1.js", make) == cached_text("a-1.js", make) == "Zoë\r\n</script>\n"
    assert make.times == 1
    assert [path.name for path in folder.iterdir()] == ["a-1.js"]
    cached_text("a-2.js", make)
    assert make.times == 2


@pytest.mark.parametrize("damage", [b"", b"\n", b"\xff\xfe", b"half"])
def test_a_damaged_file_is_made_again(folder: Path, damage: bytes) -> None:
    make = Maker()
    cached_text("a.js", make)
    whole = (folder / "a.js").read_bytes()
    (folder / "a.js").write_bytes(whole[:-3] if damage == b"half" else damage)
    assert cached_text("a.js", make) == "Zoë\r\n</script>\n"
    assert make.times == 2
    assert (folder / "a.js").read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(CACHE_FOLDER_VARIABLE, str(tmp_path / "file"))
    assert cached_text("a.js", Maker()) == "Zoë\r\n</script>\n"

"""Builds the wheel of this package with the standard library alone, so that tests need no network.

A real package would use hatchling, setuptools or another build backend.
"""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def build_wheel(
    wheel_directory: str,
    config_settings: Any = None,
    metadata_directory: str | None = None,
) -> str:
    """Write the wheel, and return its name."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    groups = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in points.items()), ""])
        for group, points in project["entry-points"].items()
    ]
    about = f"{name}-{version}.dist-info"
    files = {
        str(path.relative_to(HERE)): path.read_text(encoding="utf-8")
        for path in sorted((HERE / name).glob("*.py"))
    }
    files |= {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: plain\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{about}/entry_points.txt": "\n".join(groups),
    }
    files[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"])
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel

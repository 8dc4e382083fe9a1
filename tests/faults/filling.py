"""Runs commands on disks that are too small for them, and again when there is room."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from tests.faults.commands import Command, contents, different

ROOM_KILOBYTES = 2**15
"""Size of a disk that has room for everything."""


def fill_and_compare(
    command: Command, class_folder: Path, disk: Path, whole: Path, rng: random.Random
) -> str:
    """Run a command on a small disk in memory, and then on a large one; only root can.

    Return what is wrong, if anything: another answer than one sentence that names a file, or files
    that differ from those of an undisturbed run in the end.
    """
    needed = sum(one.stat().st_size for one in whole.rglob("*") if one.is_file()) // 1024 + 1
    disk.mkdir()
    _mount(disk, f"size={max(8, round(needed * rng.random()))}k")
    try:
        out = disk / "out"
        process = command.start(class_folder, out)
        _, said = process.communicate(timeout=600)
        if process.returncode != 0:
            error = said.splitlines()[-1]
            if "Traceback" in said or not error.startswith("Error: ") or str(disk) not in error:
                return f"on a full disk: {said}"
        _mount(disk, f"remount,size={ROOM_KILOBYTES}k")
        command.finish(class_folder, out)
        differ = different(contents(out, command), contents(whole, command))
        return f"after a full disk, these files differ: {differ}" if differ else ""
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _mount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], check=True)

"""Ends commands at random moments, and runs them again to the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from peergauge.cli._loading import CONTINUE_AGAIN, START_AGAIN
from tests.faults.commands import Command, contents, different

MAX_EXIT_SECONDS = 30
"""Seconds in which all processes of an ended command must be gone."""


@dataclass
class Tally:
    """What happened in one folder.

    Parameters
    ----------
    ended
        How many times the command was ended before it was done.
    faults
        What went wrong, as sentences.
    """

    ended: int = 0
    faults: list[str] = field(default_factory=list)


def survivors(session: int, seconds: float = MAX_EXIT_SECONDS) -> list[str]:
    """The command lines of processes of a session that live on after some seconds."""
    until = time.monotonic() + seconds
    while alive := members(session):
        if time.monotonic() > until:
            return [_words(one) for one in alive]
        time.sleep(0.1)
    return []


def members(session: int) -> list[psutil.Process]:
    """The living processes of a session."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return str(process.pid)


def end_at_random(
    command: Command, class_folder: Path, out: Path, seconds: float, rng: random.Random
) -> bool:
    """Kill a command within some seconds, all of its processes or only the first one.

    Return whether it was killed before it was done.
    """
    process = command.start(class_folder, out, stderr=subprocess.DEVNULL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(rng.uniform(0, seconds))
    with suppress(ProcessLookupError):
        if rng.random() < 0.5:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    left = survivors(process.pid)
    assert not left, f"processes live on after their command: {left}"
    return process.returncode == -signal.SIGKILL


def kill_and_compare(
    command: Command, class_folder: Path, folder: Path, *, kills: int, seconds: float, seed: int
) -> Tally:
    """Kill a command some times in one folder, run it to the end, and compare with a whole run.

    Parameters
    ----------
    folder
        Has the folder ``whole`` of an undisturbed run.
    seconds
        The command is killed within so many seconds.
    """
    rng, tally, out = random.Random(seed), Tally(), folder / f"killed-{seed}"
    for _ in range(kills):
        tally.ended += end_at_random(command, class_folder, out, seconds, rng)
    process = command.start(class_folder, out)
    _, said = process.communicate(timeout=600)
    if process.returncode != 0:
        tally.faults.append(f"it could not be run again: {said.strip()}")
    elif differ := different(contents(out, command), contents(folder / "whole", command)):
        tally.faults.append(f"these files differ: {', '.join(differ)}")
    return tally


def stop_and_listen(
    command: Command,
    class_folder: Path,
    out: Path,
    number: signal.Signals,
    seconds: float,
    rng: random.Random,
) -> str:
    """Send a signal to all processes of a command within some seconds, as a terminal does.

    Return what is wrong with its answer, if anything.
    """
    process = command.start(class_folder, out)
    with suppress(subprocess.TimeoutExpired):
        process.wait(rng.uniform(0, seconds))
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    _, said = process.communicate(timeout=MAX_EXIT_SECONDS * 2)
    # Python was about to end, or had not begun yet.
    if process.returncode == 0 or (process.returncode == -number and "Traceback" not in said):
        return ""
    lines = [one for one in said.splitlines() if one.startswith("Stopped")]
    # A command that continues says so as soon as it has begun.
    known = {START_AGAIN, *([CONTINUE_AGAIN] if command.is_resumed else ())}
    one = len(lines) == 1 and lines[0] in known
    if process.returncode != 128 + number or not one or "Traceback" in said:
        return f"{number.name}: exit code {process.returncode}, {said.strip()!r}"
    left = survivors(process.pid)
    return f"processes live on: {left}" if left else ""


def kill_a_worker(
    command: Command, class_folder: Path, out: Path, seconds: float, rng: random.Random
) -> Tally:
    """Kill one process that computes for a command within some seconds, and let the command go on.

    A command that ends with a sentence is run again to the end.
    """
    tally = Tally()
    process = command.start(class_folder, out)
    until = time.monotonic() + rng.uniform(0, seconds)
    workers: list[psutil.Process] = []
    while process.poll() is None and (time.monotonic() < until or not workers):
        time.sleep(0.02)
        workers = [one for one in members(process.pid) if "spawn_main" in _words(one)]
    if workers:
        with suppress(psutil.Error):
            rng.choice(workers).kill()
            tally.ended = 1
    _, said = process.communicate(timeout=600)
    if process.returncode != 0:
        if "Traceback" in said or not said.splitlines()[-1].startswith("Error: "):
            tally.faults.append(said)
        command.finish(class_folder, out)
    if left := survivors(process.pid):
        tally.faults.append(f"processes live on: {left}")
    return tally

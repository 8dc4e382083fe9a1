"""Kill every command many times: ``python -m tests.faults [COMMAND ...] --kills 20``.

The tests beside this file try a sample of the same. All moments are drawn from the seed, but where
they hit a command depends on the speed of the machine.
"""

from __future__ import annotations

import argparse
import random
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.commands import COMMANDS, Command, contents, different
from tests.faults.filling import fill_and_compare
from tests.faults.killing import kill_a_worker, kill_and_compare, stop_and_listen

KILLS_PER_FOLDER = 4
"""Times that a command is killed before it is run to the end."""


def main() -> None:
    """Read the command line, and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(COMMANDS)}")
    parser.add_argument("--kills", type=int, default=20, help="for each command")
    parser.add_argument("--stops", type=int, default=0, help="by SIGINT and SIGTERM in turn")
    parser.add_argument("--workers", type=int, default=0, help="runs in which a worker is killed")
    parser.add_argument("--disks", type=int, default=0, help="small disks, mounted by root")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        class_folder = folder / "class"
        COMMANDS["simulate"].finish(class_folder, class_folder)
        for name in given.commands or COMMANDS:
            place = folder / name
            place.mkdir()
            print(name, _tried(COMMANDS[name], class_folder, place, given), flush=True)  # noqa: T201


def _tried(command: Command, class_folder: Path, place: Path, given: argparse.Namespace) -> str:
    """What happened, as the rest of a line."""
    begin = time.monotonic()
    command.finish(class_folder, place / "whole")
    seconds = time.monotonic() - begin
    folders = -(-given.kills // KILLS_PER_FOLDER)
    ended, faults = 0, []
    for number in range(folders):
        tally = kill_and_compare(
            command, class_folder, place, kills=KILLS_PER_FOLDER, seconds=seconds,
            seed=given.seed + number,
        )  # fmt: skip
        ended += tally.ended
        faults += tally.faults
    said = f"killed {ended} times in {folders} folders, {folders - len(faults)} of them identical"
    if given.stops:
        said += f"; stopped {given.stops} times"
    rng, answers, workers = random.Random(given.seed), [], 0
    for number in range(given.stops):
        which = (signal.SIGINT, signal.SIGTERM)[number % 2]
        out = place / f"stopped-{number}"
        answers.append(stop_and_listen(command, class_folder, out, which, seconds, rng))
    for number in range(given.workers if "--workers" in command.words else 0):
        out = place / f"worker-{number}"
        tally = kill_a_worker(command, class_folder, out, seconds, rng)
        workers += tally.ended
        differ = different(contents(out, command), contents(place / "whole", command))
        answers += [*tally.faults, *([f"these files differ: {differ}"] if differ else [])]
    if workers:
        said += f"; killed {workers} workers"
    for number in range(given.disks):
        disk = place / f"disk-{number}"
        answers.append(fill_and_compare(command, class_folder, disk, place / "whole", rng))
    if given.disks:
        said += f"; {given.disks} small disks"
    wrong = [*faults, *filter(None, answers)]
    return "\n  ".join([f"{said}; {len(wrong)} faults", *wrong])


if __name__ == "__main__":
    main()

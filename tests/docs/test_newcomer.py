"""Ten tasks of a newcomer (`newcomer.md`): each mistake ends in a short message that leads to the right program."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import inlay

PAGE = Path(__file__).parent / "newcomer.md"
FRAME_OF_OURS = rf'File "{re.escape(os.path.dirname(inlay.__file__))}'
MOST_LINES = 25
"""Lines on standard error that a mistake may cost."""
MOST_FRAMES = 1
"""Frames of the library that it may show: the `__getattr__` of a namespace cannot drop its own."""
MOST_TRIES = 3


class Program(NamedTuple):
    """A program of a task.

    Attributes:
      language: "python" or "sh".
      text: the program.
      shown: the words that standard error holds, or, of the last program, the output.
    """

    language: str
    text: str
    shown: list[str]


class Task(NamedTuple):
    """A task: its title, the packages that it needs, its programs."""

    title: str
    needs: list[str]
    programs: list[Program]


def tasks() -> list[Task]:
    """The tasks of the page."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return [
        Task(
            section.partition("\n")[0],
            re.findall(r"^It needs (\w+)\.$", section, re.M),
            [
                Program(language, text, shown.splitlines())
                for language, text, shown in re.findall(
                    r"^```(python|sh)\n(.*?)^```\n\n```text\n(.*?)^```$", section, re.M | re.S
                )
            ],
        )
        for section in sections
    ]


def run(program: Program, folder: Path) -> subprocess.CompletedProcess[str]:
    if program.language == "sh":
        text = program.text.replace("inlay ", f"'{sys.executable}' -m inlay ")
        command = ["sh", "-c", text]
    else:
        (folder / "task.py").write_text(program.text)
        command = [sys.executable, "task.py"]
    environment = {name: value for name, value in os.environ.items() if name != "INLAY_FULL_TRACEBACK"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=55)


TASKS = tasks()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.title.partition(".")[0])
def test_each_mistake_leads_to_the_right_program(task: Task, tmp_path: Path) -> None:
    if absent := [name for name in task.needs if importlib.util.find_spec(name) is None]:
        pytest.skip(f"needs {', '.join(absent)}")
    for program in task.programs[:-1]:
        done = run(program, tmp_path)
        if done.returncode == 0 and program.language == "sh":  # a step on the way
            assert [words for words in program.shown if words not in done.stdout] == []
            continue
        assert [words for words in program.shown if words not in done.stderr] == [], done.stderr
        assert len(done.stderr.splitlines()) <= MOST_LINES, done.stderr
        assert len(re.findall(FRAME_OF_OURS, done.stderr)) <= MOST_FRAMES, done.stderr
        where = next((n for n, line in enumerate(program.text.splitlines(), 1) if "# here" in line), None)
        if where is not None:
            lines = [int(line) for line in re.findall(r'^ *File "[^"]*task\.py", line (\d+)', done.stderr, re.M)]
            assert lines[-1] == where, done.stderr
    done = run(task.programs[-1], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    if task.programs[-1].language == "sh":
        assert [words for words in task.programs[-1].shown if words not in done.stdout] == []
    else:
        assert done.stdout.splitlines() == task.programs[-1].shown


def test_there_are_ten_with_few_tries() -> None:
    assert len(TASKS) == 10
    for task in TASKS:
        mistakes = [p for p in task.programs[:-1] if p.language == "python"]
        assert task.programs and len(mistakes) < MOST_TRIES, task.title

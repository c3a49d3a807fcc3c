"""The page of the command line: its examples parse, and the shell completes commands and options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.command_line import GROUP, PAGE, commands

EXAMPLES = [example for _, command in commands() for example in command.examples]


def words(example: str) -> list[str]:
    """The words of a command line behind the variables that it sets and before the file that it writes."""
    line = shlex.split(re.sub(r" > \S+$", "", example))
    return line[line.index("inlay") + 1 :]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_right(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    name, *arguments = words(example)
    command = dict(commands())[name]
    command.make_context(name, arguments, parent=GROUP)  # a wrong command line raises UsageError


def test_every_command_has_an_example_and_is_in_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, command in commands():
        assert command.examples and f"](#inlay-{name})" in page, name


def test_the_help_shows_the_examples() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inlay", "coverage", "--help"], capture_output=True, text=True, timeout=55
    )
    assert done.stdout.endswith(
        "\nExamples:\n  inlay coverage train.py\n  inlay coverage . --json\n  inlay coverage . --fail-under 95\n"
        "  inlay coverage saved_model/ frozen.pb model.ckpt-100\n"
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("inlay co", {"convert", "coverage"}),
        ("inlay ch", {"check"}),
        ("inlay coverage --j", {"--json"}),
        ("inlay s", {"server", "show", "sign"}),
    ],
)
def test_the_shell_completes(typed: str, offered: set[str]) -> None:
    variables = {"_INLAY_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    code = "import sys; sys.argv[0] = 'inlay'; from inlay._src.tools.command import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, timeout=55
    )
    assert {line.partition(",")[2] for line in done.stdout.split()} == offered, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_of_the_page_gets_its_script(shell: str) -> None:
    assert f"_INLAY_COMPLETE={shell}_source inlay" in PAGE.read_text(encoding="utf-8")

"""The commands in docs/command_line.md, from the parsers of `inlay`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from inlay._src.tools.command import main
from inlay._src.tools.commands.output import Command

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "command_line.md"
MARK = "<!-- Below: written by scripts/update_generated.py from the parsers. Change those. -->\n"


GROUP = click.Context(main, info_name="inlay", **main.context_settings)


def commands() -> Iterator[tuple[str, Command]]:
    """The name and the parser of each command."""
    for name in main.list_commands(GROUP):
        command = main.get_command(GROUP, name)
        assert isinstance(command, Command)
        yield name, command


def section(name: str, command: Command) -> str:
    """The part of the page about a command: its usage, its help, its options, its examples."""
    context = click.Context(command, parent=GROUP, info_name=name)
    usage = " ".join([f"inlay {name}", *command.collect_usage_pieces(context)])
    lines = [f"## `inlay {name}`", "", "```text", usage, "```", "", _linked(inspect.cleandoc(command.help or "")), ""]
    records = [parameter.get_help_record(context) for parameter in command.params]
    options = [f"| `{_cell(record[0])}` | {_linked(_cell(record[1]))} |" for record in records if record and record[1]]
    if options:
        lines += ["| option | meaning |", "|---|---|", *options, ""]
    return "\n".join([*lines, "```sh", *command.examples, "```"]) + "\n"


def _cell(text: str) -> str:
    """A text in a cell of a table, what click adds to it in round brackets."""
    text = re.sub(r"\.?  \[default: (.*)\]$", r" (default: \1).", text)
    return re.sub(r"\.?  \[(.*)\]$", r" (\1).", text).replace("|", "\\|")


def _linked(text: str) -> str:
    """Help with links to the pages that it names, and arguments and options as code."""
    text = re.sub(r"docs/([\w/]+\.md)", r"[\1](\1)", text)
    return re.sub(r"(?<![`\w-])(--[a-z][\w-]*|[A-Z]{2,}_[A-Z_]+|SCRIPT)(?![`\w])", r"`\1`", text)


def pages() -> dict[Path, str]:
    """The page, whose text above the mark is written by hand."""
    above = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return {PAGE: above + MARK + "".join(f"\n{section(name, command)}" for name, command in commands())}

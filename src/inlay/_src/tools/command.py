"""The command line: `inlay`, or `python -m inlay`.

Exit status: 0 when a command ends well, and when a server is stopped by SIGINT or SIGTERM; 1 for an error, whose
message has one or a few lines, with a traceback only after `--debug`; 2 for a wrong command line.

A command is loaded when it is asked for, so that `inlay --version` loads nothing else.
"""

from __future__ import annotations

import importlib
import sys

import click

_MODULES = {
    "call": "models",
    "check": "check",
    "convert": "models",
    "coverage": "programs",
    "doctor": "doctor",
    "explain": "programs",
    "profile": "profiling",
    "replay": "replay",
    "run": "programs",
    "server": "server",
    "show": "models",
    "sign": "models",
    "verify": "models",
}
"""Command -> the module of `tools.commands` that defines it."""


class _Commands(click.Group):
    """A group that loads a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"inlay._src.tools.commands.{_MODULES[cmd_name]}")
        return getattr(module, cmd_name)  # type: ignore[no-any-return]


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(vars(sys.modules["inlay"])["__version__"])
def main(debug: bool) -> None:
    """Call Python functions from inside computation graphs; run programs written for TensorFlow."""

"""Shared parts of the commands: printing, parsing of JSON, and the reporting of errors in a few words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from inlay._src.base import errors
from inlay._src.base.interpreter.terminal import escaped

_EXPECTED = (errors.OpError, ImportError, OSError, ValueError, TypeError)
"""Errors that are reported without a traceback: the input or the environment causes them."""


def say(text: str, err: bool = False) -> None:
    """Prints a text without control characters: a model or a script may have chosen names in it.

    Args:
      text: the text.
      err: whether it goes to standard error, beside the output of a program that runs.
    """
    click.echo(escaped(text), err=err)


class Command(click.Command):
    """A command that reports errors in a few words, and whose help ends with examples.

    Args:
      *arguments, **options: as `click.Command` takes them.
      examples: command lines.
    """

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.examples: tuple[str, ...] = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Runs it."""
        try:
            return super().invoke(ctx)
        except _EXPECTED as error:
            if ctx.find_root().params["debug"]:
                raise
            raise click.ClickException(escaped(f"{type(error).__name__}: {error}")) from error
        except click.ClickException as error:
            vars(error)["message"] = escaped(error.message)
            raise


command: Callable[..., Callable[[Callable[..., Any]], click.Command]] = partial(click.command, cls=Command)
"""`click.command` for a command whose errors are reported in a few words."""


def parsed(text: str, option: str = "--cluster") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"this is not JSON: {error}", param_hint=option) from error

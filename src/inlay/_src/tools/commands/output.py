"""What the commands share: how they print, parse JSON, and tell errors in a few words."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from inlay._src.base import errors
from inlay._src.base.interpreter.terminal import escaped

_EXPECTED = (errors.OpError, ImportError, OSError, ValueError, TypeError)
"""Errors that are reported without a traceback: the input or the environment causes them."""


def say(text: str) -> None:
    """Prints what a command tells: names in it may be of a model's or a script's choosing."""
    click.echo(escaped(text))


class _Command(click.Command):
    """A command that tells errors in a few words."""

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


command: Callable[..., Callable[[Callable[..., Any]], click.Command]] = partial(click.command, cls=_Command)
"""`click.command` for a command of ours."""


def parsed(text: str, option: str = "--cluster") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"this is no JSON: {error}", param_hint=option) from error

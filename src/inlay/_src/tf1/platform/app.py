"""The main function of a program: `tf.app.run` of 1.x, which is absl's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from absl import app, flags

from inlay._src.base.export import export


@export("compat.v1.app.run")
def run(main: Callable[[Sequence[str]], Any] | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """Reads the flags from the command line, calls a function with what is left of it, and ends the program.

    Args:
      main: the function; None is `main` of the module `__main__`. Its result is the exit status; None is 0.
      argv: the command line, the program's name first; None is `sys.argv`.

    Raises:
      SystemExit: always.
    """
    values = flags.FLAGS

    def read(args: Sequence[str]) -> Sequence[str]:
        # A flag that nobody defined is left to `main`, as TensorFlow does.
        return values(list(args), known_only=True)  # type: ignore[no-any-return]

    app.run(main or sys.modules["__main__"].main, None if argv is None else list(argv), flags_parser=read)
    raise SystemExit(0)  # absl has raised it

"""A script or module run in this process, with inlay in TensorFlow's place."""

from __future__ import annotations

import contextlib
import importlib.util
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inlay._src.core.behavior import disable_v2_behavior
from inlay._src.tools.unmodified.children import inherited
from inlay._src.tools.unmodified.dialect import Sign, first_version
from inlay._src.tools.unmodified.imports import as_tensorflow


def run(what: str, arguments: Sequence[str] = (), *, as_module: bool = False, v1: bool | None = None) -> Sign | None:
    """Runs a program as `python` would, its imports of TensorFlow, and its child processes', answered by inlay.

    Args, Raises: as for `variables_of`.

    Returns:
      The evidence that it is written for 1.x, if the source decided so.
    """
    return variables_of(what, arguments, as_module=as_module, v1=v1)[0]


def variables_of(
    what: str, arguments: Sequence[str] = (), *, as_module: bool = False, v1: bool | None = None
) -> tuple[Sign | None, Mapping[str, Any]]:
    """Runs a program as `run` does.

    Args:
      what: a script's path, or a module's name.
      arguments: the program's `sys.argv` after its own name.
      as_module: whether `what` is a module's name.
      v1: whether it starts under 1.x behavior; None detects it from the source.

    Returns:
      The evidence that it is written for 1.x, if the source decided so, and the variables of its module.

    Raises:
      FileNotFoundError, ModuleNotFoundError: if there is no such program.
      RuntimeError: if TensorFlow is imported already.
      Exception: an exception of the program, `SystemExit` included.
    """
    folder = "" if as_module else str(Path(what).resolve().parent)
    with _path(folder):
        file = located(what, as_module)
        sign = first_version(file) if v1 is None and file is not None else None
        if sign is not None:
            print(
                f"inlay: {sign.path.name} line {sign.line} uses {sign.name}, so this runs as a program of TensorFlow 1 "
                "(--v2 runs it as one of TensorFlow 2)",
                file=sys.stderr,
            )
        first = bool(v1 or sign)
        with as_tensorflow(first), inherited(first), _arguments(what, arguments):
            if first:
                disable_v2_behavior()
            if as_module:
                variables = runpy.run_module(what, run_name="__main__", alter_sys=True)
            else:
                variables = runpy.run_path(what, run_name="__main__")
    return sign, variables


def located(what: str, as_module: bool) -> Path | None:
    """The file of a program; None for a module without one.

    Raises:
      FileNotFoundError, ModuleNotFoundError: if there is no such program.
    """
    if not as_module:
        if not Path(what).exists():
            raise FileNotFoundError(f"there is no script {what}")
        return Path(what) if Path(what).is_file() else Path(what) / "__main__.py"
    try:
        spec = importlib.util.find_spec(what)
    except ModuleNotFoundError:  # the package that it is in
        spec = None
    if spec is None:
        raise ModuleNotFoundError(f"there is no module {what}", name=what)
    if spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{what}.__main__") or spec
    return Path(spec.origin) if spec.origin and spec.has_location else None


@contextlib.contextmanager
def _path(folder: str) -> Iterator[None]:
    """Modules of a folder are found first, as those beside a script are; "" is the current one."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the program took it out
            sys.path.remove(folder)


@contextlib.contextmanager
def _arguments(what: str, arguments: Sequence[str]) -> Iterator[None]:
    before = sys.argv
    sys.argv = [what, *arguments]
    try:
        yield
    finally:
        sys.argv = before

"""Runs a program of `examples/` until its host functions were called, and checks each with the inputs that it got.

    python check_example.py OUT PROGRAM [ARGUMENT ...]

OUT receives, as JSON, a row for each function: its name and the report.
"""

from __future__ import annotations

import functools
import json
import os
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf
from inlay._src.tools.unmodified import running

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SAMPLES = 2
SPENT = 300  # calls after which a program is not waited for any more

SKIP = {
    # Its gradient is that of soft edges, on purpose: the true derivative of a picture in black and white is zero.
    "disc.<locals>.render": ["gradients"],
    # The gradient of column 0 alone, which is all that the program uses.
    "solve of pendulum.py": ["gradients"],
}
ELSEWHERE = {"spiral": [(0,), (1,), (70,)]}  # functions that run in worker processes: their inputs


@dataclass
class Seen:
    """A function that a program declared, and the inputs that it got."""

    func: Callable[..., Any]
    declaration: dict[str, Any]
    samples: list[tuple[Any, ...]] = field(default_factory=list)
    calls: int = 0


SEEN: dict[str, Seen] = {}


def name_of(func: Any) -> str:
    code = getattr(func, "__code__", None)
    if code is None:
        return str(func.__name__)
    name = str(func.__qualname__)
    return f"{name}:{code.co_firstlineno}" if "<lambda>" in name else name


def kept(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def recorded(func: Any, declaration: dict[str, Any]) -> Any:
    """The function with a record of its inputs."""
    seen = SEEN.setdefault(name_of(func), Seen(func, declaration))

    @functools.wraps(func)
    def record(*args: Any, **kwargs: Any) -> Any:
        if len(seen.samples) < SAMPLES:
            seen.samples.append(tuple(map(kept, args)))
        seen.calls += 1
        return func(*args, **kwargs)

    return record


NAMES = ("func", "inp", "Tout")


def recording(api: str, real: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """One of the family, which records the functions that it is given."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        declaration = {k: v for k, v in given.items() if k not in ("func", "inp", "name", "sample")}
        declaration["api"] = "py_function" if api == "py_function" else "numpy_function"
        if given.get("func") is not None:
            return real(**{**given, "func": recorded(given["func"], declaration)})
        decorate = real(**given)
        return lambda func: decorate(recorded(func, declaration))

    return call


def install() -> None:
    """Puts the recording functions in the place of the family."""
    for module in (tf, tf.compat.v1):
        for api, names in {
            "py_function": ("func", "inp", "Tout", "name"),
            "numpy_function": ("func", "inp", "Tout", "stateful", "name"),
            "py_func": ("func", "inp", "Tout", "stateful", "name"),
        }.items():
            setattr(module, api, recording(api, getattr(module, api), names))


def run(program: Path, arguments: list[str]) -> None:
    """Runs a program to its end."""
    sys.argv = [str(program), *arguments]
    sys.path.insert(0, str(EXAMPLES))
    try:
        if program.parent.name == "unmodified":
            running.run(str(program), arguments)
        else:
            runpy.run_path(str(program), run_name="__main__")
    except SystemExit:
        pass


def main(out: str, name: str, *arguments: str) -> None:
    """Runs and checks one program."""
    install()
    run(EXAMPLES / name, list(arguments))
    rows = {}
    for key, seen in SEEN.items():
        samples = seen.samples or ELSEWHERE.get(key, [])
        skip = SKIP.get(key, SKIP.get(f"{key} of {Path(name).name}", []))
        report = tf.test.check_function(seen.func, samples, **seen.declaration, skip=skip)
        rows[key] = {**report.as_data(), "page": str(report)}
    Path(out).write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("KERAS_BACKEND", "jax")
    main(*sys.argv[1:])

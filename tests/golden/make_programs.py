"""Write tests/golden/programs.json: what TensorFlow gives for the programs in tests/golden/programs.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/golden/make_programs.py [table ...]

A program is a function that takes the library (`tf`) and, with `@rows`, one row of a table; it returns plain values,
arrays, tensors, or nests of them. `refused` stands for an exception that a call raises.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TABLES = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
Program = Callable[..., Any]


def rows(*values: Any) -> Callable[[Program], Program]:
    """Makes a function one program for each row, which is its second argument."""

    def mark(function: Program) -> Program:
        function.rows = values  # type: ignore[attr-defined]
        return function

    return mark


class Refused:
    """The exception of a call: equal to another one if the recorded class is among this one's classes."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __repr__(self) -> str:
        return f"Refused({self.names})"


def refused(call: Callable[[], Any]) -> Any:
    """The exception that `call` raises; what it returns if it raises none."""
    try:
        return call()
    except Exception as error:
        return Refused([c.__name__ for c in type(error).__mro__])


@contextmanager
def session(tf: Any) -> Iterator[Any]:
    """A session on a new graph that is the default one."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as opened:
        yield opened


@contextmanager
def first_behaviour(tf: Any) -> Iterator[Any]:
    """`tf.compat.v1` after `disable_v2_behavior()`, on a new graph that is the default one."""
    tf.compat.v1.disable_v2_behavior()
    try:
        with tf.Graph().as_default():
            yield tf.compat.v1
    finally:
        tf.compat.v1.reset_default_graph()  # TensorFlow does not go back while it has a default graph of its own
        tf.compat.v1.enable_v2_behavior()


def programs(table: str) -> dict[str, Callable[[Any], Any]]:
    """The programs of a table by name."""
    module = importlib.import_module(f"tests.golden.programs.{table}")
    found: dict[str, Callable[[Any], Any]] = {}
    for name, function in vars(module).items():
        if (
            name.startswith("_")
            or getattr(function, "__module__", None) != module.__name__
            or isinstance(function, type)
        ):
            continue
        if not hasattr(function, "rows"):
            found[f"{table}: {name}"] = function
        for row in getattr(function, "rows", ()):
            found[f"{table}: {name} {row!r}"] = lambda tf, f=function, r=row: f(tf, r)
    return found


def plain(value: Any) -> Any:
    """A result as JSON."""
    if isinstance(value, Refused):
        return {"raises": value.names[0]}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if type(value).__name__ in ("TensorShape", "DType", "Dimension", "TensorSpec"):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, (float, complex)):
        return _number(value)
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if not array.ndim:
        return [array.dtype.name, plain(array.item() if array.dtype.kind in "biufcOS" else float(array))]
    flat = array.ravel()
    return [
        array.dtype.name,
        *array.shape,
        [plain(v) for v in (flat.tolist() if flat.dtype.kind in "biufcOS" else flat.astype(float))],
    ]


def _number(value: complex) -> Any:
    if isinstance(value, complex):
        return [_number(value.real), _number(value.imag)]
    return float(f"{value:.9g}") if np.isfinite(value) else str(value)


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    target = HERE / "programs.json"
    chosen = sys.argv[1:] or TABLES
    kept = json.loads(target.read_text(encoding="utf-8"))["values"] if target.exists() else {}
    made = f"TensorFlow {tf.__version__}, NumPy {np.__version__}, {Path(__file__).name}"
    lines, failed = [], []
    for table in TABLES:
        for name, program in programs(table).items():
            try:
                value = plain(program(tf)) if table in chosen else kept[name]
            except Exception as error:
                failed.append(f"{name}\n    {type(error).__name__}: {str(error)[:200]}")
                continue
            lines.append(f"{json.dumps(name)}:{json.dumps(value)}")
    if failed:
        raise SystemExit("\n".join(failed))
    text = ",\n".join(lines)
    target.write_text(f'{{"made_with":{json.dumps(made)},"values":{{\n{text}\n}}}}\n', encoding="utf-8")
    print(f"{len(lines)} programs", file=sys.stderr)


if __name__ == "__main__":
    from tests.golden import make_programs  # the programs import this module too: its classes must be the same ones

    make_programs.main()

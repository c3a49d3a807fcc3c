"""Values as text, and printing when a program runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.types import dtypes, nest
from inlay._src.core.eager.attributes import text as text_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import composite_of, emit
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import OPS, Effect, as_first, scalar
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.core.values import scalar_string

# ---------------------------------------------------------------- text of values


def _number(value: Any) -> str:
    """A number the way TensorFlow prints it: as few digits as 6 (15 for double) if they suffice, else all."""
    if isinstance(value, np.bool_):
        return str(int(value))
    kind = np.dtype(value.dtype).kind
    if kind in "iu":
        return str(int(value))
    if kind == "c":
        return str(value)
    wide = value.dtype == np.float64
    plain = float(value)
    short = f"{plain:.15g}" if wide else f"{plain:.6g}"
    same_back = float(short) == plain if wide else np.float32(short) == np.float32(plain)
    if np.isnan(plain) or same_back:
        return short
    return f"{plain:.17g}" if wide else f"{plain:.9g}"


_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ('"', '\\"'), ("'", "\\'"))


def _element(value: Any, quoted: bool, escapes: Sequence[tuple[str, str]] = _ESCAPES) -> str:
    if isinstance(value, bytes):
        text = value.decode("utf-8", "backslashreplace")
        for raw, escaped in escapes:
            text = text.replace(raw, escaped)
        return f'"{text}"' if quoted else text
    return _number(value)


def summarized(value: Any, limit: int) -> str:
    """An array as text, with `limit` entries at either end of an axis that is longer than both; -1 shows all."""
    array = np.asarray(value)
    if not limit and array.dtype == bool:
        return ""
    if not limit and array.size:  # TensorFlow's words for nothing shown
        return f"[{chr(10) * (array.ndim - 1)} ...]" if array.ndim else "..."
    return _rows(array, limit, 0)


def _rows(array: np.ndarray, limit: int, depth: int) -> str:
    if not array.ndim:
        return _element(array[()], True)
    if not array.size:
        return "[]"
    count = len(array)
    cut = 0 <= limit and count > 2 * limit
    shown = [*range(limit), None, *range(count - limit, count)] if cut else range(count)
    parts = ["..." if i is None else _rows(np.asarray(array[i]), limit, depth + 1) for i in shown]
    if array.ndim == 1:
        return "[" + " ".join(parts) + "]"
    return "[" + ("\n" * (array.ndim - 1) + " " * (depth + 1)).join(parts) + "]"


def flat_summary(value: Any, limit: int) -> str:
    """An array as text in one line, cut after `limit` elements; the 1.x form."""
    array = np.asarray(value)
    left = array.size if limit < 0 else limit

    def walk(part: np.ndarray) -> str:
        nonlocal left
        if not part.ndim:
            left -= 1
            return _element(part[()], False)
        if part.ndim == 1:
            taken = part[: max(left, 0)]
            left -= len(taken)
            return " ".join(_element(v, False) for v in taken) + ("..." if len(taken) < len(part) else "")
        return "".join("[" + walk(row) + "]" for row in part if left > 0) + ("..." if left <= 0 < len(part) else "")

    return walk(array)


# ---------------------------------------------------------------- ops


@op("StringFormat", "inputs:*any -> string", infer=scalar)
def _string_format(xp, inputs, *, template, placeholder="{}", summarize=3, text=()):
    """A template with its placeholders replaced by tensors; those of the numbers in `text` are text already."""
    parts = template.split(placeholder)
    if len(parts) - 1 != len(inputs):
        raise ValueError(f"num placeholders in template and num inputs must match: {len(parts) - 1} vs. {len(inputs)}")
    shown = (_element(v[()], False, ()) if i in text else summarized(v, summarize) for i, v in enumerate(inputs))
    return scalar_string(parts[0] + "".join(v + p for v, p in zip(shown, parts[1:], strict=True)))


@op("RaggedText", "values:string, splits:*Index -> string", infer=scalar)
def ragged_text(xp, values, splits, *, quoted, summarize):
    """Strings in rows as the text of nested lists, with `summarize` items at either end of a list; -1 shows all."""
    nested = values.tolist()
    for ends in reversed(splits):
        nested = [nested[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]

    def text(part: Any) -> str:
        if not isinstance(part, list):
            element = _element(part, False, (("\\", "\\\\"), ("'", "\\'")) if quoted else ())
            return f"'{element}'" if quoted else element
        if 0 <= summarize and len(part) > 2 * summarize:
            return f"[{', '.join([*map(text, part[:summarize]), '...', *map(text, part[-summarize:])])}]"
        return f"[{', '.join(map(text, part))}]"

    return scalar_string(text(nested))


@export("strings.format")
def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A string with placeholders replaced by tensors as text.

    Args:
      template: the text around the tensors.
      inputs: a tensor, ragged ones included, or a list with one per placeholder.
      placeholder: placeholder to replace.
      summarize: number of entries to show at either end of an axis; -1 shows all.
      name: the node's name.
    """
    values = [composite_of(v) for v in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    template, placeholder = text_of(template, "template"), text_of(placeholder, "placeholder")
    count = template.count(placeholder)
    if count != len(values):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(values)}. Please ensure the number of "
            "placeholders in template matches inputs length."
        )
    attrs: dict[str, Any] = {"template": template, "placeholder": placeholder, "summarize": summarize}
    holes = _Holes()
    for value in values:
        if hasattr(value, "nested_row_splits"):
            value._printed(holes, summarize)
        else:
            holes(value)
    if holes.text:
        attrs["text"] = tuple(holes.text)
    return emit(OPS["StringFormat"], (holes.tensors,), attrs, name)


@op("PrintV2", "input:string -> ", effect=Effect.STATEFUL, ranks={"input": 0})
def _print(xp, input, *, output_stream, end):
    """Writes a string."""
    text = input[()] if isinstance(input, np.ndarray) else input
    _write(text.decode("utf-8", "replace") + end, output_stream)
    return ()


_LOGGED = {"log(info)": messages.info, "log(warning)": messages.warning, "log(error)": messages.error}
"""The streams that are messages."""


def _write(text: str, stream: str) -> None:
    if stream.startswith("file://"):
        with open(stream[len("file://") :], "a", encoding="utf-8") as file:
            file.write(text)
        return
    if stream in _LOGGED:
        _LOGGED[stream](text.removesuffix("\n"))
        return
    target = sys.stdout if stream == "stdout" else sys.stderr
    target.write(text)
    target.flush()


def _stream_name(stream: Any) -> str:
    if stream is None or stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    if stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    level = next((name for name, message in _LOGGED.items() if stream == message), None)
    if level is not None:
        return level
    raise ValueError(
        f"Unsupported output stream {stream!r}: use sys.stderr, sys.stdout, tf.logging.info, tf.logging.warning, "
        "tf.logging.error, or 'file://' and a path"
    )


_HOLE = "\0"


class _Holes:
    """The tensors of a template, and the numbers of those that are text already; a call adds one and gives its hole."""

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.text: list[int] = []

    def __call__(self, tensor: Any, text: bool = False) -> str:
        if text:
            self.text.append(len(self.tensors))
        self.tensors.append(tensor)
        return _HOLE


def _template(value: Any, holes: _Holes, limit: int, nested: bool) -> str:
    """The text of an argument of `print`, with a hole for each tensor, which is added to `found`."""
    if isinstance(value, nest.Composite):
        return value._printed(holes, limit)
    if isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
        return holes(value)
    if isinstance(value, str) and not nested:
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_template(v, holes, limit, True)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        items = [_template(v, holes, limit, True) for v in value]
        if hasattr(value, "_fields"):
            named = ", ".join(f"{f}={i}" for f, i in zip(value._fields, items, strict=True))
            return f"{type(value).__name__}({named})"
        if isinstance(value, list):
            return "[" + ", ".join(items) + "]"
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if not nest.is_nested(value):
        return repr(value)
    return f"{type(value).__name__}(" + ", ".join(_template(v, holes, limit, True) for v in nest.flatten(value)) + ")"


@export("print")
def print_v2(*inputs: Any, **kwargs: Any) -> Operation | None:
    """Prints values when the program runs: at once while executing eagerly, else whenever the operation runs.

    Inside `function` it runs in program order. In a 1.x graph, run the returned operation or make others depend on it.

    Args:
      *inputs: tensors, other objects, and nests of them.
      output_stream: sys.stderr (default), sys.stdout, `tf.logging.info`, `warning` or `error`, or "file://" and a path,
        which is appended to.
      summarize: number of entries to show at either end of an axis, 3 by default; -1 shows all.
      sep: separator between inputs, a space by default.
      end: text after the last input, a new line by default.
      name: the node's name.

    Returns:
      The operation, or None while executing eagerly.
    """
    options = {"output_stream": None, "summarize": 3, "sep": " ", "end": "\n", "name": None}
    unknown = sorted(set(kwargs) - set(options))
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {unknown}")
    options |= kwargs
    stream = _stream_name(options["output_stream"])
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype is dtypes.string and inputs[0].ndim == 0:
        text = inputs[0]
    else:
        holes = _Holes()
        limit: Any = -1 if options["summarize"] is None else options["summarize"]
        template = str(options["sep"]).join(_template(v, holes, limit, False) for v in inputs)
        attrs = {"template": template, "placeholder": _HOLE, "summarize": limit, "text": tuple(holes.text)}
        text = emit(OPS["StringFormat"], (holes.tensors,), attrs) if holes.tensors else convert_to_tensor(template)
    return emit(OPS["PrintV2"], (text,), {"output_stream": stream, "end": options["end"]}, options["name"])  # type: ignore


@op(
    "Print",
    "input:T, data:*any -> T",
    infer=as_first,
    vjp=lambda op, dy: (dy, *(None for _ in op.inputs[1:])),
    effect=Effect.STATEFUL,
    lower=LoweringHints(aliases=True),
)
def _print_v1(xp, input, data, *, message="", first_n=-1, summarize=3, count):
    """The input, printing `data` when it passes."""
    count[0] += 1
    if first_n < 0 or count[0] <= first_n:
        _write(message + "".join(f"[{flat_summary(v, summarize)}]" for v in data) + "\n", "stderr")
    return input


@export("Print")
def print_v1(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_`, unchanged; prints `data` to standard error whenever it is computed.

    Args:
      input_: a tensor, which the caller goes on with.
      data: a list of tensors to print.
      message: printed before them.
      first_n: maximum number of times to print; always if None.
      summarize: number of elements of a tensor to show; 3 if None, all if -1.
      name: the node's name.
    """
    attrs = {
        "message": message or "",
        "first_n": -1 if first_n is None else first_n,
        "summarize": 3 if summarize is None else summarize,
        "count": [0],
    }
    return emit(OPS["Print"], (input_, list(data)), attrs, name)


# ---------------------------------------------------------------- assertions as ops


@op("Assert", "condition:bool, data:*any -> ", effect=Effect.STATEFUL)
def _assert(xp, condition, data, *, summarize=3):
    """Fails unless the condition holds."""
    if not np.asarray(condition).all():
        shown = " ".join(f"[{flat_summary(v, summarize)}]" for v in data)
        raise errors.InvalidArgumentError(None, None, f"assertion failed: {shown}")
    return ()


@export("Assert", "debugging.Assert")
def assert_(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Operation | None:
    """Fails with InvalidArgumentError, showing `data`, unless `condition` holds.

    Args:
      condition: a bool tensor.
      data: a list of tensors and strings to show.
      summarize: number of elements of each to show; 3 if None, all if -1.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly.
    """
    return emit(OPS["Assert"], (condition, list(data)), {"summarize": 3 if summarize is None else summarize}, name)

"""Values that no function expects: of wrong kinds, without limits, or objects that raise whatever is asked of them.

`HOSTILE` are mutations as in `tests/recorded/mutations.py`: functions of the draws and of the value that is replaced.
What must be made where the call is made, such as a tensor of another graph, is `Live`.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.recorded.draws import Draws, Given
from tests.recorded.mutations import Mutation


@dataclasses.dataclass(frozen=True)
class Live:
    """A value that is made where the call is made.

    Attributes:
      label: what it is, for readers.
      make: makes it.
    """

    label: str
    make: Callable[[Any], Any]

    def __repr__(self) -> str:
        return f"<{self.label}>"


class UsersError(Exception):
    """What the caller's objects and functions raise."""


def _raising(*_: Any, **__: Any) -> Any:
    raise UsersError("on purpose")


def _refusing(*names: str) -> type:
    """A class whose methods of some names raise."""
    title = "Users" + "".join(name.strip("_").title() for name in names)
    return type(title, (), {**dict.fromkeys(names, _raising), "__repr__": lambda self: f"<{title}>"})


REFUSING = tuple(
    _refusing(*names)
    for names in (
        ("__bool__",),
        ("__len__", "__getitem__"),
        ("__array__",),
        ("__iter__",),
        ("__eq__", "__ne__"),
        ("__getattr__",),
        ("__int__", "__index__", "__float__"),
        ("__call__",),
        ("__fspath__",),
        ("__enter__", "__exit__"),
        ("__hash__", "__eq__"),
        ("__format__", "__str__"),
    )
)


class UsersUnhashable:
    """Cannot be a key."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class UsersSequence(list[Any]):
    """A list of the caller's own class."""


class UsersAttributes:
    """Has every attribute, and each is text."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return "text"


class UsersColor(enum.Enum):
    """An enumeration."""

    RED = 1


def users_failing(*_: Any, **__: Any) -> Any:
    """Raises."""
    raise UsersError("on purpose")


def users_none(*_: Any, **__: Any) -> None:
    """Gives nothing."""


def users_text(*_: Any, **__: Any) -> str:
    """Gives text."""
    return "text"


def users_first(*args: Any, **__: Any) -> Any:
    """Gives its first argument."""
    return args[0] if args else 1.0


def users_without_arguments() -> float:
    """Takes nothing."""
    return 1.0


def users_of_three(a: Any, b: Any, c: Any) -> Any:
    """Takes three arguments."""
    return a


def users_generator(*_: Any) -> Any:
    """Yields."""
    yield 1
    yield "a"


FUNCTIONS = (
    users_failing,
    users_none,
    users_text,
    users_first,
    users_without_arguments,
    users_of_three,
    users_generator,
)


def nested(depth: int) -> list[Any]:
    """A list in a list, and so on."""
    value: list[Any] = [1.0]
    for _ in range(depth):
        value = [value]
    return value


def in_itself(first: bool) -> list[Any]:
    """A list that holds itself, as its first element or as its last one."""
    value: list[Any] = [1.0]
    value.insert(0 if first else 1, value)
    return value


def _arrays() -> tuple[Any, ...]:
    return (
        np.zeros((0,), np.float32),
        np.zeros((0, 3)),
        np.zeros((1,) * 9, np.float32),
        np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
        np.array(["2020-01-01"], "datetime64[D]"),
        np.array([None, 1], object),
        np.array(["a\0b", "é"]),
        np.array([[1], [2, 3]], object),
        np.ma.array([1.0, 2.0], mask=[0, 1]),
        np.array(3, np.longdouble),
        np.array([np.nan, np.inf], np.float32),
        np.array([2**63 - 1, -(2**63)]),
        np.array([True, False]),
        np.array([1j]),
        np.float32(np.nan),
        np.bool_(True),
        np.str_("text"),
        np.int64(-1),
        np.int32(2),
        np.uint8(200),
        np.array(2),
        np.array(1.5),
        np.array(True),
        np.array("text"),
        np.array(None, object),
        np.array([b"a", "b"], object),
        np.array([[0, -1], [2**31, 1]]),
        np.zeros((2, 0), np.int32),
    )


_NUMBERS = (
    *(None, True, False, -1, 0, 1, -(2**31) - 1, 2**31, 2**63, -(2**63) - 1, 10**400),
    *(0.0, -0.0, 0.5, float("nan"), float("inf"), 1e308, 5e-324, 1j, decimal.Decimal("1.5"), fractions.Fraction(1, 3)),
)
_TEXTS = (
    "",
    "1",
    "-1.5",
    "text",
    "a\0b",
    "\ud800",
    "a/b:0",
    "%s {0}",
    b"",
    b"\xff\0",
    "x" * 5000,
    "float32",
    ":0",
    "^a",
    "../a",
)
_NESTS: tuple[Any, ...] = (
    *([], (), {}, [[]], [[], []], [None], [1, "a"], [[1], [2, 3]], {"a": 1}, {1: 2}, {(): []}, [1, [2, [3]]], ((1,),)),
    *([True, False], [2**31, -1], [[1], [[2]]], [[1.0, 2.0], [3.0]], ["1", "2"], (1, [2], (3,)), [np.int32(1), 2.0]),
    *([10**400], {"a": [1.0], "b": (2,)}, {"b": 1, "a": {"c": []}}, [None, 1], ([], [1]), [b"a", None]),
    *(set(), {1, 2}, frozenset({"a"}), range(3), [float("nan")], ["a", b"b"], [2**63], [-1, -1], {"a": {"b": None}}),
)
_OBJECTS = (
    *(object(), object, int, type, len, ..., NotImplemented, slice(None), slice(0, "a"), bytearray(b"ab")),
    *(memoryview(b"ab"), UsersColor.RED, UsersColor, pathlib.Path("a"), datetime.timedelta(1), np.dtype("U3"), np),
    *(np.float32, np.newaxis, ValueError("a"), UsersUnhashable(), UsersSequence([1.0]), UsersAttributes()),
)


def _other_graph(tf: Any) -> Any:
    with tf.Graph().as_default():
        return tf.compat.v1.placeholder(tf.float32, [2], name="elsewhere")


def _of_graph(make: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def made(tf: Any) -> Any:
        graph = tf.Graph()
        with graph.as_default():
            return make(tf, graph)

    return made


def _closed(tf: Any) -> Any:
    session = tf.compat.v1.Session(graph=tf.Graph())
    session.close()
    return session


def _finalized(tf: Any) -> Any:
    graph = tf.Graph()
    graph.finalize()
    return graph


def _unknown(tf: Any, dtype: str, shape: Any) -> Any:
    """A symbolic tensor, of this graph if one is built."""
    return tf.compat.v1.placeholder(dtype, shape) if not tf.executing_eagerly() else _other_graph(tf)


LIVE: dict[str, Callable[[Any], Any]] = {
    "tensor of another graph": _other_graph,
    "operation of another graph": lambda tf: _other_graph(tf).op,
    "variable of another graph": _of_graph(lambda tf, graph: tf.compat.v1.get_variable("v", [2])),
    "closed session": _closed,
    "finalized graph": _finalized,
    "tensor of unknown rank": lambda tf: _unknown(tf, "float32", None),
    "tensor of unknown size": lambda tf: _unknown(tf, "int32", [None]),
    "unknown text": lambda tf: _unknown(tf, "string", []),
    "ragged": lambda tf: tf.ragged.constant([[1.0], [2.0, 3.0]]),
    "ragged text": lambda tf: tf.ragged.constant([["a"], []]),
    "ragged of two": lambda tf: tf.ragged.constant([[[1], []], []]),
    "sparse": lambda tf: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "empty sparse": lambda tf: tf.SparseTensor(np.zeros((0, 2), "int64"), np.zeros(0, "float32"), [0, 0]),
    "slices": lambda tf: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([4, 1])),
    "variable": lambda tf: tf.Variable([1.0, 2.0]),
    "whole variable": lambda tf: tf.Variable(1),
    "text": lambda tf: tf.constant(["a", "b"]),
    "truth": lambda tf: tf.constant(True),
    "complex": lambda tf: tf.constant([1 + 1j]),
    "spec": lambda tf: tf.TensorSpec([None], tf.float32),
    "ragged spec": lambda tf: tf.RaggedTensorSpec([None, None], tf.int32),
    "unknown shape": lambda tf: tf.TensorShape(None),
    "shape with an unknown size": lambda tf: tf.TensorShape([None, 2]),
    "dtype": lambda tf: tf.float32,
    "dtype of resources": lambda tf: tf.resource,
    "dataset": lambda tf: tf.data.Dataset.range(3),
    "dataset of pairs": lambda tf: tf.data.Dataset.from_tensor_slices(([1.0, 2.0], ["a", "b"])),
    "iterator at its end": lambda tf: iter(()),
    "tensor array": lambda tf: tf.TensorArray(tf.float32, 2),
    "module": lambda tf: tf.Module(),
    "function": lambda tf: tf.function(users_first, autograph=False),
    "tape": lambda tf: tf.GradientTape(),
    "optimizer": lambda tf: tf.compat.v1.train.GradientDescentOptimizer(0.1),
    "queue": lambda tf: tf.queue.FIFOQueue(2, tf.float32),
    "graph": lambda tf: tf.Graph(),
    "generator": lambda tf: users_generator(),
    "deep list": lambda tf: nested(60),
    "very deep list": lambda tf: nested(3000),
    "list in itself": lambda tf: in_itself(first=False),
    "list that begins with itself": lambda tf: in_itself(first=True),
    "whole number of unknown rank": lambda tf: _unknown(tf, "int32", None),
    "whole number not known yet": lambda tf: _unknown(tf, "int64", []),
    "truth not known yet": lambda tf: _unknown(tf, "bool", []),
    "list of tensors": lambda tf: [tf.constant(1.0), [tf.constant(2.0)]],
    "tensors of several dtypes": lambda tf: (tf.constant(1), tf.constant(2.0), 3),
    "dictionary of tensors": lambda tf: {"a": tf.constant([1.0]), "b": tf.constant(["c"])},
    "sparse of whole numbers": lambda tf: tf.sparse.from_dense([0, 3, 0]),
    "ragged value": lambda tf: tf.compat.v1.ragged.constant_value([[1], [2, 3]]),
    "small half": lambda tf: tf.constant([0.5], tf.bfloat16),
    "large whole number": lambda tf: tf.constant(2**63 - 1, tf.int64),
    "negative size": lambda tf: tf.constant([-1, 2]),
    "object that raises": lambda tf: REFUSING[0](),
}


def refusing(d: Draws, value: Any) -> Any:
    """An object whose methods raise."""
    return d.pick(*REFUSING)()


def live(d: Draws, value: Any) -> Any:
    """Something of the library, or what must be made anew."""
    label = d.pick(*LIVE)
    return Live(label, LIVE[label])


def inside(d: Draws, value: Any) -> Any:
    """What is hostile, in a list or a dictionary or beside the value."""
    other = d.pick(*HOSTILE[:6])(d, value)
    return d.pick([other], (value, other), {"a": other}, [value, other], [[other], other])


HOSTILE: tuple[Mutation, ...] = (
    lambda d, value: d.pick(*_NUMBERS),
    lambda d, value: d.pick(*_TEXTS),
    lambda d, value: d.pick(*_NESTS),
    lambda d, value: d.pick(*_OBJECTS),
    lambda d, value: d.pick(*_arrays()),
    refusing,
    live,
    live,
    inside,
    lambda d, value: d.pick(*FUNCTIONS),
    lambda d, value: Given(d.array(d.dtype("any"), d.shape(), odd=True)),
    lambda d, value: Given(d.texts(d.shape(0, 2))),
)

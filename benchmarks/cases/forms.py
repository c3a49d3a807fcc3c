"""Every form of a call of the family, and three ways to make it: the table from which cases and rows are generated.

A form is one way of writing `numpy_function(f, inputs, Tout)` or `py_function(f, inputs, Tout)`; each is called in
eager code, in a session, and in a `function`. Host functions return what they get, so that what is timed is the call.
Conversions are what NumPy alone takes for the inputs and results that a form has to convert.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import Builder, Timed, loop

WAYS = ("eager", "session", "function")
FAMILIES = ("numpy_function", "py_function")
ONES = np.ones(4, np.float32)
MEGABYTE = np.ones(1 << 18, np.float32)
WORDS = np.array([b"set", b"flush", b"into", b"graphs"], object)

Make = Callable[[Any, Any], Callable[..., Any]]
"""From the library and the family's function: a function of the inputs that makes one call."""


@dataclass(frozen=True)
class Form:
    """One form of a call.

    Attributes:
      name: its part of the names of rows and cases.
      title: how readers know it.
      make: writes the call.
      inputs: what it is called with.
      tensors: True gives the inputs as tensors (eager ones, placeholders, arguments); False as they are.
      families: the functions that have the form.
      ways: where it is called.
      in_tensorflow: False for what TensorFlow lacks; the plain lambda's cost is then the only goal.
      held_to_ratio: False where the body or a copy that we owe is most of the time.
      conversions: the cases of CONVERSIONS that a call owes, to a NumPy body or from NumPy inputs.
      returns: False for a call without results.
    """

    name: str
    title: str
    make: Make
    inputs: tuple[Any, ...] = (ONES,)
    tensors: bool = True
    families: tuple[str, ...] = FAMILIES
    ways: tuple[str, ...] = WAYS
    in_tensorflow: bool = True
    held_to_ratio: bool = True
    conversions: tuple[str, ...] = ()
    returns: bool = True


# ---------------------------------------------------------------- what the host functions do


def plain(value: Any) -> Any:
    return value


def scaled(value: Any, scale: float) -> Any:
    return value


def nothing(value: Any) -> None:
    return None


def twice(value: Any) -> Any:
    return value, value


def nested(value: Any) -> Any:
    return {"a": value, "b": (value, value)}


def swapped(first: Any, second: Any) -> Any:
    return second, first


class Bodies:
    """A body as a method, and as an object that can be called; it takes no weak references."""

    __slots__ = ()

    def method(self, value: Any) -> Any:
        return value

    def __call__(self, value: Any) -> Any:
        return value


# ---------------------------------------------------------------- how a call is written


def float32(tf: Any) -> Any:
    return tf.float32


def call_of(body: Any, tout: Callable[[Any], Any] = float32, **options: Any) -> Make:
    """`function(body, [x], tout, **options)`; `tout` is chosen from the library."""

    def make(tf: Any, function: Any) -> Callable[..., Any]:
        declared = tout(tf)
        if options:
            return lambda x: function(body, [x], declared, **options)
        return lambda x: function(body, [x], declared)

    return make


def made_each_time(tf: Any, function: Any) -> Callable[..., Any]:
    """The lambda is another object at every call, as it is where it stands in the call."""
    declared = tf.float32
    return lambda x: function(lambda value: value, [x], declared)


def two_inputs(tf: Any, function: Any) -> Callable[..., Any]:
    declared = [tf.float32, tf.float32]
    return lambda x, y: function(swapped, [x, y], declared)


def decorated(tf: Any, function: Any) -> Callable[..., Any]:
    op = function(Tout=tf.float32)(plain)
    return lambda x: op(x)


def contrib(tf: Any, function: Any) -> Callable[..., Any]:
    declared = tf.float32
    return lambda x: tf.contrib.framework.py_func(plain, [x], output_types=declared, output_shapes=[4])


_NUMPY = ("numpy_function",)
FORMS = (
    Form("lambda", "a function", call_of(plain)),
    Form("fresh_lambda", "a lambda made at each call", made_each_time, ways=("eager",)),
    Form("ufunc", "`np.sinh`", call_of(np.sinh), families=_NUMPY),
    Form("method", "a bound method", call_of(Bodies().method)),
    Form("partial", "`functools.partial`", call_of(functools.partial(scaled, scale=2.0))),
    Form("object", "an object that can be called", call_of(Bodies())),
    Form("two_outputs", "two outputs", call_of(twice, lambda tf: [tf.float32, tf.float32])),
    Form("two_inputs", "two inputs, two outputs", two_inputs, (ONES, ONES)),
    Form("list", "`Tout=[tf.float32]`", call_of(plain, lambda tf: [tf.float32])),
    Form("numpy_dtype", "`Tout=np.float32`", call_of(plain, lambda tf: np.float32)),
    Form("no_output", "`Tout=[]`", call_of(nothing, lambda tf: []), returns=False),
    Form("numpy_input", "a NumPy input", call_of(plain), tensors=False, conversions=("forms_convert_array",)),
    Form("number", "a Python number", call_of(plain), (3.0,), tensors=False, conversions=("forms_convert_number",)),
    Form("strings", "strings", call_of(plain, lambda tf: tf.string), (WORDS,), conversions=("forms_convert_strings",)),
    Form("int64", "int64", call_of(plain, lambda tf: tf.int64), (np.arange(4),)),
    Form(
        "megabyte",
        "1 MB",
        call_of(plain),
        (MEGABYTE,),
        held_to_ratio=False,
        conversions=("forms_convert_megabyte",),
    ),
    Form("decorator", "the decorator", decorated),
    Form("kwargs", "`kwargs=`", call_of(scaled, kwargs={"scale": 2.0}), in_tensorflow=False),
    Form("nested", "a nested `Tout`", call_of(nested, lambda tf: {"a": tf.float32, "b": (tf.float32, tf.float32)}),
         in_tensorflow=False),
    Form("output_shapes", "`output_shapes=`", call_of(plain, output_shapes=[4]), in_tensorflow=False),
    Form("no_copy", "`copy=False`", call_of(plain, copy=False), families=_NUMPY, in_tensorflow=False),
    Form("contrib", "`contrib.framework.py_func`", contrib, families=_NUMPY, in_tensorflow=False),
)  # fmt: skip


# ---------------------------------------------------------------- where a call is made


def _eager(tf: Any, form: Form, call: Callable[..., Any]) -> Callable[[], Any]:
    inputs = [tf.constant(value) for value in form.inputs] if form.tensors else form.inputs
    return functools.partial(call, *inputs)


def _session(tf: Any, form: Form, call: Callable[..., Any]) -> Callable[[], Any]:
    with tf.Graph().as_default() as graph:
        given = list(form.inputs)
        if form.tensors:
            given = [tf.compat.v1.placeholder(tf.as_dtype(v.dtype), v.shape) for v in form.inputs]
        fetches = call(*given)
    feeds = dict(zip(given, form.inputs, strict=True)) if form.tensors else {}
    return functools.partial(tf.compat.v1.Session(graph=graph).run, fetches, feeds)


def _function(tf: Any, form: Form, call: Callable[..., Any]) -> Callable[[], Any]:
    def without_result(*values: Any) -> None:
        call(*values)

    def closed() -> Any:
        return traced(*form.inputs)

    traced = call if form.returns else without_result
    if not form.tensors:
        return tf.function(closed)  # type: ignore[no-any-return]
    return functools.partial(tf.function(traced), *[tf.constant(value) for value in form.inputs])


_MAKERS = {"eager": _eager, "session": _session, "function": _function}


def calling(tf: Any, form: Form, family: str, way: str) -> Callable[[], Any]:
    """A function without arguments that makes one call.

    Args:
      tf: the library.
      form: how the call is written.
      family: which function is called.
      way: in eager code, in a session, or in a `function`.
    """
    return _MAKERS[way](tf, form, form.make(tf, getattr(tf, family)))


def _timed(form: Form, family: str, way: str, tf: Any) -> Timed:
    return loop(calling(tf, form, family, way))


def case_name(form: Form, family: str, way: str) -> str:
    """The name of a case, which is also that of its row."""
    return f"forms_{family.removesuffix('_function')}_{form.name}_{way}"


def combinations() -> list[tuple[Form, str, str]]:
    """Every form with every family and way that it has, in the order of the table."""
    return [
        (form, family, way) for family in FAMILIES for form in FORMS if family in form.families for way in form.ways
    ]


# ---------------------------------------------------------------- what NumPy alone takes


def _convert_array(_: Any) -> Timed:
    """A copy of the caller's array, which he may change afterwards."""
    return loop(lambda: np.array(ONES))


def _convert_number(_: Any) -> Timed:
    """A number becomes an array of the default type, and its scalar an array again."""
    return loop(lambda: np.asarray(np.asarray(3.0, np.float32)[()]))


def _convert_strings(_: Any) -> Timed:
    """Strings for the function to write into, and its result, of which each element is looked at."""
    return loop(lambda: np.array(WORDS.copy().tolist(), object))


def _convert_megabyte(_: Any) -> Timed:
    """A copy that the function may write into."""
    return loop(MEGABYTE.copy)


CONVERSIONS: dict[str, tuple[str, Builder]] = {
    "forms_convert_array": ("an array", _convert_array),
    "forms_convert_number": ("a number, there and back", _convert_number),
    "forms_convert_strings": ("4 strings, there and back", _convert_strings),
    "forms_convert_megabyte": ("1 MB", _convert_megabyte),
}
CASES: dict[str, Builder] = {
    **{name: builder for name, (_, builder) in CONVERSIONS.items()},
    **{case_name(*parts): functools.partial(_timed, *parts) for parts in combinations()},
}
"""For both libraries; TensorFlow runs those of the forms that it has."""

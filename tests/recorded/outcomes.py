"""What a call gives, as plain data, in TensorFlow and here: eagerly, in a graph that a session runs, in a function.

An outcome is a dictionary:

    y  the results: [kind, dtype, shape, numbers] each; kind "ragged" and "sparse" for the parts of such a value
    s  the results' static shapes, in graphs and functions
    g  the derivative of the results, weighted, for each differentiable argument: like y, or None
    h  the derivative of g
    e  the class of the exception, instead of all these
    is, accident  here only: its bases too, and whether it came out of our frames without a `raise`
    p  where it was raised: "build" while a graph or function was built, "run" after that
"""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tests.recorded.calls  # noqa: F401
from tests.recorded.draws import PROGRAMS, TABLE, Call, Draws, Fixed, Given
from tests.recorded.mutations import mutated

WAYS = (
    "eager",
    "eager",
    "eager",
    "graph full",
    "graph dims",
    "graph rank",
    "function full",
    "function dims",
    "function rank",
)
"""How a call is made; "dims" and "rank" say what of the arguments' shapes is unknown while a graph is built."""

DIGITS = {"float16": 5, "bfloat16": 4, "float32": 8, "complex64": 8}

Run = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Case:
    """A call, and how it is made."""

    name: str
    index: int
    way: str
    call: Call


EAGER_FROM = 30
"""Calls from this number on are made eagerly: that is where recording is quick, so there are more of them."""


MUTATED_FROM = 1000
"""Calls from this number on are made wrong or unusual (`mutations`), in every way."""


def case_of(name: str, index: int, seed: str, way: str = "") -> Case:
    """The call of a name and number; made in a way that was drawn, unless one is given."""
    draws = Draws(f"{seed}:{name}:{index}")
    drawn = draws.pick(*WAYS)
    call = TABLE[name](draws)
    if index >= MUTATED_FROM:
        return Case(name, index, way or drawn, mutated(draws, call))
    return Case(name, index, way or ("eager" if index >= EAGER_FROM else drawn), call)


def runner(tf: Any, case: Case) -> Run:
    """What calls the case's function with these tensors in the place of what is given."""
    function = PROGRAMS.get(case.name)
    if function is None:
        function = tf
        for part in case.name.split(":")[0].split("."):
            function = getattr(function, part)
    else:
        program = function
        function = lambda *args, **kwargs: program(tf, *args, **kwargs)  # noqa: E731

    def run(tensors: list[Any]) -> Any:
        left = iter(tensors)
        args = [replaced(tf, a, left) for a in case.call.args]
        return function(*args, **{k: replaced(tf, v, left) for k, v in case.call.kwargs.items()})

    return run


def replaced(tf: Any, value: Any, tensors: Iterator[Any]) -> Any:
    """An argument with tensors for what is given."""
    if isinstance(value, Given):
        return in_its_form(tf, value, next(tensors))
    if isinstance(value, Fixed):
        return tf.constant(value.array)
    if isinstance(value, (tuple, list)):
        return type(value)(replaced(tf, v, tensors) for v in value)
    return value


def in_its_form(tf: Any, given: Given, tensor: Any) -> Any:
    """What is handed over of a tensor."""
    if given.form == "numpy":
        return given.array
    if given.form == "variable":
        building = not tf.executing_eagerly() and tf.compat.v1.get_default_graph().building_function
        return tensor if building else tf.Variable(given.array)
    if given.form == "sparse":
        return tf.sparse.from_dense(tensor)
    if given.form == "ragged":
        if given.array.ndim > 1:
            lengths = [(i + 1) % (n + 1) for n in given.array.shape[1:2] for i in range(len(given.array))]
            return tf.RaggedTensor.from_tensor(tensor, lengths=lengths)
        return tf.RaggedTensor.from_row_splits(tensor, [0, given.array.size // 2, given.array.size])
    return tensor


def parts(tf: Any, value: Any) -> list[tuple[str, Any]]:
    """The tensors a result is made of, each with its kind; what is no tensor has the kind "value"."""
    if isinstance(value, dict):
        return [part for key in sorted(value) for part in parts(tf, value[key])]
    if isinstance(value, tf.RaggedTensor):
        return [("ragged", part) for part in (value.flat_values, *value.nested_row_splits)]
    if isinstance(value, tf.SparseTensor):
        return [("sparse", part) for part in (value.indices, value.values, value.dense_shape)]
    if isinstance(value, tf.IndexedSlices):
        return [("slices", tf.convert_to_tensor(value))]
    if isinstance(value, tf.Tensor):
        return [("tensor", value)]
    if isinstance(value, (tuple, list)) and type(value).__name__ != "TensorShape":
        return [part for v in value for part in parts(tf, v)]
    return [("value", value)]


def written(kind: str, value: Any) -> list[Any]:
    """A part of a result as plain data."""
    if kind == "value" and not isinstance(value, (np.ndarray, np.generic)):
        return [kind, repr(value)]
    array = np.array(value, object) if isinstance(value, (bytes, str)) else np.asarray(value)
    return [kind, array.dtype.name, list(array.shape), [number(v, array.dtype.name) for v in array.ravel().tolist()]]


def number(value: Any, dtype: str) -> Any:
    """A number with the digits its dtype has; complex ones as pairs, bytes as text."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [number(value.real, dtype), number(value.imag, dtype)]
    if isinstance(value, (bool, int, str)):
        return int(value) if isinstance(value, bool) else value
    return float(f"{float(value):.{DIGITS.get(dtype, 14)}g}")


def weights(array: np.ndarray) -> np.ndarray:
    """What a result is weighted with before it is differentiated: no two elements alike."""
    line = 1 + np.mod(0.25 * np.arange(array.size, dtype=np.float64), 3.0)
    return line.reshape(array.shape).astype(array.dtype)


def differentiable(array: np.ndarray) -> bool:
    """Whether an array has a dtype with derivatives."""
    return array.dtype.kind in "fcV" or array.dtype.name == "bfloat16"


def outcome(tf: Any, case: Case) -> dict[str, Any]:
    """What a case gives."""
    evaluate = {"eager": eagerly, "graph": in_a_graph, "function": in_a_function}[case.way.split()[0]]
    phases = [] if case.way == "eager" else ["build"]
    try:
        with np.errstate(all="ignore"):
            return evaluate(tf, case, phases)
    except Exception as error:
        found = {"e": type(error).__name__, "text": str(error), **({"p": phases[-1]} if phases else {})}
        if tf.__name__ == "inlay":
            found["is"] = [kind.__name__ for kind in type(error).__mro__]
            found["accident"] = is_accident(tf, error)
        return found


ACCIDENTS = (AttributeError, LookupError, NameError, RecursionError, ArithmeticError, AssertionError)
"""What a kernel never raises of its own will."""


def is_accident(tf: Any, error: BaseException) -> bool:
    """Whether an exception came out of the library's frames without a `raise` of its own."""
    ours, cause = tf.errors.OpError, error.__cause__
    if isinstance(error, ours):
        if not isinstance(cause, ACCIDENTS) or isinstance(cause, ours):
            return False
        error = cause
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_frame.f_globals.get("__name__", "").startswith("tests."):
        return False
    return not linecache.getline(last.tb_frame.f_code.co_filename, last.tb_lineno).strip().startswith("raise")


def sources(case: Case, tensors: list[Any]) -> list[Any]:
    """The tensors that are differentiated with respect to."""
    given = case.call.given
    return [t for t, g in zip(tensors, given, strict=True) if differentiable(g.array)]


def derivatives(tf: Any, case: Case, arrays: list[Any], derive: Callable[[int], list[Any]]) -> dict[str, Any]:
    """g and h, where they are defined; an exception while deriving stands in their place."""
    found: dict[str, Any] = {}
    if not case.call.order or not case.call.finite or not any(differentiable(np.asarray(a)) for a in arrays):
        return found
    for order, key in ((1, "g"), (2, "h"))[: case.call.order]:
        try:
            found[key] = derive(order)
        except Exception as error:
            found[key] = {"e": type(error).__name__, "text": str(error)}
        if not isinstance(found[key], list) or not any(found[key]):
            break
    return found


def described(tf: Any, gradients: list[Any], value_of: Callable[[Any], Any]) -> list[Any]:
    """Gradients as plain data; None stays."""
    return [g if g is None else [written(kind, value_of(part)) for kind, part in parts(tf, g)][0] for g in gradients]


def taped(
    tf: Any, run: Run, tensors: list[Any], xs: list[Any], order: int, weighted: Callable[[Any], Any]
) -> list[Any]:
    """Derivatives by tapes."""
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = [y for _, y in parts(tf, run(tensors)) if isinstance(y, tf.Tensor) and differs(y)]
        first = tape.gradient(ys, xs, output_gradients=[weighted(y) for y in ys])
        if order == 1:
            return list(first)
        dense = [tf.convert_to_tensor(g) for g in first if g is not None]
    return list(outer.gradient(dense, xs, output_gradients=[weighted(g) for g in dense]))


def differs(tensor: Any) -> bool:
    """Whether a tensor has a dtype with derivatives."""
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def eagerly(tf: Any, case: Case, phases: list[str]) -> dict[str, Any]:
    """A case called eagerly."""
    run = runner(tf, case)
    tensors = [tf.constant(g.array) for g in case.call.given]
    made = parts(tf, run(tensors))
    arrays = [v.numpy() if isinstance(v, tf.Tensor) else v for _, v in made]
    xs = sources(case, tensors)

    def derive(order: int) -> list[Any]:
        found = taped(tf, run, tensors, xs, order, lambda y: tf.constant(weights(np.asarray(y.numpy()))))
        return described(tf, found, lambda v: v.numpy())

    numbers = [a for a, (kind, _) in zip(arrays, made, strict=True) if kind != "value"] if xs else []
    return {
        "y": [written(kind, a) for (kind, _), a in zip(made, arrays, strict=True)],
        **derivatives(tf, case, numbers, derive),
    }


def known(array: np.ndarray, way: str) -> list[int | None] | None:
    """What is known of a shape while a graph is built."""
    return {"full": list(array.shape), "dims": [None] * array.ndim, "rank": None}[way.split()[1]]


def static(tensor: Any) -> list[int | None] | None:
    """The static shape of a tensor."""
    return None if tensor.shape.rank is None else tensor.shape.as_list()


def in_a_graph(tf: Any, case: Case, phases: list[str]) -> dict[str, Any]:
    """A case built into a graph and run by a session."""
    v1 = tf.compat.v1
    run = runner(tf, case)
    with tf.Graph().as_default(), v1.Session() as session:
        places = [v1.placeholder(tf.as_dtype(g.array.dtype), known(g.array, case.way)) for g in case.call.given]
        feeds = {p: g.array for p, g in zip(places, case.call.given, strict=True)}
        made = parts(tf, run(places))
        tensors = [v for _, v in made if isinstance(v, tf.Tensor)]
        phases.append("run")
        session.run(v1.global_variables_initializer())
        fetched = session.run(tensors, feeds) if tensors else []
        left = iter(fetched)
        arrays = [next(left) if isinstance(v, tf.Tensor) else v for _, v in made]
        xs = sources(case, places)

        def derive(order: int) -> list[Any]:
            ys = [(t, np.asarray(a)) for t, a in zip(tensors, fetched, strict=True) if differs(t)]
            found = tf.gradients([t for t, _ in ys], xs, grad_ys=[tf.constant(weights(a)) for _, a in ys])
            if order == 2:
                dense = [tf.convert_to_tensor(g) for g in found if g is not None]
                values = session.run(dense, feeds)
                found = tf.gradients(dense, xs, grad_ys=[tf.constant(weights(np.asarray(v))) for v in values])
            return described(tf, found, lambda t: session.run(t, feeds))

        return {
            "y": [written(kind, a) for (kind, _), a in zip(made, arrays, strict=True)],
            "s": [static(t) for t in tensors],
            **derivatives(tf, case, fetched if xs else [], derive),
        }


def in_a_function(tf: Any, case: Case, phases: list[str]) -> dict[str, Any]:
    """A case traced by a function."""
    run = runner(tf, case)
    given = case.call.given
    signature = [tf.TensorSpec(known(g.array, case.way), tf.as_dtype(g.array.dtype)) for g in given]
    values = [tf.constant(g.array) for g in given]
    traced: list[tuple[str, Any]] = []

    @tf.function(input_signature=signature, autograph=False)
    def called(*tensors: Any) -> Any:
        traced[:] = parts(tf, run(list(tensors)))
        phases.append("run")
        return [v for _, v in traced if isinstance(v, tf.Tensor)]

    results = [v.numpy() for v in called(*values)]
    shapes = [static(v) for _, v in traced if isinstance(v, tf.Tensor)]
    left = iter(results)
    arrays = [next(left) if isinstance(v, tf.Tensor) else v for _, v in traced]
    at = [i for i, g in enumerate(given) if differentiable(g.array)]

    def derive(order: int) -> list[Any]:
        @tf.function(input_signature=signature, autograph=False)
        def derived(*tensors: Any) -> Any:
            xs = [tensors[i] for i in at]
            found = taped(tf, run, list(tensors), xs, order, lambda y: weights_of(tf, y))
            kinds[:] = [None if g is None else parts(tf, g)[0][0] for g in found]
            return [tf.convert_to_tensor(g) for g in found if g is not None]

        kinds: list[Any] = []
        made = iter([v.numpy() for v in derived(*values)])
        return [None if kind is None else written(kind, next(made)) for kind in kinds]

    numbers = results if at else []
    return {
        "y": [written(kind, a) for (kind, _), a in zip(traced, arrays, strict=True)],
        "s": shapes,
        **derivatives(tf, case, numbers, derive),
    }


def weights_of(tf: Any, tensor: Any) -> Any:
    """`weights` of a tensor that has no value yet."""
    line = 1 + tf.math.floormod(0.25 * tf.cast(tf.range(tf.size(tensor)), tf.float64), 3.0)
    return tf.cast(tf.reshape(line, tf.shape(tensor)), tensor.dtype)

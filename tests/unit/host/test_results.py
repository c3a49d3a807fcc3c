"""What a function may return, per flavor, and alike in every mode."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf

IAE = tf.errors.InvalidArgumentError


def eager(api: Any, func: Any, tout: Any) -> Any:
    return tf.nest.map_structure(lambda t: t.numpy(), api(func, [], tout))


def graph(api: Any, func: Any, tout: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(api(func, [], tout))


MODES = pytest.mark.parametrize("run", [eager, graph])
NUMPY = [tf.numpy_function, tf.compat.v1.py_func]
APIS = pytest.mark.parametrize("api", [tf.py_function, *NUMPY], ids=["py_function", "numpy_function", "py_func"])
FLAVOR = pytest.mark.parametrize("api", NUMPY, ids=["numpy_function", "py_func"])
F32 = np.float32


@MODES
@APIS
@pytest.mark.parametrize(
    ("returned", "count", "single", "expected"),
    [
        (F32(1), 1, True, 1.0),
        (F32(1), 1, False, [1.0]),
        ([F32(1)], 1, True, 1.0),
        ((F32(1),), 1, False, [1.0]),
        ((F32(1), F32(2)), 2, False, [1.0, 2.0]),
        ([F32([1, 2]), F32([3])], 2, False, [[1.0, 2.0], [3.0]]),
        ([], 0, False, []),
        (None, 0, False, []),
    ],
)
def test_counts_that_fit(returned: Any, count: int, single: bool, expected: Any, api: Any, run: Any) -> None:
    for tout in [tf.float32] if single else [[tf.float32] * count, (tf.float32,) * count]:
        got = run(api, lambda: returned, tout)
        if not count:
            assert got == ([] if run is eager else None)
        else:
            assert (isinstance(got, list)) is not single
            assert ([np.asarray(g).tolist() for g in got] if not single else got) == expected


@MODES
@APIS
@pytest.mark.parametrize(
    ("returned", "declared", "found"),
    [
        ((F32(1), F32(2)), 1, 2),
        ([F32(1)] * 3, 2, 3),
        (F32(1), 2, 1),
        (F32([1, 2]), 2, 1),
        (None, 1, 0),
        (None, 2, 0),
        (F32(1), 0, 1),
        ([], 1, 0),
    ],
)
def test_counts_that_do_not_fit(returned: Any, declared: int, found: int, api: Any, run: Any) -> None:
    for tout in [[tf.float32] * declared, *([tf.float32] if declared == 1 else [])]:
        with pytest.raises(IAE, match=f"returns {found} values, but expects to see {declared} values.") as caught:
            run(api, lambda: returned, tout)
        assert "test_counts_that_do_not_fit.<locals>.<lambda>" in str(caught.value)


def test_nothing_declared_gives_the_operation_in_a_graph() -> None:
    with tf.Graph().as_default():
        for api in (tf.py_function, *NUMPY):
            node = api(lambda: None, [], [])
            assert isinstance(node, tf.Operation)
            assert repr(node) == f"<tf.Operation {node.name!r} type={node.type}>"
        assert tf.numpy_function(lambda: None, [], [], stateful=False) == []


@MODES
@APIS
def test_a_bad_item_names_its_output(api: Any, run: Any) -> None:
    with pytest.raises(tf.errors.OpError, match="None") as caught:
        run(api, lambda: [F32(1), None], [tf.float32, tf.float32])
    assert isinstance(caught.value, (IAE, tf.errors.InternalError))
    for returned in ({"a": 1.0}, (i for i in [1.0]), {1.0}):
        kind = IAE if api is tf.py_function else tf.errors.InternalError
        with pytest.raises(kind, match="generator|dict|set|'a'|1.0"):
            run(api, lambda returned=returned: returned, tf.float32)


@MODES
def test_variables_are_results_of_the_numpy_flavor_only(run: Any) -> None:
    assert run(tf.numpy_function, lambda: tf.Variable(2.0), tf.float32) == 2.0
    with pytest.raises(RuntimeError, match="Attempting to return a variable"):
        run(tf.py_function, lambda: tf.Variable(2.0), tf.float32)


# ---------------------------------------------------------------- eager flavor: conversion to Tout

EAGER_OK: list[tuple[Any, str, Any]] = [
    (1.5, "float16", 1.5), (1.5, "bfloat16", 1.5), (1.5, "float64", 1.5), (1.5, "complex64", 1.5), (7, "float32", 7.0),
    (7, "uint8", 7), (7, "complex128", 7.0), (2**40, "int64", 2**40), (2**40, "float16", float("inf")),
    (True, "float32", 1.0), (True, "int64", 1), (True, "uint8", 1), (True, "bfloat16", 1.0), (True, "complex64", 1.0),
    (np.float64(2), "float32", 2.0), (np.array([1.0, 2.0]), "int32", [1, 2]), (np.array([1, 0]), "bool", [True, False]),
    (np.array([1, 2], object), "float32", [1.0, 2.0]), (np.zeros((0, 2)), "int32", []), (np.zeros(0), "string", []),
    ([1, 2], "float32", [[1.0], [2.0]]), ("hé", "string", "hé".encode()), (b"a\0b\0", "string", b"a\0b\0"),
    (np.array(["é", "b"]), "string", ["é".encode(), b"b"]), (np.array([b"a"]), "string", [b"a"]),
    (np.array(["é", b"x\0"], object), "string", ["é".encode(), b"x\0"]), (np.array([1.5], ">f8"), "float32", [1.5]),
    (np.asfortranarray([[1, 2], [3, 4]]), "int32", [[1, 2], [3, 4]]),
]  # fmt: skip
EAGER_BAD: list[tuple[Any, str, type[Exception], str]] = [
    (1.5, "int32", TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    (1.5, "bool", TypeError, "Cannot convert 1.5"),
    (1.5, "string", TypeError, "Cannot convert 1.5 to EagerTensor of dtype string"),
    (1j, "float32", TypeError, "Cannot convert 1j"),
    ("a", "float32", TypeError, "Cannot convert 'a'"),
    (2**40, "int32", ValueError, "out of range"),
    (300, "uint8", ValueError, "out of range"),
    (np.array([1.5, -2.7]), "int32", ValueError, r"Cannot convert np.float64\(1.5\) \(element 0, float64\)"),
    (np.float64(1.5), "int32", ValueError, "without changing its value; cast it yourself"),
    (np.array([300, -1]), "uint8", ValueError, "300"),
    (np.array([1 + 2j]), "float32", ValueError, "without changing"),
    (np.array([2]), "bool", ValueError, "without changing"),
    (np.array(["1", "2"]), "float32", TypeError, "dtype float32"),
    (np.array(["1"], object), "int32", TypeError, "dtype int32"),
    (np.array(["2020-01-01"], "datetime64[D]"), "int32", ValueError, "Unsupported numpy type"),
    (np.ma.array([1.0], mask=[True]), "float32", ValueError, r"mask would be lost.*\.filled"),
    ("\ud800", "string", ValueError, "Error converting unicode string"),
]


@MODES
@pytest.mark.parametrize(("returned", "tout", "expected"), EAGER_OK, ids=map(str, range(len(EAGER_OK))))
def test_py_function_converts_to_tout_where_no_value_changes(returned: Any, tout: str, expected: Any, run: Any) -> None:
    if isinstance(returned, list):  # a list is the list of results
        got = run(tf.py_function, lambda: returned, [tout] * len(returned))
        assert [[float(v)] for v in got] == expected
        return
    got = run(tf.py_function, lambda: returned, tout)
    assert got.tolist() == expected if hasattr(got, "tolist") else got == expected
    if tout != "string":
        assert got.dtype == tf.as_dtype(tout).np


@MODES
@pytest.mark.parametrize(("returned", "tout", "kind", "says"), EAGER_BAD, ids=map(str, range(len(EAGER_BAD))))
def test_py_function_refuses_what_would_change(returned: Any, tout: str, kind: Any, says: str, run: Any) -> None:
    with pytest.raises(IAE, match=says) as caught:
        run(tf.py_function, lambda: returned, tout)
    assert isinstance(caught.value, kind) and isinstance(caught.value.__cause__, kind)


@MODES
def test_tensors_are_never_cast(run: Any) -> None:
    for value, name in ((tf.constant([1.5], tf.float64), "float64"), (tf.constant([1]), "int32")):
        with pytest.raises(IAE, match=f"requested dtype float32 for Tensor with dtype {name}"):
            run(tf.py_function, lambda value=value: value, tf.float32)
    packed = run(tf.py_function, lambda: [[tf.constant(1.0), 2.0]], [tf.float32])
    assert packed[0].tolist() == [1.0, 2.0]


# ---------------------------------------------------------------- NumPy flavor: exactly Tout

EXACT: list[tuple[Any, str, Any]] = [
    (1.5, "float64", 1.5), (7, "int64", 7), (True, "bool", True), (1j, "complex128", 1j), (F32(2), "float32", 2.0),
    (np.float16([1]), "float16", [1.0]), (np.array([1], ml_dtypes.bfloat16), "bfloat16", [1.0]),
    (np.uint64([2**64 - 1]), "uint64", [2**64 - 1]), ([[1, 2]], "int64", None), ("hé", "string", "hé".encode()),
    (b"a\0b\0", "string", b"a\0b\0"), (np.array(["hé"]), "string", ["hé".encode()]),
    (np.array(["é", b"b\0"], object), "string", ["é".encode(), b"b\0"]), (np.array([b"c\0"]), "string", [b"c"]),
    (np.array([1.0, 2.0], ">f8"), "float64", [1.0, 2.0]),
    (np.asfortranarray([[1, 2], [3, 4]]), "int64", [[1, 2], [3, 4]]),
    (np.arange(4.0)[::-2], "float64", [3.0, 1.0]), (np.array(F32(2)), "float32", 2.0), (np.int8([1]), "qint8", [1]),
]  # fmt: skip
INEXACT: list[tuple[Any, str, str, str]] = [
    (1.5, "float32", "double", "float"), (7, "int32", "int64", "int32"), (True, "int32", "bool", "int32"),
    (np.zeros(2), "float32", "double", "float"), (F32(1), "float64", "float", "double"),
    (np.float16(1), "float32", "half", "float"), ("a", "float32", "string", "float"),
    (1.5, "string", "double", "string"),
    (1j, "complex64", "complex128", "complex64"), (np.zeros(0), "float32", "double", "float"),
]  # fmt: skip


@MODES
@FLAVOR
@pytest.mark.parametrize(("returned", "tout", "expected"), EXACT, ids=map(str, range(len(EXACT))))
def test_the_numpy_flavor_takes_exactly_tout(returned: Any, tout: str, expected: Any, api: Any, run: Any) -> None:
    if expected is None:
        returned, expected = [[1, 2]], [1, 2]
    got = run(api, lambda: returned, tout)
    assert got.tolist() == expected if hasattr(got, "tolist") else got == expected
    if isinstance(got, np.ndarray):
        assert got.dtype.isnative and got.flags.c_contiguous


@MODES
@FLAVOR
@pytest.mark.parametrize(("returned", "tout", "got", "want"), INEXACT, ids=map(str, range(len(INEXACT))))
def test_the_numpy_flavor_refuses_any_other(returned: Any, tout: str, got: str, want: str, api: Any, run: Any) -> None:
    with pytest.raises(IAE, match=f"0-th value returned by .*<lambda> is {got}, but expects {want}"):
        run(api, lambda: returned, tout)
    with pytest.raises(IAE, match=f"1-th value returned by .*<lambda> is {got}, but expects {want}"):
        run(api, lambda: (F32(0), returned), ["float32", tout])


@MODES
@FLAVOR
@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (np.array([1], object), "Unsupported object type int"),
        (np.array(["2020-01-01"], "datetime64[D]"), "Unsupported numpy type: datetime64"),
        (np.longdouble(1), "Unsupported numpy type"),
        (np.zeros(1, [("a", int)]), "Unsupported numpy type"),
        (np.ma.array([1.0], mask=[True]), "masked array, whose mask would be lost"),
        ([[[1], [2, 3]]], "not rectangular"),
        ("\ud800", "Error converting unicode string"),
    ],
)
def test_the_numpy_flavor_refuses_what_has_no_tensor(returned: Any, says: str, api: Any, run: Any) -> None:
    with pytest.raises(tf.errors.OpError, match=says) as caught:
        run(api, lambda: returned, tf.float64)
    assert isinstance(caught.value, (IAE, tf.errors.InternalError))


@MODES
@FLAVOR
def test_what_the_numpy_flavor_receives(api: Any, run: Any) -> None:
    seen: list[Any] = []

    def look(*args: Any) -> Any:
        seen.extend((type(a).__name__, getattr(a, "dtype", None), np.shape(a)) for a in args)
        return F32(0)

    inputs = [
        1.5,
        3,
        True,
        1j,
        "é",
        [1, 2],
        ["a"],
        np.float16([1]),
        np.array([1], ml_dtypes.bfloat16),
        np.zeros((0, 2)),
    ]
    if run is eager:
        api(look, inputs, tf.float32)
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            session.run(api(look, inputs, tf.float32))
    assert seen == [
        ("float32", F32, ()), ("int32", np.int32, ()), ("bool", np.bool_, ()), ("complex128", np.complex128, ()),
        ("bytes", None, ()), ("ndarray", np.int32, (2,)), ("ndarray", object, (1,)), ("ndarray", np.float16, (1,)),
        ("ndarray", ml_dtypes.bfloat16, (1,)), ("ndarray", np.float64, (0, 2)),
    ]  # fmt: skip


@MODES
def test_what_the_eager_flavor_receives(run: Any) -> None:
    seen: list[Any] = []

    def look(*args: Any) -> Any:
        seen.extend((type(a).__name__, a.dtype.name, a.shape.as_list()) for a in args)
        seen.append(tf.executing_eagerly())
        return 0.0

    inputs = [1.5, 2**40, "s", [[True]], tf.Variable([1.0]) if run is eager else 1.0]
    if run is eager:
        tf.py_function(look, inputs, tf.float32)
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            variable = tf.Variable([1.0])
            session.run(variable.initializer)
            session.run(tf.py_function(look, [*inputs[:-1], variable], tf.float32))
    assert seen == [
        ("EagerTensor", "float32", []), ("EagerTensor", "int64", []), ("EagerTensor", "string", []),
        ("EagerTensor", "bool", [1, 1]), ("EagerTensor", "float32", [1]), True,
    ]  # fmt: skip


# ---------------------------------------------------------------- the wording of refusals


def function(api: Any, func: Any, tout: Any) -> Any:
    return tf.function(lambda: api(func, [], tout))()


def hot(api: Any, func: Any, tout: Any) -> Any:
    """The run of a plan that was compiled because it ran often."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = api(func, [], tout)
        for _ in range(5):
            with pytest.raises(tf.errors.OpError):
                session.run(y)
        return session.run(y)


SPEC = tf.TensorSpec([2], tf.float32)
# (result, Tout, what the message says, what to do)
REFUSED: list[tuple[Any, Any, str, str]] = [
    (F32([1, 2, 3]), SPEC, "output 0 of refused has shape [3]; declared is [2]", "Return that shape, or declare None"),
    ((F32(1), F32(2)), tf.float32, "refused returns 2 values, but expects to see 1 values.", "one value per dtype"),
    (F32(1), {"a": tf.float32}, "does not have the declared structure {'a': tf.float32}", "Return that structure"),
]


@pytest.mark.parametrize("run", [eager, graph, hot, function])
@APIS
@pytest.mark.parametrize(("returned", "tout", "what", "remedy"), REFUSED, ids=["shape", "count", "structure"])
def test_a_refused_result_is_worded_as_a_check(
    returned: Any, tout: Any, what: str, remedy: str, api: Any, run: Any
) -> None:
    def refused() -> Any:
        return returned

    refused.__qualname__ = "refused"
    with pytest.raises(IAE) as caught:
        run(api, refused, tout)
    first, todo, function_line, op_line, inputs, *_ = str(caught.value).splitlines()
    assert what in first
    assert remedy in todo
    assert function_line.startswith("  returned by function ")
    assert "refused (" in function_line
    assert f"defined at {__file__}:" in op_line
    assert inputs == "  inputs: none"
    assert "raised in" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize("run", [eager, graph, hot, function])
def test_a_refused_dtype_is_worded_as_a_check(run: Any) -> None:
    for api, returned, error, what in (
        (tf.numpy_function, np.float64(1), IAE, "0-th value returned by .* is double, but expects float\n"),
        (tf.py_function, tf.constant(1.0, tf.float64), ValueError, "^ValueError: Tensor conversion requested dtype"),
        (tf.py_function, [tf.constant(1, tf.int32)], ValueError, "^ValueError: Tensor conversion requested dtype"),
        (tf.py_function, "text", TypeError, "^TypeError: .*output 0 of"),
    ):
        with pytest.raises(error, match=what) as caught:
            run(api, lambda r=returned: r, tf.float32)
        assert isinstance(caught.value, IAE)
        assert "\n  returned by function test_a_refused_dtype" in str(caught.value)
        assert "raised in" not in str(caught.value)
        assert "Traceback" not in str(caught.value)


def test_an_input_that_is_gone_is_named_by_its_dtype() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.numpy_function(lambda x: x, [p + 1.0], tf.float64)
        for _ in range(5):
            with pytest.raises(IAE, match=r"inputs: float32(\[2\]|<unknown>)\n"):
                session.run(y, {p: [1, 2]})


@MODES
@pytest.mark.parametrize("api", [tf.py_function, tf.numpy_function])
def test_a_shape_rule_that_raises_is_named(api: Any, run: Any) -> None:
    calls: list[int] = []

    def rule() -> Any:
        calls.append(0)
        if len(calls) > (run is graph):  # in a graph it is asked while building, too
            raise KeyError("rule")
        return []

    with pytest.raises(KeyError, match="raised in output_shapes of function test_a_shape_rule"):
        run(functools.partial(api, output_shapes=rule), lambda: F32(1), tf.float32)

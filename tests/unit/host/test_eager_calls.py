"""Calls that run at once: every form takes the short way, and the cache is bounded, never stale, and keeps nothing."""

from __future__ import annotations

import functools
import gc
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.host import api, declare, dispatch_cache, eager_calls
from inlay.contrib.framework import py_func as contrib

F32 = np.float32
NUMPY, EAGER = tf.numpy_function, tf.py_function
f32 = tf.float32


class Adder:
    """Methods, and an object that can be called."""

    def __init__(self, by: float = 1.0) -> None:
        self.by = by

    def add(self, a: Any) -> Any:
        return a + F32(self.by)

    __call__ = add


class Slotted:
    """Takes no weak references."""

    __slots__ = ()

    def add(self, a: Any) -> Any:
        return a + F32(1)

    __call__ = add


class Unhashable(Adder):
    __hash__ = None  # type: ignore[assignment]


def plus(a: Any) -> Any:
    return a + F32(1)


def both(a: Any, b: Any = 2) -> Any:
    return a + b, a * b


def nested(a: Any) -> Any:
    return {"sum": a + F32(1), "more": (a, [a * F32(2)])}


def named(a: Any, k: Any = 1, by: Any = None) -> Any:
    return a + F32(k) + (by["t"] if by else F32(0))


x, xn, NEST = tf.constant([1.0, 2.0]), F32([1, 2]), {"sum": f32, "more": (f32, [f32])}
adder, slotted, unhashable = Adder(), Slotted(), Unhashable()
decorated = {api: api(Tout=f32)(plus) for api in (NUMPY, EAGER)}

FORMS: dict[str, Any] = {
    "lambda": lambda f: f(plus, [x], f32),
    "no input": lambda f: f(lambda: F32(1), [], f32),
    "two inputs": lambda f: f(both, [x, x], [f32, f32]),
    "tuple of inputs": lambda f: f(plus, (x,), f32),
    "two outputs": lambda f: f(both, [x], [f32, f32]),
    "tuple of outputs": lambda f: f(both, [x], (f32, f32)),
    "one in a list": lambda f: f(plus, [x], [f32]),
    "nothing": lambda f: f(lambda a: None, [x], []),
    "NumPy's type": lambda f: f(plus, [x], np.float32),
    "its name": lambda f: f(plus, [x], "float32"),
    "its dtype": lambda f: f(plus, [x], np.dtype("f4")),
    "spec": lambda f: f(plus, [x], tf.TensorSpec([2], f32)),
    "nest": lambda f: f(nested, [x], NEST),
    "NumPy input": lambda f: f(plus, [xn], f32),
    "strided input": lambda f: f(plus, [np.ones((4, 4), F32)[::2]], f32),
    "NumPy scalar": lambda f: f(plus, [F32(2)], f32),
    "number": lambda f: f(plus, [2.0], f32),
    "whole number": lambda f: f(lambda a: a, [2], tf.int32),
    "list": lambda f: f(plus, [[1.0, 2.0]], f32),
    "string": lambda f: f(lambda a: a, ["text"], tf.string),
    "variable": lambda f: f(plus, [tf.Variable([1.0])], f32),
    "method": lambda f: f(adder.add, [x], f32),
    "object": lambda f: f(adder, [x], f32),
    "object with slots": lambda f: f(slotted, [x], f32),
    "its method": lambda f: f(slotted.add, [x], f32),
    "object without hash": lambda f: f(unhashable, [x], f32),
    "its method too": lambda f: f(unhashable.add, [x], f32),
    "shapes": lambda f: f(plus, [x], f32, output_shapes=[2]),
    "partial shapes": lambda f: f(both, [x], [f32, f32], output_shapes=[[None], tf.TensorShape([2])]),
    "keywords": lambda f: f(named, [x], f32, kwargs={"k": 2}),
    "tensors in keywords": lambda f: f(named, [x], f32, kwargs={"by": {"t": x, "other": [1, "s"]}}),
    "gradient": lambda f: f(plus, [x], f32, grad=lambda *a: a[0]),
    "stateless": lambda f: f(plus, [x], f32, stateful=False),
    "named": lambda f: f(plus, [x], f32, name="n"),
    "decorated": lambda f: decorated[f](x),
}
NUMPY_FORMS: dict[str, Any] = {
    "ufunc": lambda: NUMPY(np.sinh, [x], f32),
    "built-in": lambda: NUMPY(abs, [x], f32),
    "built-in method": lambda: NUMPY(np.arange(3.0, dtype=F32).take, [1], f32),
    "views": lambda: NUMPY(plus, [x], f32, copy=False),
    "py_func": lambda: tf.compat.v1.py_func(plus, [x], f32),
    "contrib": lambda: contrib(plus, [x], None, f32),
    "contrib's nests": lambda: contrib(lambda a, k: {"r": a[0] + k["b"]}, [[x, 1.0]], {"k": {"b": x}}, {"r": f32}),
    "contrib.eager": lambda: tf.contrib.eager.py_func(plus, [x], f32),
}
ALL = {f"{name} {f.__name__}": (lambda form=form, f=f: form(f)) for name, form in FORMS.items() for f in (NUMPY, EAGER)}
ALL |= NUMPY_FORMS


def values(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: np.asarray(t.numpy()).tolist(), result)


@pytest.fixture
def no_long_way(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the long way was taken")

    monkeypatch.setattr(api, "stage_flat", refuse)
    yield


@pytest.mark.parametrize("form", ALL.values(), ids=ALL)
def test_every_form_takes_the_short_way_and_gives_what_the_long_one_gives(
    form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        for name in ("run", "specialize"):
            patch.setattr(eager_calls, name, lambda *_, **__: eager_calls.UNHANDLED)
        expected = form()
    with monkeypatch.context() as patch:
        patch.setattr(api, "stage_flat", None)
        assert values(form()) == values(expected)
        for name in ("outputs_of", "nested_outputs"):
            patch.setattr(declare, name, None)  # a declaration is read once
        again = form()
    assert values(again) == values(expected)
    for one, two in zip(tf.nest.flatten(again), tf.nest.flatten(expected), strict=True):
        assert one.dtype is two.dtype and type(one._value) is type(two._value)


@pytest.mark.parametrize("form", ALL.values(), ids=ALL)
def test_every_form_takes_the_short_way_under_a_tape(form: Any, no_long_way: None) -> None:
    if (
        "grad" in form.__code__.co_names
        or form is ALL["gradient numpy_function"]
        or form is ALL["gradient py_function"]
    ):
        pytest.skip("the user's own gradient is recorded the long way")
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.nest.flatten(form())
    differentiable = [t for t in found if t.dtype is f32]
    if differentiable:
        tape.gradient(differentiable, x)


def test_gradients_flow_through_the_short_way(no_long_way: None) -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        one, two = EAGER(lambda a, b: (a * v, b * 2.0), [x, 5.0], [f32, f32])
    assert tape.gradient(one, [x, v])[0].numpy().tolist() == [3, 3]
    assert tape.gradient(one, v).numpy() == 3
    assert tape.gradient(two, x).numpy().tolist() == [0, 0]  # connected, and nothing flowed


# ---------------------------------------------------------------- known defects


@pytest.mark.parametrize("make", [
    lambda a: np.asfortranarray(np.ones((2, 3), F32)), lambda a: np.broadcast_to(F32(1), (2, 3)), lambda a: xn[::-1],
])  # fmt: skip
def test_results_are_in_c_order_and_nobody_elses(make: Any, no_long_way: None) -> None:
    flags = NUMPY(make, [x], f32)._value.flags
    assert flags.c_contiguous and flags.owndata and flags.writeable


@pytest.mark.parametrize("f", [NUMPY, EAGER])
def test_a_body_runs_as_it_is_written(f: Any) -> None:
    files = []

    def outer(a: Any) -> Any:
        def body(b: Any) -> Any:
            files.append(sys._getframe().f_code.co_filename)
            return b

        return f(body, [a], f32)

    converted = tf.autograph.to_graph(outer)  # and body with it
    assert [converted(x).numpy().tolist() for _ in range(2)] == [[1, 2]] * 2
    assert files == [__file__] * 2


def test_errors_do_not_point_to_what_is_not_there() -> None:
    def generator(a: Any) -> Any:
        yield a

    for f in (NUMPY, EAGER):
        with pytest.raises(ValueError, match="is a generator function") as caught:
            f(generator, [x], f32)
        assert "Dataset" not in str(caught.value)


@pytest.mark.parametrize("value", [None, [1.0, None], object()])
@pytest.mark.parametrize("f", [NUMPY, EAGER])
def test_an_input_that_has_no_tensor(f: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r"input 0 of the function"):
        f(plus, [value], f32)
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"input 0 of the function"):
        f(plus, [value], f32)


# ---------------------------------------------------------------- the cache


def test_caches_are_bounded_and_listed() -> None:
    names = {info.name: info for info in tf.debugging.caches()}
    for name in ("functions called eagerly", "host calls written for eager code"):
        assert names[name].size <= names[name].most


def test_functions_die_and_leave_nothing_behind() -> None:
    before = len(dispatch_cache._ENTRIES)

    def one() -> list[weakref.ref[Any]]:
        function, big = eval("lambda a: a"), type("Big", (), {"method": eval("lambda self, a: a")})
        owner = big()  # the code of both dies with them
        for f in (NUMPY, EAGER):
            f(function, [x], f32)
            f(function, [x], [f32])
            f(owner.method, [x], f32)
            f(function, [x], f32, output_shapes=[2], grad=lambda *a: a)
        with pytest.raises(tf.errors.OpError):
            NUMPY(function, [x], tf.int64)
        return [weakref.ref(function), weakref.ref(owner)]

    references = one()
    gc.collect()
    assert [r() for r in references] == [None, None]
    assert len(dispatch_cache._ENTRIES) <= before


def test_a_new_function_at_the_place_of_a_dead_one_is_not_taken_for_it() -> None:
    for i in range(200):
        assert NUMPY(eval(f"lambda a: a + np.float32({i})", {"np": np}), [F32(0)], f32).numpy() == i
        assert NUMPY(Adder(i).add, [F32(0)], f32).numpy() == i
        assert NUMPY(Adder(i), [F32(0)], f32).numpy() == i


def test_more_functions_than_the_cache_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    small: BoundedCache[Any, Any] = BoundedCache("functions called eagerly (test)", 3)
    monkeypatch.setattr(dispatch_cache, "_ENTRIES", small)
    functions = [eval(f"lambda a: a + np.float32({i})", {"np": np}) for i in range(8)]
    for _ in range(2):
        assert [NUMPY(f, [F32(0)], f32).numpy() for f in functions] == list(range(8))
    assert len(small) == 3


def test_functions_of_one_code_are_known_together_and_run_as_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: BoundedCache[Any, Any] = BoundedCache("functions called eagerly (one code)", 8)
    monkeypatch.setattr(dispatch_cache, "_ENTRIES", cache)
    for i in range(5):
        assert NUMPY(lambda a, i=i: a + F32(i), [F32(0)], f32).numpy() == i
    assert len(cache) == 1


def test_functions_of_one_code_and_other_names_are_told_apart_in_errors() -> None:
    def made(name: str) -> Any:
        def body(a: Any) -> Any:
            raise KeyError(name)

        body.__name__ = body.__qualname__ = name
        return body

    for name in ("first", "second"):
        with pytest.raises(KeyError, match=f"raised in function {name} "):
            NUMPY(made(name), [x], f32)


def test_a_wrapper_is_checked_for_what_it_wraps() -> None:
    def wrapper_of(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(a: Any) -> Any:
            return function(a)

        return wrapper

    def generator(a: Any) -> Any:
        yield a

    assert NUMPY(wrapper_of(lambda a: a), [x], f32).numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="generator function"):
        NUMPY(wrapper_of(generator), [x], f32)


@pytest.mark.filterwarnings("ignore:Assigning a code object:DeprecationWarning")  # of Python 3.13
def test_a_function_whose_code_changes_is_checked_again() -> None:
    def function(a: Any) -> Any:
        return a

    assert NUMPY(function, [x], f32).numpy().tolist() == [1, 2]
    function.__code__ = (lambda a, b: a).__code__
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        NUMPY(function, [x], f32)
    function.__defaults__ = (1,)
    assert NUMPY(function, [x], f32).numpy().tolist() == [1, 2]
    function.__defaults__ = None
    with pytest.raises(TypeError, match="checking function|missing 1 required positional"):
        NUMPY(function, [x], f32)

    def generator(a: Any) -> Any:
        yield a

    function.__code__ = generator.__code__
    with pytest.raises(ValueError, match="generator function"):
        NUMPY(function, [x], f32)


def test_a_list_of_dtypes_that_is_changed_is_read_again() -> None:
    tout = [f32]
    assert len(NUMPY(plus, [x], tout)) == 1
    tout.append(f32)
    assert len(NUMPY(both, [x], tout)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects to see 2 values"):
        NUMPY(plus, [x], tout)
    tout[:] = [tf.float64]
    assert NUMPY(lambda a: a.astype(np.float64), [x], tout)[0].dtype is tf.float64


def test_declarations_that_are_equal_but_not_alike_are_told_apart() -> None:
    def kinds(**kwargs: Any) -> Any:
        return np.array([type(v).__name__ for v in kwargs.values()], object)

    for value in (1, True, 1.0, F32(1), "1", None):
        assert NUMPY(kinds, [], tf.string, kwargs={"v": value}).numpy()[0].decode() == type(value).__name__
    assert list(NUMPY(nested, [x], {"sum": f32, "more": (f32, [f32])})) == ["sum", "more"]
    assert list(NUMPY(nested, [x], {"more": (f32, [f32]), "sum": f32})) == ["more", "sum"]


def test_nested_declarations_that_are_changed_are_read_again() -> None:
    tout: Any = {"sum": f32, "more": (f32, [f32])}
    shapes: Any = [[2], [None]]
    for _ in range(2):
        assert list(NUMPY(nested, [x], tout)) == ["sum", "more"]
        assert len(NUMPY(both, [x], [f32, f32], output_shapes=shapes)) == 2
    tout["more"] = (tf.float64, [f32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects double"):
        NUMPY(nested, [x], tout)
    shapes[1][0] = 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[2\]; declared is \[3\]"):
        NUMPY(both, [x], [f32, f32], output_shapes=shapes)


def test_keywords_of_one_name_that_are_tensors_or_not_are_told_apart() -> None:
    def kinds(**kwargs: Any) -> Any:
        seen.append(tf.nest.map_structure(lambda v: type(v).__name__, kwargs))

    seen: list[Any] = []
    table = [1, {"k": "s"}]
    for value in (
        1,
        x,
        xn,
        table,
        [x],
        [1],
        {"t": x, "n": 1},
        {"t": 1, "n": x},
        {"t": [1], "n": x},
        None,
        tf.Variable(1.0),
    ):
        for _ in range(2):
            EAGER(kinds, [], [], kwargs={"a": value, "b": 2})
        fast = seen.pop()
        assert seen.pop() == fast
        kinds(a=value, b=2)
        plain = tf.nest.map_structure(
            lambda name: "EagerTensor" if name in ("ndarray", "Variable") else name, seen.pop()
        )
        assert fast == plain, value
    for value in (table, x, table):
        EAGER(lambda k: seen.append(k), [], [], kwargs={"k": value})
        assert seen.pop() is value
    EAGER(kinds, [], [], kwargs={"b": 1, "a": 2})
    assert list(seen.pop()) == ["b", "a"]


def test_contrib_takes_other_nests_apart_as_they_come() -> None:
    def kinds(*args: Any, **kwargs: Any) -> Any:
        return np.array([repr(tf.nest.map_structure(lambda v: 0, [args, kwargs]))], object)

    for args, kwargs in [([1, 2], {}), ([[1], 2], {}), ([1, [2]], {}), ([(1,), 2], {}), ([1], {"b": [1], "a": 2})] * 2:
        told = contrib(kinds, args, kwargs, tf.string).numpy()[0].decode()
        assert told == repr(tf.nest.map_structure(lambda v: 0, [tuple(args), dict(sorted(kwargs.items()))]))


def test_strings_are_checked_and_nobody_elses() -> None:
    kept = np.array([b"a", b"b"], object)
    words = tf.constant(["x", "y"])
    mine = NUMPY(lambda a: kept, [words], tf.string)
    kept[0] = b"changed"
    assert mine.numpy().tolist() == [b"a", b"b"]
    assert NUMPY(lambda a: np.array(["é", b"b"], object), [words], tf.string).numpy().tolist() == ["é".encode(), b"b"]
    with pytest.raises(tf.errors.InternalError, match="Unsupported object type int"):
        NUMPY(lambda a: np.array([b"a", 1], object), [words], tf.string)
    assert NUMPY(lambda a: a[:0], [words], tf.string).shape == (0,)


def test_a_view_of_an_input_that_may_not_be_written_is_passed_on() -> None:
    found = NUMPY(lambda a: a[:1], [x], f32, copy=False)
    assert np.shares_memory(found._value, x._value) and not found._value.flags.writeable
    mine = np.ones(4, F32)
    passed = NUMPY(lambda a: a, [mine], f32, copy=False)
    mine[:] = 0
    assert passed.numpy().tolist() == [1, 1, 1, 1]
    passed.numpy()[:] = 5  # the caller's own
    assert passed.numpy().tolist() == [1, 1, 1, 1]
    v = tf.Variable(passed)
    v.assign_add(passed)
    assert passed.numpy().tolist() == [1, 1, 1, 1] and v.numpy().tolist() == [2, 2, 2, 2]


def test_one_function_in_several_modes() -> None:
    def mode(a: Any) -> Any:
        return np.array(type(a).__name__, object)

    for _ in range(2):
        assert NUMPY(mode, [xn], tf.string).numpy() == b"ndarray"
        assert EAGER(mode, [xn], tf.string).numpy() == b"EagerTensor"


def test_plain_objects_in_keywords_are_passed_as_they_are() -> None:
    seen = []
    table = {"deep": [1, 2]}
    for one in (table, object(), (lambda: 0)):
        NUMPY(lambda k: seen.append(k), [], [], kwargs={"k": one})
        assert seen[-1] is one


def test_inputs_are_the_functions_own_and_the_callers_stay_as_they_were() -> None:
    def clear(a: Any) -> Any:
        a[:] = 0
        return a

    mine = F32([1, 2])
    assert NUMPY(clear, [mine], f32).numpy().tolist() == [0, 0]
    assert NUMPY(clear, [x], f32).numpy().tolist() == [0, 0]
    assert mine.tolist() == [1, 2] and x.numpy().tolist() == [1, 2]
    kept: list[Any] = []
    EAGER(lambda a: kept.append(a), [mine], [])
    NUMPY(lambda a: kept.append(a), [mine], [], copy=False)
    mine[:] = 9
    assert [np.asarray(k).tolist() for k in kept] == [[1, 2], [1, 2]]


def test_symbolic_inputs_and_scopes_take_the_long_way() -> None:
    with tf.Graph().as_default():
        assert isinstance(NUMPY(plus, [x], f32), tf.Tensor) and not hasattr(NUMPY(plus, [x], f32), "_value")
        y = tf.compat.v1.placeholder(f32)
    assert NUMPY(plus, [y], f32).graph is y.graph
    assert NUMPY(named, [x], f32, kwargs={"by": {"t": y}}).graph is y.graph
    with tf.device("/cpu:0"):
        assert NUMPY(plus, [x], f32).numpy().tolist() == [2, 3]


def test_an_error_leaves_the_state_as_it_was() -> None:
    def fails(a: Any) -> Any:
        raise KeyError("lost")

    for f in (NUMPY, EAGER):
        for tout in (f32, [f32, f32]):
            with pytest.raises(KeyError, match="test_eager_calls.py") as caught:
                f(fails, [x], tout)
            assert isinstance(caught.value, tf.errors.OpError)
            assert "inputs: float32[2]" in str(caught.value)
            assert tf.executing_eagerly()
    with pytest.raises(KeyError):
        NUMPY(fails, [2.0], f32)

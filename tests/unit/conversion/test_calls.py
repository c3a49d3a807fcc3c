"""Which functions are converted, and what converted code sees of the calls it makes."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.conversion import calls
from inlay._src.programs.conversion.calls import FunctionScope, Namespace, call, convert, converted_call, do_not_convert
from inlay._src.programs.conversion.marks import CONVERTED, UNCONVERTED, is_marked, mark


def is_tensor(x: Any) -> Any:
    """Tells converted code from code as it is written: the branch on a tensor only works converted."""
    if x > 0:
        return x
    return -x


class Callable:
    def __call__(self, x: Any) -> Any:
        return is_tensor(x)

    def method(self, x: Any) -> Any:
        return is_tensor(x)

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return is_tensor(x)


def negative() -> Any:
    return tf.compat.v1.placeholder(tf.float32, ())


CONVERTIBLE = [
    is_tensor,
    lambda x: is_tensor(x),
    Callable(),
    Callable().method,
    Callable.of_class,
    functools.partial(is_tensor),
    functools.partial(lambda sign, x: is_tensor(x) * sign, 1.0),
]


@pytest.mark.parametrize("function", CONVERTIBLE, ids=range(len(CONVERTIBLE)))
def test_the_users_functions_are_converted(function: Any) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, ())
        assert session.run(call(function, (x,), {}), {x: -3.0}) == 3.0


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (len, ([1, 2],), 2),
        (np.negative, (3,), -3),
        (inspect.cleandoc, (" a",), "a"),
        (types.SimpleNamespace, (), types.SimpleNamespace()),
        (str, (3,), "3"),
        ("text".upper, (), "TEXT"),
    ],
)
def test_what_is_not_the_users_runs_as_it_is(function: Any, args: Any, expected: Any) -> None:
    assert call(function, args, {}) == expected


def test_generators_and_coroutines_run_as_they_are() -> None:
    def numbers() -> Any:
        yield 1

    async def later() -> int:
        return 1

    assert inspect.isgenerator(call(numbers, (), {}))
    waiting = call(later, (), {})
    assert inspect.iscoroutine(waiting)
    waiting.close()


def test_this_libraries_own_functions_are_never_converted() -> None:
    assert calls._runs_as_is(tf.add.__wrapped__ if hasattr(tf.add, "__wrapped__") else convert, requested=True)


def test_a_requested_function_is_converted_whatever_package_it_lives_in() -> None:
    target = types.FunctionType(is_tensor.__code__, {"__name__": "numpy.somewhere"}, "moved")
    assert calls._runs_as_is(target, requested=False)
    assert not calls._runs_as_is(target, requested=True)


# ---- marks


def test_a_mark_is_not_inherited_by_what_wraps_a_function() -> None:
    def inner() -> None:
        pass

    mark(inner, CONVERTED)
    assert is_marked(inner, CONVERTED) and is_marked(inner, UNCONVERTED, CONVERTED)
    assert not is_marked(inner, UNCONVERTED) and not is_marked(3, CONVERTED)

    @functools.wraps(inner)
    def wrapper() -> None:
        pass

    assert not is_marked(wrapper, CONVERTED)


def test_do_not_convert_is_a_decorator_with_and_without_parentheses() -> None:
    @do_not_convert
    def one(x: Any) -> Any:
        return x

    @do_not_convert()
    def two(x: Any) -> Any:
        return x

    assert convert(one) is one and convert(two) is two
    assert one(3) == two(3) == 3 and one.__name__ == "one"


def test_converting_twice_is_converting_once() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, ())
        assert session.run(convert(convert(is_tensor))(x), {x: -2.0}) == 2.0


# ---- calls that look at the frame they are made from


def test_functions_that_read_frames_see_the_users() -> None:
    local = 3

    def function() -> Any:
        mine = local + 1
        return mine, locals(), eval("mine + 1"), globals()["__name__"]

    mine, seen, more, module = convert(function)()
    assert (mine, more, module) == (4, 5, __name__)
    assert seen["local"] == 3 and seen["mine"] == 4 and "ag__" not in seen


def test_super_finds_the_class() -> None:
    class Base:
        def value(self, x: Any) -> Any:
            return is_tensor(x)

    class Derived(Base):
        def value(self, x: Any) -> Any:
            return super().value(x) + 1

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, ())
        assert session.run(convert(Derived().value)(x), {x: -2.0}) == 3.0


def test_builtins_are_replaced_for_tensors_only() -> None:
    scope = FunctionScope("f", "fscope", None)
    assert converted_call(len, ([1, 2],), None, scope) == 2
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, (None,))
        assert session.run(converted_call(len, (x,), None, scope), {x: [1.0, 2.0]}) == 2


# ---- what converted functions are made of


def test_a_function_that_returns_a_value_in_some_runs_only_is_refused() -> None:
    scope = FunctionScope("f", "fscope", None)
    assert scope.ret(3, True) == 3 and scope.ret(None, False) is None
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'f' ends without a `return` in some runs"):
        scope.ret(3, tf.compat.v1.placeholder(tf.bool, ()))


def test_a_function_defined_inside_carries_what_the_user_wrote() -> None:
    def outer() -> Any:
        factor = 2

        def inner(x: Any) -> Any:
            return x * factor

        return inner

    inner = outer()
    code = inner.__code__
    made = Namespace((code,), None).defined(0)(inner)
    assert made is inner and is_marked(inner, CONVERTED)
    assert calls._as_written(inner, code)(4) == 8  # type: ignore[misc]


def _merged(strategy: Any, x: Any) -> Any:
    return is_tensor(x)


def _updated(variable: Any, x: Any) -> Any:
    return variable.assign(is_tensor(x))


def _takers() -> dict[str, Any]:
    """Calls that take a function which TensorFlow 2.21 converts where converted code makes the call."""
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    variable = tf.Variable(0.0)
    merge = lambda x: tf.distribute.get_replica_context().merge_call(_merged, args=(x,))  # noqa: E731
    return {
        "map_fn": lambda x: tf.map_fn(is_tensor, tf.stack([x]))[0],
        "map_fn(fn=)": lambda x: tf.map_fn(fn=is_tensor, elems=tf.stack([x]))[0],
        "map_fn of an object": lambda x: tf.map_fn(Callable(), tf.stack([x]))[0],
        "compat.v1.map_fn": lambda x: tf.compat.v1.map_fn(is_tensor, tf.stack([x]))[0],
        "run": lambda x: strategy.run(is_tensor, (x,)),
        "run(fn=)": lambda x: strategy.run(fn=is_tensor, args=(x,)),
        "merge_call": lambda x: strategy.run(merge, (x,)),
        "update": lambda x: strategy.extended.update(variable, _updated, args=(x,)),
    }


@pytest.mark.parametrize("name", _takers())
def test_functions_that_are_passed_on_are_converted_by_converted_code(name: str) -> None:
    take = _takers()[name]
    assert tf.function(take)(-3.0) == 3.0
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(take, autograph=False)(tf.constant(-3.0))


def test_functions_that_scan_takes_are_not_converted() -> None:
    def larger(a: Any, x: Any) -> Any:
        return x if x > a else a

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda: tf.scan(larger, tf.constant([1.0, 2.0])))()

"""Public functions overridden for users' own types, as TensorFlow's dispatch does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.export import replace_everywhere
from inlay._src.ops.composite import dispatch


class Masked(tf.experimental.ExtensionType):  # type: ignore[misc]
    values: tf.Tensor
    mask: tf.Tensor


X = ([1.0, 2.0], [True, False])
Y = ([3.0, 4.0], [True, True])


def parts(masked: Masked) -> tuple[Any, Any]:
    return masked.values.numpy().tolist(), masked.mask.numpy().tolist()


@pytest.fixture(autouse=True)
def functions_are_public_again() -> Iterator[None]:
    """Dispatchers stay in place of functions for good; tests of namespaces compare the functions."""
    yield
    for standing in list(dispatch._dispatchers):
        if (function := getattr(standing, "__wrapped__", None)) in dispatch._dispatchers:
            replace_everywhere(standing, function)
            del dispatch._dispatchers[standing], dispatch._dispatchers[function]


@pytest.fixture
def registered() -> Iterator[Any]:
    targets: list[Any] = []

    def register(decorator: Any, target: Any) -> Any:
        targets.append(target)
        return decorator(target)

    yield register
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)


def masked_stack(values: list[Masked], axis: int = 0) -> Masked:
    return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))


def masked_unary(api: Any, x: Masked) -> Masked:
    return Masked(api(x.values), x.mask)


def masked_binary(api: Any, x: Any, y: Any) -> Masked:
    x, y = (v if isinstance(v, Masked) else Masked(v, tf.ones_like(v, tf.bool)) for v in (x, y))
    return Masked(api(x.values, y.values), x.mask & y.mask)


def test_a_target_replaces_a_function_for_its_types_until_it_is_unregistered() -> None:
    x, y = Masked(*X), Masked(*Y)
    original = tf.stack
    tf.experimental.dispatch_for_api(tf.stack)(masked_stack)
    try:
        assert parts(tf.stack([x, y])) == ([[1, 2], [3, 4]], [[True, False], [True, True]])
        assert parts(tf.compat.v1.stack([x, y], axis=1, name="both"))[0] == [[1, 3], [2, 4]]
        assert tf.stack([1, 2]).numpy().tolist() == [1, 2]
        with pytest.raises(ValueError):
            tf.stack([x, tf.constant([1.0, 2.0])])
    finally:
        tf.experimental.unregister_dispatch_for(masked_stack)
    with pytest.raises(ValueError):
        tf.stack([x, y])
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(masked_stack)
    assert original([1, 2]).numpy().tolist() == [1, 2]


def test_elementwise_handlers_serve_every_function_of_their_kind(registered: Any) -> None:
    x, y = Masked(*X), Masked(*Y)
    registered(tf.experimental.dispatch_for_unary_elementwise_apis(Masked), masked_unary)
    either = Masked | tf.Tensor
    registered(tf.experimental.dispatch_for_binary_elementwise_apis(either, either), masked_binary)
    assert parts(tf.negative(x)) == ([-1, -2], X[1])
    assert tf.cast(x, tf.int32).values.dtype == tf.int32
    assert tf.ones_like(x, dtype=tf.float64).values.dtype == tf.float64
    assert parts(tf.clip_by_value(x, 0.0, 1.5, name="clipped"))[0] == [1, 1.5]
    assert parts(tf.add(x, y)) == ([4, 6], [True, False])
    assert parts(tf.math.add(x, tf.constant(2.0))) == ([3, 4], X[1])
    assert tf.add(1, 2).numpy() == 3
    assert parts(tf.function(lambda v: tf.abs(v))(x)) == X


def test_two_targets_that_match_are_an_error(registered: Any) -> None:
    registered(tf.experimental.dispatch_for_api(tf.add, {"x": Masked}), lambda x, y: "x")
    registered(tf.experimental.dispatch_for_api(tf.add, {1: Masked}), lambda x, y, name=None: "y")
    x = Masked(*X)
    assert tf.add(x, 1.0) == "x" and tf.add(1.0, x) == "y"
    with pytest.raises(ValueError, match="Multiple dispatch targets"):
        tf.add(x, x)


@pytest.mark.parametrize(
    ("register", "words"),
    [
        (lambda: tf.experimental.dispatch_for_api(tf.add)(lambda a, b: 1), "does not match API's signature"),
        (lambda: tf.experimental.dispatch_for_api(tf.add, {"z": Masked}), "unknown parameter 'z'"),
        (lambda: tf.experimental.dispatch_for_api(tf.add, {5: Masked}), "unknown parameter 5"),
        (lambda: tf.experimental.dispatch_for_api(tf.add, {"x": 3}), "Type annotation 3"),
        (lambda: tf.experimental.dispatch_for_api(lambda x: x), "does not support dispatch"),
        (lambda: tf.experimental.dispatch_for_api(tf.Tensor), "does not support dispatch"),
        (lambda: tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda a, b, c: 1), "parameters"),
    ],
)
def test_what_cannot_be_registered_is_refused(register: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        register()

"""Reverse accumulation: what flows where, what is dropped, and whose error it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay import errors
from inlay._src.core.eager.record import Record
from inlay._src.core.opdef import OPS
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO, accumulate, add_up, noting_barriers

tf.Graph  # noqa: B018  (declares the ops)


def tensor(value: Any = 1.0) -> Any:
    return tf.constant(value, tf.float32)


def application(
    inputs: Sequence[Any], outputs: Sequence[Any], rule: Callable[..., Any], body: str | None = None
) -> Record:
    """A record whose gradient is `rule(*output_grads)`."""
    return Record(OPS["Identity"], tuple(inputs), tuple(outputs), {}, None, body, pull=lambda _, *grads: rule(*grads))


def values(cotangents: dict[int, Any], *tensors: Any) -> list[Any]:
    """What was found for tensors: numbers, IMPLICIT_ZERO or None."""
    found = [cotangents.get(id(t)) for t in tensors]
    return [g if g is None or g is IMPLICIT_ZERO else g.numpy().tolist() for g in found]


def test_cotangents_go_through_applications_in_the_order_given() -> None:
    x, y, z = tensor(), tensor(), tensor()
    first, second = application([x], [y], lambda g: g * 2.0), application([y], [z], lambda g: g * 5.0)
    cotangents = {id(z): tensor()}
    accumulate([second, first], cotangents, {id(x)})
    assert values(cotangents, x) == [10]


def test_what_several_applications_give_is_added_up() -> None:
    x, y, z, total = (tensor() for _ in range(4))
    records = [application([y, z], [total], lambda g: (g, g)), application([x], [z], lambda g: g * 3.0),
               application([x, x], [y], lambda g: (g, g * 10.0))]  # fmt: skip
    cotangents = {id(total): tensor()}
    accumulate(records, cotangents, {id(x)})
    assert values(cotangents, x) == [14]


def test_cotangents_are_dropped_once_used_unless_they_are_asked_for() -> None:
    x, y, z = tensor(), tensor(), tensor()
    records = [application([y], [z], lambda g: g * 5.0), application([x], [y], lambda g: g * 2.0)]
    for kept in ([x], [x, y], [z]):
        cotangents = {id(z): tensor()}
        accumulate(records, cotangents, {id(t) for t in kept})

        want = [10, *(v if any(t is k for k in kept) else None for t, v in ((y, 5), (z, 1)))]
        assert values(cotangents, x, y, z) == want


def test_an_application_that_nothing_came_to_is_not_asked() -> None:
    x, y, a, b = (tensor() for _ in range(4))
    never = application([x], [y], lambda *_: pytest.fail("asked"))
    pair = application([x], [a, b], lambda *_: pytest.fail("asked"))
    accumulate([never, pair], found := {id(tensor()): tensor()}, set())
    assert len(found) == 1


def test_a_rule_gets_none_for_outputs_that_nothing_came_to() -> None:
    x, a, b, c = (tensor() for _ in range(4))
    seen: list[Any] = []
    split = application([x], [a, b, c], lambda *grads: seen.extend(grads) or grads[0])
    cotangents: dict[int, Any] = {id(a): tensor(4.0), id(c): IMPLICIT_ZERO}
    accumulate([split], cotangents, {id(x)})
    assert [seen[0].numpy(), *seen[1:]] == [4, None, None] and values(cotangents, x, a, c) == [4, None, None]


def test_an_implicit_zero_passes_without_asking_and_gives_way_to_a_number() -> None:
    x, w, y, z = (tensor() for _ in range(4))
    below = application([x, w], [y], lambda *_: pytest.fail("asked"))
    above = application([y], [z], lambda g: IMPLICIT_ZERO)
    cotangents: dict[int, Any] = {id(z): tensor()}
    accumulate([above, below], cotangents, {id(x), id(w)})
    assert values(cotangents, x, w) == [IMPLICIT_ZERO, IMPLICIT_ZERO]
    pair = application([x], [y, z], lambda *_: pytest.fail("asked"))
    cotangents = {id(y): IMPLICIT_ZERO, id(x): tensor(3.0)}
    accumulate([pair], cotangents, {id(x)})
    assert values(cotangents, x) == [3]
    assert repr(IMPLICIT_ZERO) == "IMPLICIT_ZERO"


def test_nothing_flows_to_whole_numbers_static_inputs_and_text() -> None:
    whole, text, x, y = tf.constant(1), tf.constant("a"), tensor(), tensor()
    record = application([whole, text, [0, 1], x], [y], lambda g: (g, g, g, g))
    cotangents = {id(y): tensor(2.0)}
    accumulate([record], cotangents, {id(t) for t in (whole, text, x)})
    assert values(cotangents, whole, text, x) == [None, None, 2] and len(cotangents) == 1


def test_sums_of_cotangents() -> None:
    one, two = tensor(1.0), tensor(2.0)
    for nothing in (None, IMPLICIT_ZERO):
        assert add_up(nothing, one) is one and add_up(one, nothing) is one
    assert add_up(None, IMPLICIT_ZERO) is IMPLICIT_ZERO and add_up(None, None) is None
    assert add_up(one, two).numpy() == 3


def test_the_given_rule_decides_and_barriers_are_noted() -> None:
    x, y, z = tensor(), tensor(), tensor()
    passing, blocking = application([x], [y], lambda g: g), application([y], [z], lambda g: [None])
    barriers: list[Any] = []
    accumulate([blocking, passing], {id(z): tensor()}, set(), noting_barriers(barriers))
    assert barriers == [blocking]
    asked: list[Any] = []

    def rule(record: Any, grads: Sequence[Any]) -> Sequence[Any]:
        asked.append((record, [g.numpy() for g in grads]))
        return [g * 7.0 for g in grads]

    cotangents = {id(z): tensor(2.0)}
    accumulate([blocking, passing], cotangents, {id(x)}, rule)
    assert [(r is b, g) for (r, g), b in zip(asked, [blocking, passing], strict=True)] == [(True, [2]), (True, [14])]
    assert values(cotangents, x) == [98]


def test_an_error_names_the_body_that_applied_the_op() -> None:
    def fails(g: Any) -> Any:
        raise ZeroDivisionError("by nothing")

    x, y = tensor(), tensor()
    with pytest.raises(ZeroDivisionError) as plain:
        accumulate([application([x], [y], fails)], {id(y): tensor()}, set())
    assert not isinstance(plain.value, errors.OpError)
    with pytest.raises(ZeroDivisionError, match=r"by nothing\n.*gradient of Identity, called by my_body") as named:
        accumulate([application([x], [y], fails, "my_body")], {id(y): tensor()}, set())
    assert isinstance(named.value, errors.OpError) and type(named.value.__cause__) is ZeroDivisionError


def test_interrupts_pass_as_they_are() -> None:
    def interrupted(g: Any) -> Any:
        raise KeyboardInterrupt

    x, y = tensor(), tensor()
    with pytest.raises(KeyboardInterrupt):
        accumulate([application([x], [y], interrupted, "my_body")], {id(y): tensor()}, set())


def test_a_rule_with_another_number_of_gradients_is_refused() -> None:
    x, y = tensor(), tensor()
    with pytest.raises(ValueError, match=r"Num gradients 2 generated for op Identity .* do not match num inputs 1"):
        accumulate([application([x], [y], lambda g: (g, g))], {id(y): tensor()}, set())


def test_records_may_come_from_anywhere() -> None:
    """All that is asked of a record: inputs, outputs, and what the rule takes."""

    class Scale:
        body = None

        def __init__(self, x: Any, y: Any, factor: float) -> None:
            self.inputs, self.outputs, self.factor = [x], [y], factor

    chain = [tensor() for _ in range(5)]
    views = (Scale(a, b, k + 1.0) for k, (a, b) in reversed(list(enumerate(zip(chain, chain[1:], strict=False)))))
    cotangents = {id(chain[-1]): tensor()}
    accumulate(views, cotangents, {id(chain[0])}, lambda v, grads: [g * v.factor for g in grads])
    np.testing.assert_array_equal(values(cotangents, chain[0]), [24])

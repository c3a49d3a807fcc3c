"""Declarations of ops: effects, dtypes of outputs, flat inputs and those of the kernel, calls written as source."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.export import load_all
from inlay._src.core import opdef
from inlay._src.core.opdef import MOST_SIGNATURES, OPS, Dispatch, Effect, OpDef, Role, Shapes, strongest
from inlay._src.core.signature import Arg, Attribute, Signature


def _joined(xp: Any, first: Any, parts: Any, last: Any, *, times: int = 1, sign: int = 1) -> Any:
    return (first + sum(parts) + last) * times * sign


T = frozenset({tf.float32, tf.float64})
JOINED = OpDef(
    "Joined",
    _joined,
    Signature(
        (Arg("first", "T", False, False), Arg("parts", "T", True, False), Arg("last", "T", False, False)),
        ("T",),
        letters={"T": T},
    ),
    {"times": Attribute(1), "sign": Attribute(1)},
)


def test_the_strongest_effect_of_several() -> None:
    assert strongest([]) is Effect.PURE
    assert strongest([Effect.PURE, Effect.READS, Effect.RANDOM]) is Effect.READS
    assert strongest([Effect.WRITES, Effect.STATEFUL, Effect.READS]) is Effect.STATEFUL


def test_flat_inputs_and_those_of_the_kernel_are_inverses() -> None:
    assert JOINED.variadic == 1
    for count in range(4):
        flat = tuple(range(count + 2))
        grouped = JOINED.grouped(flat, {"N": count})
        assert grouped == [0, list(range(1, count + 1)), count + 1]
        assert JOINED.flat(grouped) == flat


def test_without_a_list_input_both_are_the_same() -> None:
    op = OPS["AddV2"]
    assert op.variadic is None and op.flat([1, 2]) == (1, 2) and op.grouped((1, 2), {}) == (1, 2)


def test_a_kernel_gets_its_own_attributes_only() -> None:
    attrs = {"N": 2, "times": 10, "T": tf.float32}
    assert JOINED.own(attrs) == {"times": 10}
    assert JOINED.apply(np, [1.0, 2.0, 3.0, 4.0], attrs) == 100.0
    assert JOINED.bound(attrs)(1.0, 2.0, 3.0, 4.0) == 100.0


@pytest.mark.parametrize("count", range(4))
def test_the_source_of_a_call_does_what_the_call_does(count: int) -> None:
    attrs = {"N": count, "times": 3, "sign": -1}
    space: dict[str, Any] = {"np": np}

    def name(begins: str, value: Any) -> str:
        space[made := f"{begins}_{len(space)}"] = value
        return made

    text = JOINED.text([f"v{i}" for i in range(count + 2)], attrs, name)
    values = {f"v{i}": float(i) for i in range(count + 2)}
    assert eval(text, space | values) == JOINED.apply(np, list(values.values()), attrs)


def test_operators_between_values() -> None:
    assert opdef.operator_text("+", ["a", "b"]) == "a + b"
    assert opdef.operator_text("-", ["a"]) == "-a"


def test_output_dtypes_come_from_letters_attributes_or_are_fixed() -> None:
    assert JOINED.output_dtypes({"T": tf.float64}, {}) == (tf.float64,)
    assert OPS["Equal"].output_dtypes({"T": tf.float32}, {}) == (tf.bool,)
    assert OPS["Unpack"].output_dtypes({"T": tf.int8}, {"num": 3}) == (tf.int8,) * 3


def test_many_says_whether_a_kernel_returns_a_sequence() -> None:
    assert not JOINED.many and OPS["Unpack"].many and OPS["NoOp"].many


def test_roles_name_what_graph_code_must_know() -> None:
    load_all()
    found = {role: sorted(n for n, op in OPS.items() if op.role is role) for role in Role}
    assert found[Role.CONSTANT] == ["Const"]
    assert {"HashTableV2", "IteratorV2", "RandomStateOp", "SummaryWriter", "VarHandleOp"} <= {*found[Role.VARIABLE]}
    assert {OPS[name].outs for name in found[Role.VARIABLE]} == {(tf.resource,)}
    assert found[Role.READ] == ["ReadVariableOp"] and found[Role.NOTHING] == ["NoOp"]
    assert found[Role.IDENTITY] == ["Identity"] and found[Role.PULLBACK] == ["Pullback"]
    assert "Placeholder" in found[Role.PLACEHOLDER]


def _shapes(*dims: Any, constant: Any = None) -> Shapes:
    return Shapes([None] * len(dims), dims, {}, lambda _: constant)


def test_shape_rules_that_many_ops_share() -> None:
    assert opdef.same(_shapes((2, None))) == ((2, None),)
    assert opdef.as_first(_shapes((2,), (3,))) == ((2,),)
    assert opdef.scalar(_shapes((2,))) == ((),)
    assert opdef.vector(_shapes((2, 3))) == ((None,),)
    assert opdef.broadcast(_shapes((2, 1), (3,), None)) == (None,)
    assert opdef.broadcast(_shapes((2, 1), (3,))) == ((2, 3),)
    with pytest.raises(ValueError):
        opdef.broadcast(_shapes((2,), (3,)))


def test_an_op_is_elementwise_by_its_shape_rule() -> None:
    assert OPS["Sin"].elementwise and OPS["AddV2"].elementwise
    assert not OPS["Sum"].elementwise and not OPS["BatchMatMulV2"].elementwise


def test_a_shape_vector_is_read_as_far_as_it_is_known() -> None:
    assert _shapes((2,), constant=np.array([3, -1])).partial_value(0) == (3, None)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4])
        n = tf.compat.v1.placeholder(tf.int32, [])
        vectors = [tf.shape(x), tf.stack([n, 7]), tf.cast(tf.shape(x), tf.int64), n + [1, 2]]
        found = [Shapes([v], [v._dims], {}, lambda _: None).partial_value(0) for v in vectors]
    assert found == [(None, 4), (None, 7), (None, 4), (None, None)]


def test_every_declaration_holds_together() -> None:
    wrong = []
    for name, op in OPS.items():
        letters = {a.type for a in op.args if isinstance(a.type, str)}
        outs = {t for t in op.outs if isinstance(t, str)}
        if name != op.name or not letters <= {*op.letters, *op.attrs} or not outs <= {*op.letters, *op.attrs}:
            wrong.append(name)
    assert wrong == []


def test_a_call_is_silent_and_leaves_the_users_setting() -> None:
    divide = OPS["RealDiv"]
    with np.errstate(all="raise"):
        assert divide.call([np.float32(1), np.float32(0)], {}) == np.inf
        with pytest.raises(FloatingPointError):
            np.float32(1) / np.float32(0)
    with pytest.raises(ValueError, match="permutation"), np.errstate(all="raise"):
        try:
            OPS["InvertPermutation"].call([np.zeros([1, 1], np.int32)], {})
        finally:
            assert np.geterr()["divide"] == "raise"


def test_an_op_is_frozen_but_for_its_dispatch_cache() -> None:
    op = OPS["AddV2"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        op.kernel = None  # type: ignore[misc, assignment]
    assert sum(f.init for f in dataclasses.fields(OpDef)) < 12  # and the signature
    with pytest.raises(AttributeError):
        op.lowering.ufunc = None  # type: ignore[misc]
    assert op.lowering.ufunc is np.add


def test_a_dispatch_cache_is_bounded_and_specializes_its_function_once() -> None:
    cache, times = Dispatch(), []
    cache.specialize = lambda: times.append(1)
    for dtypes in range(MOST_SIGNATURES + 3):
        cache.add_results(dtypes, tf.float32)
    assert len(cache.results) == MOST_SIGNATURES and times == [1]

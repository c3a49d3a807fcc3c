"""An op whose kernel refuses values says so in its declaration, and no other does: compiled code could not raise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from inlay._src.base.types import dtypes
from inlay._src.core.opdef import OPS, Effect
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, may_be_compiled

SPOILING: dict[str, tuple[float, ...]] = {
    "i": (0, -1, 99),
    "u": (0, 99),
    "f": (0, -1, np.nan, np.inf),
    "V": (0, -1, np.nan, np.inf),  # bfloat16
    "c": (0, np.nan),
    "b": (False, True),
}
"""Kind of a type -> the numbers tried, one filling a whole input."""

FORESEEN: dict[str, str] = {
    **dict.fromkeys(("GatherGrad", "GatherNdGrad"), "the op it is the gradient of has checked the indices"),
    **dict.fromkeys(("TakeAlongAxis", "PutAlongAxis"), "its indices come from a sort"),
}
"""Ops that raise for values which do not reach them, and why."""

COMPILABLE = sorted(
    name
    for name in SAMPLES
    if OPS[name].effect is Effect.PURE and not any(a.type is dtypes.string for a in OPS[name].args)
)


def flat(inputs: tuple[Any, ...]) -> list[np.ndarray]:
    return [a for x in inputs for a in (x if isinstance(x, list) else [x])]


def spoiled(case: Case) -> Iterator[tuple[Any, ...]]:
    """The case's inputs with one of those that a compiler need not know filled with one number."""
    for k, (arg, value) in enumerate(zip(case.op.args, case.inputs, strict=True)):
        arrays = value if isinstance(value, list) else [value]
        for number in () if arg.static or not arrays else SPOILING.get(arrays[0].dtype.kind, ()):
            bad = [np.full_like(a, number) for a in arrays]
            yield (*case.inputs[:k], bad if isinstance(value, list) else bad[0], *case.inputs[k + 1 :])


def refuses(case: Case) -> bool:
    """Whether the NumPy kernel raises for some of the spoiled inputs."""
    for inputs in spoiled(case):
        try:
            with np.errstate(all="ignore"):
                case.op.kernel(np, *inputs, **case.attrs)
        except Exception:
            return True
    return False


def declared(case: Case) -> bool:
    """Whether the op says that it may refuse inputs of these types of which nothing is known."""
    arrays = flat(case.inputs)
    rule = case.op.lowering.refuses
    return rule is not None and rule([dtypes.FROM_NUMPY[a.dtype] for a in arrays], [None] * len(arrays))


@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize("name", COMPILABLE)
def test_what_refuses_values_is_declared_to_and_nothing_else(name: str) -> None:
    several = [case for case in cases(OPS[name], SAMPLES[name]) if may_be_compiled(case)]
    silent = [c.label for c in several if refuses(c) and not declared(c)]
    if name in FORESEEN:
        assert silent, f"{name} refuses nothing: it need not be in FORESEEN"
    else:
        assert silent == [], f"{silent}: the kernel raises for some values; its declaration lacks Lowering(refuses=...)"
    assert any(refuses(c) for c in several) or not any(declared(c) for c in several), (
        f"{name} declares Lowering(refuses=...), but raised for none of the values tried"
    )


def test_a_constant_that_is_fine_is_not_refused() -> None:
    kinds = [dtypes.int32, dtypes.int32]
    for name, fine, bad in (("FloorDiv", [3, -1], [3, 0]), ("TruncateMod", [1], [0]), ("Pow", [0, 2], [2, -1])):
        rule = OPS[name].lowering.refuses
        assert rule is not None
        assert [rule(kinds, [None, known and np.array(known)]) for known in (fine, bad, None)] == [False, True, True]
        assert not rule([dtypes.float32] * 2, [None, None])

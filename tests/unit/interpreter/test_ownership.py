"""Who else can reach an array: the counts hold on this Python, and the source means what the functions do."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from inlay._src.base.interpreter import ownership


def test_own_hands_out_only_what_nobody_else_holds() -> None:
    box = [np.arange(3)]
    address = box[0].ctypes.data
    assert ownership.own(box).ctypes.data == address
    held = box[0]
    assert ownership.own([held]) is not held
    assert ownership.own([np.arange(6)[::2]]).flags.owndata
    scalar = ownership.own([np.array(5)])
    assert isinstance(scalar, np.int64)
    view = held[1:]
    box = [held]
    del held
    got = ownership.own(box)
    got[...] = 9
    assert view.tolist() == [1, 2]


def said(test: str, array: Any, kept: list[Any], **more: Any) -> bool:
    """What a test written as source says of an array that a generated function holds in a local variable."""
    names = {**ownership.NAMES, "make": array, "kept": kept, **more}
    exec(f"def run(A=A, ref=ref):\n r = make()\n return bool({test})", names)
    return names["run"]()  # type: ignore[no-any-return]


def read_only() -> np.ndarray:
    array = np.zeros(3)
    array.flags.writeable = False
    return array


ARRAYS = {
    "vector": (lambda kept: np.zeros(3), True, True),
    "matrix": (lambda kept: np.zeros((2, 3)), True, True),
    "fortran": (lambda kept: np.zeros((2, 3), order="F"), False, True),
    "view": (lambda kept: np.zeros(6)[::2], False, False),
    "read-only": (lambda kept: read_only(), False, False),
    "kept": (lambda kept: kept.append(np.zeros(3)) or kept[-1], False, False),
    "kept view": (lambda kept: kept.append(np.zeros(3)[:]) or kept[-1], False, False),
}


@pytest.mark.parametrize(("make", "own", "writable"), ARRAYS.values(), ids=ARRAYS)
def test_the_source_tells_arrays_that_are_their_holders_own(make: Any, own: bool, writable: bool) -> None:
    kept: list[Any] = []
    assert said(ownership.own_array("r"), lambda: make(kept), kept) is own
    assert said(ownership.writable("r"), lambda: make(kept), kept) is writable
    box = [make(kept)]
    address = box[0].ctypes.data
    got = ownership.own(box)
    assert (got.ctypes.data == address) is own
    assert got.flags.num in (ownership.FLAGS_ARRAY, ownership.FLAGS_VECTOR)


VIEWS = {
    "reshaped": (lambda kept: np.zeros(6).reshape(2, 3), True),
    "reshaped twice": (lambda kept: np.zeros(6).reshape(2, 3).reshape(3, 2), True),
    "of other numbers": (lambda kept: np.zeros(6).view(np.int64), True),
    "a part": (lambda kept: np.zeros(6)[1:], False),
    "turned": (lambda kept: np.zeros((2, 3)).T, False),
    "of what is held": (lambda kept: kept.append(np.zeros(6)) or kept[-1].reshape(2, 3), False),
    "beside another view": (lambda kept: kept.append(np.zeros(6)[:2]) or kept[-1].base.reshape(2, 3), False),
    "of a read-only array": (lambda kept: read_only().reshape(3, 1), False),
    "of bytes": (lambda kept: np.frombuffer(bytearray(8), np.uint8), False),
}


@pytest.mark.parametrize(("make", "own"), VIEWS.values(), ids=VIEWS)
def test_a_view_is_its_holders_own_if_nobody_holds_another(make: Any, own: bool) -> None:
    kept: list[Any] = []
    box = [make(kept)]
    address, before = box[0].ctypes.data, box[0].tolist()
    got = ownership.own(box)
    assert (got.ctypes.data == address) is own
    assert got.flags.writeable and got.flags.c_contiguous and got.tolist() == before


def test_a_read_only_view_of_an_input_is_passed_on() -> None:
    held = np.zeros(4)
    test = ownership.passed_view("r", ["h"])
    assert said(test, lambda: ownership.read_only(held), [], h=held)
    assert said(test, lambda: ownership.read_only(held[:2]), [], h=held[1:])
    assert not said(test, lambda: ownership.read_only(held[::2]), [], h=held)
    assert not said(test, lambda: ownership.read_only(np.zeros(4)), [], h=held)
    assert not said(test, lambda: held[:], [], h=held)


def test_counts_that_tell_nothing_are_never_met() -> None:
    shared = ["x = A(1); box = [x]"]
    assert ownership._measured("ref(x)", "x = A(1)", shared) == ownership.LOCAL
    assert ownership._measured("0", "x = A(1)", shared) == -1


@pytest.mark.parametrize("binding", ["x = parameter", "y = parameter; x = y", "x = parameter if A else None"])
def test_the_count_of_a_parameter_tells_one_holder_from_two_up_to_python_313(binding: str) -> None:
    """From 3.14 on a parameter, and a variable bound to it, borrow the caller's reference: they must not be asked."""
    told = ownership._measured("ref(x)", "x = A(1)", [binding])
    assert told == (ownership._NEVER if sys.version_info >= (3, 14) else ownership.LOCAL)
    assert ownership._measured("ref(x)", "x = A(1)", ["x = [parameter][0]"]) == ownership.LOCAL > 0


@pytest.mark.parametrize("turns", [1, 2000])
def test_the_counts_stay_as_measured_in_code_that_runs_often(turns: int) -> None:
    """The interpreter specializes code that has run a few times, and may compile it."""
    names: dict[str, Any] = {**ownership.NAMES, "turns": turns}
    exec(
        "def item(box, ref=ref): return ref(box[0])\n"
        "def asked(A=A, ref=ref):\n"
        " seen = set()\n"
        " for turn in range(turns):\n"
        "  x = A(1); alone = ref(x); box = [x]; shared = ref(x); x = None\n"
        "  seen.add((alone, shared > alone, item(box)))\n"
        " return seen",
        names,
    )
    assert names["asked"]() == {(ownership.LOCAL, True, ownership.ITEM)}


def test_what_gives_copies() -> None:
    array, scalar = np.arange(3), np.float32(2)
    give = ownership.giver(array)
    assert give() is not array
    assert give().tolist() == [0, 1, 2]
    assert ownership.giver(scalar)() is scalar
    assert ownership.giver(np.array(b"text", object))() == b"text"
    assert ownership.c_ordered(array) is array
    assert ownership.c_ordered(np.zeros((2, 3), order="F")).flags.c_contiguous

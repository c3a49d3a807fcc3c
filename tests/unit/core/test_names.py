"""Names of one graph: unique whatever their case, and only what TensorFlow's wire can carry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inlay._src.core.names import Names


def test_a_name_asked_for_again_gets_a_number() -> None:
    names = Names()
    assert [names.claim("x", "") for _ in range(3)] == ["x", "x_1", "x_2"]


def test_numbers_are_counted_per_scope() -> None:
    names = Names()
    assert [names.claim("x", s) for s in ("", "a/", "a/", "b/")] == ["x", "a/x", "a/x_1", "b/x"]


def test_names_that_differ_in_case_only_are_one() -> None:
    names = Names()
    assert [names.claim(n, "") for n in ("Add", "add", "ADD")] == ["Add", "add_1", "ADD_2"]


def test_a_number_that_somebody_took_is_left_out() -> None:
    names = Names()
    assert [names.claim(n, "") for n in ("x", "x_1", "x", "x_1", "x")] == ["x", "x_1", "x_2", "x_1_1", "x_3"]


def test_a_trailing_slash_gives_the_name_as_it_stands_outside_the_scope() -> None:
    names = Names()
    assert names.claim("a/b/", "ignored/") == "a/b"
    assert names.claim("a/b/", "ignored/") == "a/b_1"


def test_looking_at_the_next_name_does_not_take_it() -> None:
    names = Names()
    assert [names.free("x"), names.free("x"), names.take("x"), names.free("x"), names.take("x")] == [
        "x", "x", "x", "x_1", "x_1",
    ]  # fmt: skip


def test_a_noted_name_counts_as_used() -> None:
    names = Names()
    names.note("X")
    names.note("X")
    assert names.claim("x", "") == "x_1"


@pytest.mark.parametrize("bad", ["", "_x", "a b", "é", "/x", "x:0", "-"])
def test_what_may_not_begin_a_name_outside_scopes(bad: str) -> None:
    with pytest.raises(ValueError, match="is not a valid root scope name"):
        Names().claim(bad, "")


@pytest.mark.parametrize("bad", ["", "a b", "x:0", "/x"])
def test_what_may_not_be_a_name_inside_a_scope(bad: str) -> None:
    with pytest.raises(ValueError, match="is not a valid scope name"):
        Names().claim(bad, "s/")


def test_an_underscore_may_begin_a_name_inside_a_scope() -> None:
    assert Names().claim("_x", "s/") == "s/_x"


@pytest.mark.parametrize("bad", [None, 1, b"x", ["x"]])
def test_what_is_no_text_is_no_name(bad: object) -> None:
    with pytest.raises(TypeError, match="expected string or bytes-like object"):
        Names().claim(bad, "")  # type: ignore[arg-type]


@given(st.lists(st.text("abAB_1", min_size=1, max_size=4).filter(lambda t: t[0] != "_"), max_size=40))
def test_no_two_names_are_ever_equal(wanted: list[str]) -> None:
    names = Names()
    made = [names.claim(name, "").lower() for name in wanted]
    assert len(set(made)) == len(made)


class _Kept:
    """`Names` as it would be if every name in use were written down."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}

    def free(self, name: str) -> str:
        key = name.lower()
        count = self.used.get(key, 0)
        while count and f"{key}_{count}" in self.used:
            count += 1
        return f"{name}_{count}" if count else name

    def take(self, name: str) -> str:
        taken = self.free(name)
        self.used.setdefault(taken.lower(), 1)
        return taken

    def note(self, name: str) -> None:
        self.used.setdefault(name.lower(), 1)


_DOINGS = st.tuples(st.sampled_from(["take", "free", "note"]), st.text("xX_012", max_size=5))


@given(st.lists(_DOINGS, max_size=60))
def test_a_name_with_a_number_is_in_use_though_it_is_not_kept(doings: list[tuple[str, str]]) -> None:
    names, kept = Names(), _Kept()
    for how, name in doings:
        assert getattr(names, how)(name) == getattr(kept, how)(name)


def test_what_looks_like_a_number_is_none() -> None:
    names = Names()
    made = [names.take(n) for n in ("x", "x", "x_01", "x_\u0661", "x_" + "1" * 5000, "x_0", "_1")]
    assert made == ["x", "x_1", "x_01", "x_\u0661", "x_" + "1" * 5000, "x_0", "_1"]

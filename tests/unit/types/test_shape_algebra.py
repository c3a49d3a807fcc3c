"""The algebra of partial shapes against brute force: a partial shape is the set of shapes that it allows."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf

SIZES = (0, 1, 2)
CONCRETE = [dims for rank in range(4) for dims in itertools.product(SIZES, repeat=rank)]
"""Every concrete shape of up to three dimensions of these sizes."""
PARTIAL = st.none() | st.lists(st.sampled_from([None, *SIZES]), max_size=3).map(tuple)


def allowed(dims: Any) -> set[tuple[int, ...]]:
    """The concrete shapes that a partial one allows."""
    if dims is None:
        return set(CONCRETE)
    return {
        c for c in CONCRETE if len(c) == len(dims) and all(d is None or d == s for d, s in zip(dims, c, strict=True))
    }


def told(shape: Any) -> Any:
    return None if shape.rank is None else tuple(shape.as_list())


@given(PARTIAL, PARTIAL)
def test_compatible_means_that_some_shape_is_allowed_by_both(a: Any, b: Any) -> None:
    assert tf.TensorShape(a).is_compatible_with(b) == bool(allowed(a) & allowed(b))
    assert tf.TensorShape(a).is_compatible_with(b) == tf.TensorShape(b).is_compatible_with(a)


@given(PARTIAL, PARTIAL)
def test_merging_allows_exactly_what_both_allow(a: Any, b: Any) -> None:
    both = allowed(a) & allowed(b)
    if both:
        assert allowed(told(tf.TensorShape(a).merge_with(b))) == both
    else:
        with pytest.raises(ValueError, match="must be equal"):
            tf.TensorShape(a).merge_with(b)


@given(PARTIAL, PARTIAL)
def test_the_narrowest_common_shape_allows_both_and_knows_what_both_know(a: Any, b: Any) -> None:
    common = told(tf.TensorShape(a).most_specific_compatible_shape(b))
    assert allowed(common) >= allowed(a) | allowed(b)
    candidates = [None, *(c for rank in range(4) for c in itertools.product((None, *SIZES), repeat=rank))]
    enclosing = [c for c in candidates if allowed(c) >= allowed(a) | allowed(b)]
    assert len(allowed(common)) == min(len(allowed(c)) for c in enclosing)


@given(PARTIAL, PARTIAL)
def test_a_subtype_allows_nothing_else(a: Any, b: Any) -> None:
    assert tf.TensorShape(a).is_subtype_of(b) == (
        allowed(a) <= allowed(b) and (b is None or (a is not None and len(a) == len(b)))
    )


@given(PARTIAL, PARTIAL, PARTIAL)
def test_concatenation_is_associative_and_adds_ranks(a: Any, b: Any, c: Any) -> None:
    x, y, z = map(tf.TensorShape, (a, b, c))
    assert ((x + y) + z) == (x + (y + z))
    whole = x + y + z
    assert (whole.rank is None) == (None in (a, b, c))
    if whole.rank is not None:
        assert whole.as_list() == [*a, *b, *c] and len(whole) == x.rank + y.rank + z.rank


@given(PARTIAL)
def test_what_is_fully_defined_has_one_number_of_elements(dims: Any) -> None:
    shape = tf.TensorShape(dims)
    counts = {tf.TensorShape(c).num_elements() for c in allowed(dims)}
    assert shape.is_fully_defined() == (dims is not None and len(allowed(dims)) == 1)
    if shape.is_fully_defined():
        assert counts == {shape.num_elements()}
    else:
        assert shape.num_elements() is None
        with pytest.raises(ValueError, match="is not fully defined"):
            shape.assert_is_fully_defined()


@given(st.lists(st.sampled_from([None, *SIZES]), max_size=4), st.slices(5))
def test_slices_are_those_of_the_list(dims: Any, key: slice) -> None:
    assert tf.TensorShape(dims)[key].as_list() == dims[key]


@given(PARTIAL, st.integers(0, 4))
def test_a_wanted_rank_is_met_or_refused(dims: Any, rank: int) -> None:
    shape = tf.TensorShape(dims)
    if dims is None or len(dims) == rank:
        assert shape.with_rank(rank).rank == rank
    else:
        with pytest.raises(ValueError, match=f"must have rank {rank}"):
            shape.with_rank(rank)
    for name, fine in (("at_least", dims is None or len(dims) >= rank), ("at_most", dims is None or len(dims) <= rank)):
        if fine:
            assert getattr(shape, f"with_rank_{name}")(rank) == shape
        else:
            with pytest.raises(ValueError, match=f"must have rank {name.replace('_', ' ')} {rank}"):
                getattr(shape, f"with_rank_{name}")(rank)


@given(PARTIAL, PARTIAL)
def test_equal_shapes_hash_alike_and_allow_the_same(a: Any, b: Any) -> None:
    x, y = tf.TensorShape(a), tf.TensorShape(b)
    if x == y:
        assert hash(x) == hash(y) and allowed(a) == allowed(b)
    assert (x == y) == (told(x) == told(y)) and (x != y) is not (x == y)


def test_dimensions_of_the_first_generation_have_values() -> None:
    dims = tf.TensorShape([2, None]).dims
    assert dims[0].value == 2 and dims[0] == 2 and dims[0] + 1 == 3 and dims[1].value is None
    assert tf.TensorShape([dims[0], 5]) == [2, 5]
    assert tf.TensorShape(None).dims is None


@pytest.mark.parametrize("other", ["text", [1.5], object(), [-1]])
def test_what_is_no_shape_is_unequal(other: Any) -> None:
    assert tf.TensorShape([1]) != other

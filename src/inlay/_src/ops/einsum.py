"""Sums of products over named axes: `einsum`, `tensordot`, `cross`."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.attributes import whole, wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import (
    array,
    asserting,
    control,
    gathering,
    joining,
    math,
    ranges,
    rearranging,
    reductions,
    shaping,
    stacking,
)
from inlay._src.ops.matmul import matmul_op

_EQUATION = re.compile(r"((?:[a-zA-Z,]|\.{3})*)(?:(->)((?:[a-zA-Z]|\.{3})*))?")


def _einsum_terms(equation: str) -> tuple[list[str], str]:
    """Input subscripts and the output subscript, which is derived if the equation leaves it out."""
    match = _EQUATION.fullmatch(equation.replace(" ", ""))
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, right = match.groups("")
    terms = left.split(",")
    for term in (*terms, right):
        if term.count("...") > 1:
            raise ValueError(f"Expected at most one ellipsis (...) in a subscript, got {term!r}")
    for letter in right.replace("...", ""):
        if letter not in left:
            raise ValueError(f"Output subscripts contain the label {letter} not present in the input subscripts.")
        if right.count(letter) > 1:
            raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    if not arrow:
        letters = [c for c in left if c.isalpha()]
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return terms, right if "..." in left else right.replace("...", "")


_TERMS: BoundedCache[str, tuple[list[str], str]] = BoundedCache("equations of einsum", 1024, _einsum_terms)


def _written_out(equation: str) -> tuple[int, str]:
    """The number of inputs, and the equation with an explicit output."""
    terms, out = _TERMS[equation]
    return len(terms), ",".join(terms) + "->" + out


_WRITTEN: BoundedCache[str, tuple[int, str]] = BoundedCache("equations of einsum with outputs", 1024, _written_out)

try:
    from numpy._core.multiarray import c_einsum as _in_one_loop
except ImportError:  # another NumPy keeps it elsewhere
    _in_one_loop = np.einsum


def _spelled_out(equation: str, ranks: Sequence[int | None]) -> str:
    """The equation with its ellipses as letters, where the ranks are known."""
    terms, out = _TERMS[equation]
    if not any("..." in t for t in terms):
        return equation
    if any(r is None for r, t in zip(ranks, terms, strict=True) if "..." in t):
        return equation
    free = [c for c in string.ascii_letters if c not in equation]
    widest = max(
        r - len(t.replace("...", "")) for r, t in zip(ranks, terms, strict=True) if "..." in t and r is not None
    )
    if widest > 0 and "..." not in out:
        raise ValueError(f"Output contains {widest} broadcasting dimension(s) but no ellipsis: {equation}")
    letters = "".join(free[:widest])
    spelled = []
    for rank, term in zip(ranks, terms, strict=True):
        count = 0 if rank is None else rank - len(term.replace("...", ""))
        spelled.append(term.replace("...", letters[len(letters) - count :] if count else ""))
    return ",".join(spelled) + "->" + out.replace("...", letters)


def _einsum_infer(s: Shapes) -> list[Dims]:
    equation = s.attrs["equation"]
    terms, _ = _TERMS[equation]
    if any(d is None and "." in t for d, t in zip(s.dims, terms, strict=True)):
        return [None]
    ranks = [len(t) if d is None else len(d) for d, t in zip(s.dims, terms, strict=True)]
    terms, out = _TERMS[_spelled_out(equation, ranks)]
    sizes: dict[str, int | None] = {}
    for term, dims in zip(terms, s.dims, strict=True):
        dims = (None,) * len(term) if dims is None else dims
        if len(term) != len(dims):
            raise ValueError(f"Subscript {term!r} has {len(term)} letters for shape {shapes.bracketed(dims)}")
        for letter, size in zip(term, dims, strict=True):
            have = sizes.get(letter)
            if have is not None and size is not None and have != size and 1 not in (have, size):
                raise ValueError(f"Dimensions must be equal, but are {have} and {size} for the letter {letter!r}")
            sizes[letter] = size if have is None or have == 1 else have
    return [tuple(sizes[c] for c in out)]


def _einsum_vjp(op, dy):
    ranks = [x.shape.rank for x in op.inputs]
    terms, out = _TERMS[_spelled_out(op.attrs["equation"], ranks)]
    if any("." in t or len(set(t)) != len(t) for t in terms):
        return NotImplemented  # an index repeated in one input, a diagonal: derived from the kernel
    gradients = []
    for k, x in enumerate(op.inputs):
        others = [i for i in range(len(terms)) if i != k]
        pairs = [_of_full_size(math.conjugate(op.inputs[i]), terms[i], dy, out, op.attrs["equation"]) for i in others]
        operands, subscripts = [dy, *(p[0] for p in pairs)], [out, *(p[1] for p in pairs)]
        alone = [at for at, letter in enumerate(terms[k]) if letter not in "".join(subscripts)]
        if alone:  # indices summed alone: every place gets the same
            operands.append(array.ones(gathering.gather(array.shape(x), alone), x.dtype))
            subscripts.append("".join(terms[k][at] for at in alone))
        grad = einsum_op(operands, ",".join(subscripts) + "->" + terms[k])
        gradients.append(shaping.sum_like(grad, x))
    return gradients


def _of_full_size(x: Any, term: str, dy: Any, out: str, equation: str) -> tuple[Any, str]:
    """An input and its subscript without the axes of an ellipsis along which it is repeated to the size of `dy`."""
    sizes = {letter: size for letter, size in zip(out, dy.shape.as_list() if out else [], strict=True)}
    free = [at for at, letter in enumerate(term) if letter not in equation]
    own = x.shape.as_list() if free else []
    if any(own[at] is None or (own[at] == 1 and sizes[term[at]] is None) for at in free):
        full = stacking.unstack(array.shape(x), len(term))
        for at in free:
            full[at] = array.shape(dy)[out.index(term[at])]
        return shaping.broadcast_to(x, stacking.stack(full)), term
    repeated = [at for at in free if own[at] == 1 != sizes[term[at]]]
    if not repeated:
        return x, term
    return array.squeeze(x, repeated), "".join(letter for at, letter in enumerate(term) if at not in repeated)


@op("Einsum", "inputs:*T -> T", types=dtypes.NUMBERS, infer=_einsum_infer, vjp=_einsum_vjp)
def einsum_op(xp, inputs, *, equation):
    """A sum of products over named axes."""
    named = equation
    if "." in equation:
        equation = _spelled_out(equation, [np.ndim(x) for x in inputs])
    if any([1 in x.shape for x in inputs]):  # NumPy repeats what is there once; other sizes it compares itself
        _check_sizes(equation, inputs, named)
    operands = [shaping.wide(x) for x in inputs]
    if xp is np and (len(inputs) == 1 or _few_products(equation, inputs)):
        product = _in_one_loop(equation, *operands)
    else:
        product = xp.einsum(equation, *operands, optimize=len(inputs) > 1)
    return product.astype(inputs[0].dtype, copy=False)


def _check_sizes(equation: str, inputs: Sequence[Any], named: str) -> None:
    """Refuses inputs in which an axis that is in `named`, not one of an ellipsis, has several sizes."""
    sizes: dict[str, int] = {}
    for term, x in zip(_TERMS[equation][0], inputs, strict=True):
        for axis, size in zip(term, x.shape, strict=False):
            if axis in named and sizes.setdefault(axis, size) != size:
                raise ValueError(f"Expected dimension {sizes[axis]} of axis {axis!r} but got dimension {size}")


def _few_products(equation: str, inputs: Sequence[Any]) -> bool:
    """Whether no more products than `TUNING.einsum_loop_products` are summed in all."""
    if prod([x.size for x in inputs]) <= TUNING.einsum_loop_products:
        return True  # each axis belongs to an input
    terms, _ = _TERMS[equation]
    sizes = {c: n for term, x in zip(terms, inputs, strict=True) for c, n in zip(term, x.shape, strict=False) if n != 1}
    return prod(sizes.values()) <= TUNING.einsum_loop_products


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """A sum of products over named axes: `einsum("ij,jk->ik", a, b)` is a matrix product.

    Args:
      equation: one subscript per input, `->`, the result's subscript; `...` stands for leading axes that broadcast.
      *inputs: the tensors.
      **kwargs: `name`, the node's name; `optimize` is accepted and ignored.

    Raises:
      TypeError: for any other keyword.
    """
    name = None
    if kwargs:
        name = kwargs.pop("name", None)
        kwargs.pop("optimize", None)
        if kwargs:
            raise TypeError(f"Invalid keyword arguments for this function: {', '.join(sorted(kwargs))}")
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = tuple(inputs[0])
    tensors = [x if x.__class__ is EagerTensor else convert_to_tensor(x) for x in inputs]
    if not isinstance(equation, str):
        raise TypeError(f"the equation of einsum must be a string, got {type(equation).__name__}")
    count, written = _WRITTEN[equation]
    if count != len(tensors):
        raise ValueError(f'Got {len(tensors)} inputs for equation "{equation}", expecting {count}')
    return einsum_op(tensors, written, name=name)


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products of `a` and `b` over pairs of axes.

    Args:
      a, b: tensors of one type.
      axes: number of axes to contract, the last of `a` with the first of `b`, or the pair of lists of axes.
      name: the node's name.

    Raises:
      ValueError: if the axes do not match the ranks.
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b)
    ra, rb = a.shape.rank, b.shape.rank
    for side in axes if isinstance(axes, (list, tuple)) else (axes,):
        if isinstance(side, (Tensor, float)):
            convert_to_tensor(side, dtypes.int32, name="axes")  # which refuses others
    try:
        constant = constant_of(axes)
    except ValueError as error:
        raise ValueError(f"'axes' must be a number or a pair of lists of axes of one length, got {axes!r}") from error
    if ra is None or rb is None or constant is None:
        return _tensordot_of_any_rank(a, b, axes, name)
    if not isinstance(axes, (list, tuple)) and np.ndim(axes) == 0:
        count = whole(np.asarray(axes).item(), "axes")
        if not 0 <= count <= min(ra, rb):
            raise ValueError(f"'axes' must be in [0, {min(ra, rb)}] for tensors of rank {ra} and {rb}, got {count}")
        left, right = list(range(ra - count, ra)), list(range(count))
    else:
        if len(axes) != 2:
            raise ValueError(f"'axes' must be a number or a pair of lists of axes, got {axes!r}")
        left, right = (wholes(side, "axes") for side in axes)
        if not all(-ra <= i < ra for i in left) or not all(-rb <= i < rb for i in right):
            raise IndexError(f"'axes' are outside of tensors of rank {ra} and {rb}: {axes!r}")
        left, right = [i % ra for i in left], [i % rb for i in right]
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes: {len(left)} and {len(right)}")
    if ra + rb > len(string.ascii_letters):
        return _tensordot_of_any_rank(a, b, axes, name)
    of_a = list(string.ascii_letters[:ra])
    of_b = list(string.ascii_letters[ra : ra + rb])
    for i, j in zip(left, right, strict=True):
        of_b[j] = of_a[i]
    free = [c for i, c in enumerate(of_a) if i not in left] + [c for j, c in enumerate(of_b) if j not in right]
    return einsum_op([a, b], f"{''.join(of_a)},{''.join(of_b)}->{''.join(free)}", name=name)


def _tensordot_of_any_rank(a: Any, b: Any, axes: Any, name: str | None) -> Any:
    """`tensordot` as a product of matrices, for ranks or axes that are known only when it runs."""
    axes = axes if isinstance(axes, (list, tuple)) else convert_to_tensor(axes)
    if not isinstance(axes, (list, tuple)) and axes.shape.rank == 0:
        axes = ranges.range_(array.rank(a) - axes, array.rank(a)), ranges.range_(axes)
    if isinstance(axes, (list, tuple)) and len(axes) != 2:
        raise ValueError(f"'axes' must be a number or a pair of lists of axes, got {axes!r}")
    rows, sizes_a = _as_matrix(a, axes[0], meet_last=True)
    columns, sizes_b = _as_matrix(b, axes[1], meet_last=False)
    return array.reshape(matmul_op(rows, columns), joining.concat([sizes_a, sizes_b], 0), name=name)


def _as_matrix(x: Any, meet: Any, meet_last: bool) -> tuple[Any, Any]:
    """(`x` as a matrix, with the axes that meet last or first; the sizes of the other axes)."""
    rank, sizes = array.rank(x), array.shape(x)
    meet = math.cast(array.reshape(meet, [-1]), dtypes.int32)
    meet = array.where(meet < 0, meet + rank, meet)
    every = ranges.range_(rank)
    others = reductions.reduce_all(math.not_equal(array.expand_dims(every, 1), meet), 1)
    free = gathering.boolean_mask(every, others)
    lengths = gathering.gather(sizes, free)
    sides = [reductions.reduce_prod(lengths), reductions.reduce_prod(gathering.gather(sizes, meet))]
    order = [free, meet]
    if not meet_last:
        sides, order = sides[::-1], order[::-1]
    return array.reshape(rearranging.transpose_op(x, joining.concat(order, 0)), stacking.stack(sides)), lengths


@export("cross", "linalg.cross")
def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors of 3, over the last axis."""
    if not isinstance(a, Tensor) and isinstance(b, Tensor):  # numbers take the dtype of the tensor beside them
        a = convert_to_tensor(a, b.dtype)
    a = convert_to_tensor(a)
    b = convert_to_tensor(b) if isinstance(b, Tensor) else convert_to_tensor(b, a.dtype)
    if not a.shape.is_compatible_with(b.shape):
        text = f"Both inputs must be of same shape: {a.shape} vs. {b.shape}"
        raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else ValueError(text)
    if not (a.shape.is_fully_defined() and b.shape.is_fully_defined()):
        with control.control_dependencies([asserting.assert_equal(array.shape(a), array.shape(b))]):
            a = array.identity(a)
    a0, a1, a2 = stacking.unstack(a, 3, -1)
    b0, b1, b2 = stacking.unstack(b, 3, -1)

    def minor(p: Any, q: Any, r: Any, s: Any) -> Any:
        return math.subtract(math.multiply(p, q), math.multiply(r, s))

    product = stacking.stack(
        [minor(a1, b2, a2, b1), minor(a2, b0, a0, b2), minor(a0, b1, a1, b0)], -1, name=name or "Cross"
    )
    if product.shape.rank is None:
        product.set_shape(a.shape.merge_with(b.shape))
    return product

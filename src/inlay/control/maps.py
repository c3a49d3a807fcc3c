"""`map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`: loops over the first axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay.autodiff import jacobian
from inlay.composite.ragged import RaggedTensor
from inlay.composite.specs import RaggedTensorSpec
from inlay.control.loops import while_loop
from inlay.control.tensor_array import TensorArray
from inlay.control.tracing import trace
from inlay.core.tensor import EagerTensor
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import array, joining, math
from inlay.types import dtypes, nest
from inlay.types.nest import Composite
from inlay.types.shapes import dimension_value
from inlay.types.specs import TensorSpec


def _rows(elems: Any, what: str, ragged: bool = False) -> tuple[list[Any], Any]:
    """The flat tensors of `elems` (ragged ones as they are, if those can be taken) and how many rows they have."""
    flat = [
        e if ragged and isinstance(e, RaggedTensor) else convert_to_tensor(e)
        for e in nest.flatten(elems, expand_composites=False)
    ]
    if not flat:
        raise ValueError(f"{what} needs at least one tensor in elems")
    for t in flat:
        if t.shape.rank == 0:
            raise ValueError(f"{what}: elements must be at least 1D, found a scalar {t!r}")
    sizes: list[Any] = [None if t.shape.rank is None else dimension_value(t.shape[0]) for t in flat]
    static = {n for n in sizes if n is not None}
    if len(static) > 1:
        raise ValueError(f"{what}: all elems must have the same number of rows, got {sorted(static)}")
    if static:
        return flat, static.pop()
    return flat, flat[0].nrows(dtypes.int32) if isinstance(flat[0], RaggedTensor) else array.shape(flat[0])[0]


def _row(elems: Any, flat: list[Any], at: Any) -> Any:
    return nest.pack_sequence_as(elems, [t[at] for t in flat])


def _signature(flat: list[Any], declared: Any, what: str) -> list[Any]:
    if declared is None:
        return [_row_spec(t) for t in flat]
    leaves = nest.flatten(declared)
    for leaf in leaves:
        if isinstance(leaf, Composite) and not isinstance(leaf, RaggedTensorSpec):
            raise ValueError(f"{what}: results made of several tensors ({leaf!r}) cannot be stacked here")
    known = (TensorSpec, RaggedTensorSpec)
    return [leaf if isinstance(leaf, known) else TensorSpec(None, dtypes.as_dtype(leaf)) for leaf in leaves]


def _row_spec(elem: Any) -> Any:
    """What a result is taken for that is like a row of `elem`."""
    if isinstance(elem, RaggedTensor):
        return RaggedTensorSpec(None, elem.dtype, elem.ragged_rank - 1, elem.row_splits.dtype)
    return TensorSpec(None, elem.dtype)


def _room(spec: Any, count: Any, infer_shape: bool) -> list[TensorArray]:
    """The arrays that keep one result of every turn: rows that differ in length need more than one."""
    if isinstance(spec, TensorSpec):
        return [TensorArray(spec.dtype, count, infer_shape=infer_shape, element_shape=spec.shape)]
    inner = None if spec.shape.rank is None else [None, *spec.shape.as_list()[spec.ragged_rank + 1 :]]
    shapes = [(spec.dtype, inner), (spec.row_splits_dtype, []), *[(spec.row_splits_dtype, [None])] * spec.ragged_rank]
    return [TensorArray(dtype, count, infer_shape=False, element_shape=shape) for dtype, shape in shapes]


def _parts(value: Any, spec: Any) -> list[Any]:
    """What of a result its arrays keep: the values; of ragged ones how many rows there are, and how long they are."""
    if isinstance(spec, TensorSpec):
        return [_of_dtype(value, spec)]
    if spec.ragged_rank:
        if not isinstance(value, RaggedTensor) or value.ragged_rank != spec.ragged_rank:
            raise ValueError(f"map_fn: fn returned {value!r}, but fn_output_signature says {spec!r}")
        value = value.with_row_splits_dtype(spec.row_splits_dtype)
        return [_of_dtype(value.flat_values, spec), value.nrows(), *value.nested_row_lengths()]
    tensor = _of_dtype(value, spec)
    if tensor.shape.rank == 0:
        raise ValueError(f"map_fn: fn returned a scalar where {spec!r} wants rows; give fn_output_signature")
    return [tensor, math.cast(array.shape(tensor)[0], spec.row_splits_dtype)]


def _joined(arrays: list[TensorArray], spec: Any) -> Any:
    if isinstance(spec, TensorSpec):
        return arrays[0].stack()
    values, counts, *lengths = arrays
    return RaggedTensor.from_nested_row_lengths(values.concat(), [counts.stack(), *(a.concat() for a in lengths)])


@export("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` applied to each row of `elems`, the results stacked.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors.
      elems: a tensor, ragged or not, or a nest of tensors, with the same number of rows.
      dtype, fn_output_signature: dtypes or specs of the result, nested like it; by default those of `elems`. Results of
        a RaggedTensorSpec may differ in length.
      parallel_iterations, swap_memory: accepted; rows are taken one after the other.
      back_prop: False stops gradients at the result, in graphs.
      infer_shape: whether all results must have one shape.
      name: the nodes' name.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis.

    Raises:
      TypeError: if `fn` is not callable, or returns another dtype than was declared.
      ValueError: if the rows of `elems` differ in number, or a result has other rows than was declared.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable. fn must be callable.")
    flat, count = _rows(elems, "map_fn", ragged=True)
    declared = fn_output_signature if fn_output_signature is not None else dtype
    structure = elems if declared is None else declared
    specs = _signature(flat, declared, "map_fn")
    outputs = [_room(s, count, infer_shape) for s in specs]
    seen: list[list[TensorArray]] = []

    def turn(at: Any, arrays: Any) -> Any:
        result = fn(_row(elems, flat, at))
        nest.assert_same_structure(structure, result, check_types=False)
        found = [_parts(r, s) for r, s in zip(nest.flatten(result), specs, strict=True)]
        written = [
            [a.write(at, part) for a, part in zip(of, parts, strict=True)]
            for of, parts in zip(arrays, found, strict=True)
        ]
        seen[:] = written
        return at + 1, written

    first = (convert_to_tensor(0), outputs)
    _, arrays = while_loop(lambda at, arrays: at < count, turn, first, back_prop=back_prop, name=name or "map")
    for array_, last in zip(nest.flatten(arrays), nest.flatten(seen), strict=False):
        array_.learn_shape(last)
    return nest.pack_sequence_as(structure, [_joined(of, s) for of, s in zip(arrays, specs, strict=True)])


jacobian.mapped = map_fn


def _of_dtype(value: Any, spec: Any) -> Any:
    tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
    if tensor.dtype is not spec.dtype:
        raise TypeError(f"map_fn: fn returned {tensor!r} where {spec!r} was declared; give fn_output_signature")
    return tensor


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` applied to each row of `elems`, the results stacked; dtypes of the results are found by themselves.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors.
      elems: a tensor or nest of tensors with the same number of rows.
      fallback_to_while_loop, warn: accepted; rows are always taken one after the other, so every `fn` works.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis.
    """
    flat, count = _rows(elems, "vectorized_map")
    if all(isinstance(t, EagerTensor) for t in flat) and isinstance(count, int):
        results = [fn(_row(elems, flat, i)) for i in range(count)]
        if not results:
            raise ValueError("vectorized_map needs at least one row to know the result's dtypes; use map_fn")
        return nest.map_structure(lambda *rows: joining.stack([convert_to_tensor(r) for r in rows]), *results)
    scratch = trace(
        lambda *rows: fn(nest.pack_sequence_as(elems, list(rows))),
        "vectorized_map_probe",
        [(t.dtype, None if t.shape.rank is None else t.shape._dims[1:], f"row_{i}") for i, t in enumerate(flat)],
    )
    specs = nest.map_structure(lambda t: TensorSpec(t.shape, t.dtype), scratch.result)
    return map_fn(fn, elems, fn_output_signature=specs)


@export("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(accumulated, row)` over the rows from the first to the last.

    Args:
      fn: takes the accumulated value and one row; returns the next accumulated value.
      elems: a tensor or nest of tensors with the same number of rows.
      initializer: the first accumulated value; the first row if None.
      parallel_iterations, swap_memory: accepted.
      back_prop: False stops gradients at the result, in graphs.
      name: the nodes' name.

    Returns:
      The last accumulated value.
    """
    return _accumulated(fn, elems, initializer, False, name or "foldl", back_prop)[0]


@export("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(accumulated, row)` over the rows from the last to the first; arguments as `foldl`."""
    return _accumulated(fn, elems, initializer, True, name or "foldr", back_prop)[0]


def _accumulated(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any,
    reverse: bool,
    name: str,
    back_prop: bool,
    infer_shape: bool | None = None,
) -> tuple[Any, Any]:
    """The last accumulated value, and all of them stacked unless `infer_shape` is None."""
    flat, count = _rows(elems, name)

    def place(turn: Any) -> Any:
        return count - 1 - turn if reverse else turn

    first = 0 if initializer is not None else 1
    start = _row(elems, flat, place(0)) if first else nest.map_structure(convert_to_tensor, initializer)
    outputs = [
        TensorArray(t.dtype, count, infer_shape=bool(infer_shape), element_shape=t.shape if infer_shape else None)
        for t in (() if infer_shape is None else nest.flatten(start))
    ]
    if first:
        outputs = [a.write(place(0), t) for a, t in zip(outputs, nest.flatten(start), strict=False)]

    def turn(at: Any, accumulated: Any, arrays: Any) -> Any:
        following = fn(accumulated, _row(elems, flat, place(at)))
        return at + 1, following, [a.write(place(at), t) for a, t in zip(arrays, nest.flatten(following), strict=False)]

    entering = convert_to_tensor(first), start, outputs
    _, last, arrays = while_loop(lambda at, *_: at < count, turn, entering, back_prop=back_prop, name=name)
    return last, nest.pack_sequence_as(start, [a.stack() for a in arrays]) if arrays else None


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, with every accumulated value stacked.

    Args:
      fn: takes the accumulated value and one row; returns the next accumulated value.
      elems: a tensor or nest of tensors with the same number of rows.
      initializer: the first accumulated value; the first row if None, which is then the first result.
      parallel_iterations, swap_memory: accepted.
      back_prop: False stops gradients at the result, in graphs.
      infer_shape: whether all results must have one shape.
      reverse: whether to go from the last row to the first.
      name: the nodes' name.

    Returns:
      A nest like the accumulated value, each tensor with a new first axis.
    """
    return _accumulated(fn, elems, initializer, reverse, name or "scan", back_prop, infer_shape)[1]

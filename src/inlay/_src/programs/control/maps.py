"""`map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`: loops over the first axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import parameters_of
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import dimension_value
from inlay._src.base.types.specs import TensorSpec, TypeSpec, spec_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.engine.autodiff import jacobian
from inlay._src.ops import array, joining, stacking
from inlay._src.ops.asserting import assert_equal
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.math import cast
from inlay._src.ops.reductions import reduce_max
from inlay._src.ops.shaping import broadcast_to
from inlay._src.programs.control.function_parameters import converts
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.programs.control.tracing import trace


def _rows(elems: Any, what: str) -> tuple[list[Any], Any]:
    """The flat tensors of `elems` and how many rows they have."""
    flat: list[Any] = [e if isinstance(e, Composite) else convert_to_tensor(e) for e in nest.flatten(elems)]
    if not flat:
        raise ValueError(f"{what} needs at least one tensor in elems")
    row_shapes = [
        shapes.TensorShape(None) if isinstance(t, Composite) and not hasattr(t, "shape") else t.shape for t in flat
    ]
    for t, shape in zip(flat, row_shapes, strict=True):
        if shape.rank == 0:
            raise ValueError(f"{what}: elements must be at least 1D, found a scalar {t!r}")
    static: set[Any] = {dimension_value(shape[0]) for shape in row_shapes if shape.rank is not None} - {None}
    if len(static) > 1:
        raise ValueError(f"{what}: all elems must have the same number of rows, got {sorted(static)}")
    if static:
        return flat, static.pop()
    first = flat[0]
    if isinstance(first, Composite):
        return flat, cast(_spec(first)._row_count(first), dtypes.int32)
    return flat, array.shape(first)[0]


def _spec(value: Composite) -> Any:
    """The spec of a composite, which knows its rows."""
    return value._type_spec


def _row(elems: Any, flat: list[Any], at: Any) -> Any:
    rows = [_spec(t)._row(t, at) if isinstance(t, Composite) else t[at] for t in flat]
    return nest.pack_sequence_as(elems, rows)


def _signature(flat: list[Any], declared: Any) -> list[Any]:
    """The specs of what is computed for a row: those that are declared, else those of the rows."""
    if declared is None:
        return [_spec(t)._row_spec() if isinstance(t, Composite) else TensorSpec(None, t.dtype) for t in flat]
    leaves = nest.flatten(declared)
    return [leaf if isinstance(leaf, TypeSpec) else TensorSpec(None, dtypes.as_dtype(leaf)) for leaf in leaves]


class _RowResults:
    """The results for all rows, of one spec: tensors to be stacked, or the pieces of composites.

    Args:
      spec: the spec of what is computed for one row.
      count: number of rows.
      infer_shape: whether all tensors must have one shape.
    """

    def __init__(self, spec: Any, count: Any, infer_shape: bool) -> None:
        self.spec, self.count, self.composite = spec, count, isinstance(spec, Composite)
        pieces = spec._piece_specs() if self.composite else [spec]
        same = infer_shape and not self.composite
        self.arrays = [TensorArray(s.dtype, count, infer_shape=same, element_shape=s.shape) for s in pieces]

    def written(self, arrays: list[TensorArray], at: Any, value: Any) -> list[TensorArray]:
        """The arrays with what was computed for a row."""
        if not self.composite:
            return [arrays[0].write(at, _of_dtype(value, self.spec))]
        whole: Any = value if isinstance(value, Composite) else convert_to_tensor(value, dtype_hint=self.spec.dtype)
        dtype = getattr(self.spec, "dtype", None)
        if dtype is not None and getattr(whole, "dtype", None) is not dtype:
            raise TypeError(f"map_fn: fn returned {whole!r} where {self.spec!r} was declared")
        return [a.write(at, piece) for a, piece in zip(arrays, self.spec._pieces(whole), strict=True)]

    def together(self, arrays: list[TensorArray]) -> Any:
        """The result for all rows."""
        return self.spec._of_pieces([a.concat() for a in arrays], self.count) if self.composite else arrays[0].stack()


@export("map_fn")
@converts(0, "fn")
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
    *,
    batch: int | None = None,
) -> Any:
    """`fn` applied to each row of `elems`, the results stacked.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors, which may be ragged or sparse.
      elems: a tensor or nest of tensors with the same number of rows, ragged and sparse ones included.
      dtype, fn_output_signature: dtypes or specs of the result, nested like it; by default those of the rows of
        `elems`. With a RaggedTensorSpec the results may differ in length.
      parallel_iterations, swap_memory: accepted; rows are taken one after the other.
      back_prop: False stops gradients at the result, in graphs.
      infer_shape: whether all results must have one shape.
      name: the nodes' name.
      batch: hands `fn` so many rows at a time, as they are stacked in `elems` (the last time fewer); it returns as many
        rows. Tensors only.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis.

    Raises:
      TypeError: if `fn` is not callable, or returns another dtype than was declared.
      InvalidArgumentError: with `batch`, if `fn` returns another number of rows than it was given.
      ValueError: if the rows of `elems` differ in number, or a result has other rows than was declared.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable. fn must be callable.")
    flat, count = _rows(elems, "map_fn")
    declared = fn_output_signature if fn_output_signature is not None else dtype
    structure = elems if declared is None else declared
    if batch is not None:
        return _map_blocks(fn, (elems, flat, count), (structure, _signature(flat, declared)), batch, name)
    results = [_RowResults(spec, count, infer_shape) for spec in _signature(flat, declared)]
    seen: list[list[TensorArray]] = []

    def turn(at: Any, arrays: Any) -> Any:
        result = fn(_row(elems, flat, at))
        nest.assert_same_structure(structure, result)
        seen[:] = [r.written(a, at, v) for r, a, v in zip(results, arrays, nest.flatten(result), strict=True)]
        return at + 1, list(seen)

    first = (convert_to_tensor(0), [r.arrays for r in results])
    _, arrays = while_loop(lambda at, arrays: at < count, turn, first, back_prop=back_prop, name=name or "map")
    for array_, last in zip(nest.flatten(arrays), nest.flatten(seen), strict=False):
        array_.learn_shape(last)
    return nest.pack_sequence_as(structure, [r.together(a) for r, a in zip(results, arrays, strict=True)])


def _map_blocks(fn: Callable[..., Any], rows: Any, result: Any, size: int, name: str | None) -> Any:
    """`map_fn` of so many rows at a time.

    Args:
      fn: takes rows stacked.
      rows: the elements, the same flat, and how many rows they have.
      result: the structure of the result, and the specs of a row of it.
      size: number of rows of a block.
      name: the nodes' name.
    """
    (elems, flat, count), (structure, specs) = rows, result
    if size < 1:
        raise ValueError(f"map_fn: batch must be at least 1, got {size}")
    if any(isinstance(v, Composite) for v in (*flat, *specs)):
        raise TypeError("map_fn: batch= takes and gives tensors; ragged and sparse rows have no common shape")
    blocks = (count + size - 1) // size
    arrays = [TensorArray(s.dtype, blocks, infer_shape=False) for s in specs]

    def turn(at: Any, arrays: Any) -> Any:
        taken = [t[at * size : (at + 1) * size] for t in flat]
        result = fn(nest.pack_sequence_as(elems, taken))
        nest.assert_same_structure(structure, result)
        row_count = array.shape(taken[0])[:1]
        leaves = [_of_dtype(v, s) for v, s in zip(nest.flatten(result), specs, strict=True)]
        message = "map_fn: with batch= fn must return a row for each that it is given"
        checks = [assert_equal(array.shape(v)[:1], row_count, message=message) for v in leaves]
        with control_dependencies([c for c in checks if c is not None]):
            leaves = [array.identity(v) for v in leaves]
        return at + 1, [a.write(at, v) for a, v in zip(arrays, leaves, strict=True)]

    _, arrays = while_loop(lambda at, arrays: at < blocks, turn, (convert_to_tensor(0), arrays), name=name or "map")
    return nest.pack_sequence_as(structure, [a.concat() for a in arrays])


jacobian.ABOVE["map_fn"] = map_fn


def _of_dtype(value: Any, spec: TensorSpec) -> Any:
    tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
    if tensor.dtype is not spec.dtype:
        raise TypeError(f"map_fn: fn returned {tensor!r} where {spec!r} was declared; give fn_output_signature")
    return tensor


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` applied to each row of `elems`, the results stacked; dtypes of the results are found by themselves.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors.
      elems: a tensor or nest of tensors with the same number of rows; a single row stands for all.
      fallback_to_while_loop, warn: accepted; rows are always taken one after the other, so every `fn` works.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis.
    """
    elems = _with_equal_rows(elems)
    flat, count = _rows(elems, "vectorized_map")
    eager = all(isinstance(t, EagerTensor) for t in nest.flatten(flat, expand_composites=True))
    if eager and isinstance(count, int) and count:
        results = [fn(_row(elems, flat, i)) for i in range(count)]
        if not any(isinstance(leaf, Composite) for leaf in nest.flatten(results[0])):
            return nest.map_structure(lambda *rows: stacking.stack([convert_to_tensor(r) for r in rows]), *results)
        return map_fn(fn, elems, fn_output_signature=nest.map_structure(_spec_of_row, results[0]))

    def probe(*rows: Tensor) -> Any:
        rest = iter(rows)
        first = [_spec(t)._row(t, 0) if isinstance(t, Composite) else next(rest) for t in flat]
        return fn(nest.pack_sequence_as(elems, first))

    tensors = [t for t in flat if not isinstance(t, Composite)]
    rows = [(t.dtype, None if t.shape.rank is None else t.shape._dims[1:], f"row_{i}") for i, t in enumerate(tensors)]
    scratch = trace(probe, "vectorized_map_probe", rows)
    return map_fn(fn, elems, fn_output_signature=nest.map_structure(_spec_of_row, scratch.result))


def _with_equal_rows(elems: Any) -> Any:
    """Tensors of which those with a single row have as many rows as the others."""
    leaves: list[Any] = [e if isinstance(e, Composite) else convert_to_tensor(e) for e in nest.flatten(elems)]
    places = [i for i, leaf in enumerate(leaves) if not isinstance(leaf, Composite) and leaf.shape.rank != 0]
    counts: list[Any] = [None if leaves[i].shape.rank is None else dimension_value(leaves[i].shape[0]) for i in places]
    static = None not in counts
    if len(places) < 2 or (static and len({*counts} - {1}) != 1):
        return elems
    most: Any = max(counts) if static else reduce_max(stacking.stack([array.shape(leaves[i])[0] for i in places]))
    for i, count in zip(places, counts, strict=True):
        if count is None or count == 1:
            leaves[i] = broadcast_to(leaves[i], joining.concat([[most], array.shape(leaves[i])[1:]], 0))
    return nest.pack_sequence_as(elems, leaves)


def _spec_of_row(value: Any) -> Any:
    """The spec of a value that a mapped function returned."""
    return spec_of(value) or spec_of(convert_to_tensor(value))


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
@parameters_of(foldl)
def foldr(
    fn: Any, elems: Any, initializer: Any = None, back_prop: bool = True, name: str | None = None, **ignored: Any
) -> Any:
    """`fn(accumulated, row)` over the rows from the last to the first."""
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

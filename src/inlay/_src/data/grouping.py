"""The methods of datasets that put elements together: batches, windows, groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.batching import RaggedBatch
from inlay._src.data.chain import Chain
from inlay._src.data.element import Element
from inlay._src.data.mapped import Mapped
from inlay._src.data.padding import PaddedBatch, padded
from inlay._src.data.rebatching import Rebatch
from inlay._src.data.scanning import stepped
from inlay._src.data.sizes import size_tensor
from inlay._src.data.sparse_batching import SparseBatch
from inlay._src.data.spec import DatasetSpec
from inlay._src.data.windows import GroupByReducer, GroupByWindow, Window
from inlay._src.ops import array, asserting, math
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.gathering import gather
from inlay._src.ops.joining import stack
from inlay._src.ops.reductions import reduce_min


def static_size(batch_size: Any, drop_remainder: Any) -> int | None:
    """The size of every batch, if it is known: no last one is smaller."""
    size, drop = (value_of(v).item() if isinstance(v, EagerTensor) else v for v in (batch_size, drop_remainder))
    return int(size) if drop is True and isinstance(size, (int, np.integer)) else None


class Grouping(Chain):
    """Methods that every dataset has: see `Dataset`."""

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Self:
        """Elements stacked along a new first axis, each component padded to one shape.

        Args:
          batch_size: the number of elements per batch, an int64 scalar.
          padded_shapes: a nest like the elements, of shapes; None or -1 in one of them is the longest of the batch.
            None is what is known of the components.
          padding_values: a nest like the elements, of scalars; None is zero, or the empty string. One scalar is for
            all components.
          drop_remainder: whether a last batch that is smaller is left out.
          name: accepted.

        Raises:
          ValueError: if a shape is neither known nor given, or does not fit.
          TypeError: if a component is no tensor, or a value to pad with has another dtype.
          InvalidArgumentError: while it is iterated, if an element has another rank.
          DataLossError: while it is iterated, if an element is longer than the padded shape.
        """
        shapes, padding, known = padded(self._node.element.spec, padded_shapes, padding_values)
        static, drop = static_size(batch_size, drop_remainder), convert_to_tensor(drop_remainder, dtypes.bool_)
        size = size_tensor(batch_size, 1, "Batch size")
        return self._with(PaddedBatch(self._node, size, drop, static, shapes, padding, known))  # type: ignore[no-any-return]

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Self:
        """Elements stacked along a new first axis; components whose shape is not known become ragged.

        Args:
          batch_size: the number of elements per batch, an int64 scalar.
          drop_remainder: whether a last batch that is smaller is left out.
          row_splits_dtype: int32 or int64: the dtype of the row partitions.
          name: accepted.
        """
        static, drop = static_size(batch_size, drop_remainder), convert_to_tensor(drop_remainder, dtypes.bool_)
        size, splits = size_tensor(batch_size, 1, "Batch size"), dtypes.as_dtype(row_splits_dtype)
        return self._with(RaggedBatch(self._node, size, drop, static, splits))  # type: ignore[no-any-return]

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Self:
        """Tensors of different shapes stacked to sparse tensors.

        Args:
          batch_size: the number of elements per batch, an int64 scalar.
          row_shape: the shape of every row of what is made; None or -1 in it is the longest of the batch.
          name: accepted.

        Raises:
          TypeError: if the elements are no tensors.
          DataLossError: while it is iterated, if an element is larger than a row.
        """
        shape = TensorShape([None if n == -1 else n for n in TensorShape(row_shape).as_list()])
        return self._with(SparseBatch(self._node, size_tensor(batch_size, 1, "Batch size"), shape))  # type: ignore[no-any-return]

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Self:
        """Batches taken apart and stacked again in other sizes.

        Args:
          batch_size: the number of elements, an int64 scalar; or a vector, whose sizes are used by turns.
          drop_remainder: whether a last batch that is smaller is left out.
          name: accepted.
        """
        sizes = convert_to_tensor(batch_size, dtypes.int64)
        drop = convert_to_tensor(drop_remainder, dtypes.bool_)
        return self._with(Rebatch(self._node, sizes, drop))  # type: ignore[no-any-return]

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Self:
        """Datasets of consecutive elements: nests like the elements, of datasets.

        Args:
          size: the number of elements per window, an int64 scalar.
          shift: the distance in elements between the starts of two windows; None is `size`.
          stride: the distance between elements of a window.
          drop_remainder: whether windows that are smaller are left out.
          name: accepted.

        Raises:
          InvalidArgumentError: if one of the numbers is not positive.
        """
        width = size_tensor(size, 1, "Window size")
        apart = size_tensor(size if shift is None else shift, 1, "Window shift")
        step = size_tensor(stride, 1, "Window stride")
        drop = convert_to_tensor(drop_remainder, dtypes.bool_)
        return self._with(Window(self._node, width, apart, step, drop))  # type: ignore[no-any-return]

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The results of a function of groups of elements with one key.

        Args:
          key_func: takes an element; gives its key, an int64 scalar.
          reduce_func: takes a key and the dataset of a group; gives a dataset, whose elements are given on.
          window_size: the number of elements per group, an int64 scalar.
          window_size_func: takes a key and gives the same; one of the two is given.
          name: accepted.

        Raises:
          ValueError: if both of the sizes are given, or none.
          TypeError: if `reduce_func` gives no dataset.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        sized = window_size_func if window_size_func is not None else lambda key: window_size
        what, key = "Dataset.group_by_window()", TensorSpec((), dtypes.int64)
        keys = Mapped(lambda *parts: whole_number(key_func(*parts)), self._node.element, what)
        sizes = Mapped(lambda at: convert_to_tensor(sized(at), dtypes.int64), Element(key), what)
        groups = Mapped(reduce_func, Element((key, DatasetSpec(self._node.element.spec))), what)
        return self._with(GroupByWindow(self._node, keys, sizes, groups))  # type: ignore[no-any-return]

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Padded batches of elements of similar length.

        Args:
          element_length_func: takes an element; gives its length, an int32 scalar.
          bucket_boundaries: the first lengths that belong to the next bucket.
          bucket_batch_sizes: the size of the batches of each bucket, one more than there are boundaries.
          padded_shapes, padding_values: as `padded_batch` takes them.
          pad_to_bucket_boundary: whether unknown sizes are padded to one less than the boundary, not to the longest
            element.
          no_padding: whether elements are stacked as they are.
          drop_remainder: whether batches that are smaller are left out.
          name: accepted.

        Raises:
          ValueError: if the numbers of sizes and boundaries do not fit.
          InvalidArgumentError: while it is iterated, if `pad_to_bucket_boundary` and an element is as long as the last
            boundary.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        limits = np.iinfo(np.int32)
        lowest = np.array([limits.min, *bucket_boundaries], np.int32)
        highest = np.array([*bucket_boundaries, limits.max], np.int32)
        sizes = np.array(bucket_batch_sizes, np.int64)
        spec = self._node.element.spec

        def bucket(*parts: Any) -> Any:
            length = math.cast(element_length_func(*parts), dtypes.int32)
            here = math.logical_and(math.less_equal(lowest, length), math.less(length, highest))
            return reduce_min(array.where(here)[:, 0])

        def stacked(at: Any, group: Any) -> Any:
            size = gather(sizes, at)
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder, name=name)
            shapes = padded_shapes
            if shapes is None:
                shapes = nest.map_structure(lambda s: s.shape, spec)
            if pad_to_bucket_boundary:
                message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                check = asserting.assert_less(at, np.int64(len(bucket_boundaries)), message=message)
                with control_dependencies([check]):
                    edge = array.identity(gather(highest.astype(np.int64), at)) - 1
                flat = [_to_boundary(s, edge) for s in nest.flatten_up_to(spec, shapes)]
                shapes = nest.pack_sequence_as(spec, flat)
            return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder, name=name)

        return self.group_by_window(bucket, stacked, window_size_func=lambda at: gather(sizes, at), name=name)

    def _group_by_reducer(self, key_func: Callable[..., Any], reducer: Any) -> Self:
        """See `data.experimental.group_by_reducer`."""
        what, key = "tf.data.experimental.group_by_reducer()", TensorSpec((), dtypes.int64)
        keys = Mapped(lambda *parts: whole_number(convert_to_tensor(key_func(*parts))), self._node.element, what)
        initial = Mapped(reducer.init_func, Element(key), what)
        step = stepped(
            reducer.reduce_func, initial.element.spec, self._node.element, "Reducer.reduce()", lambda spec: spec
        )
        finish = Mapped(reducer.finalize_func, step.element, what)
        return self._with(GroupByReducer(self._node, keys, initial, step, finish))  # type: ignore[no-any-return]


def whole_number(key: Any) -> Any:
    """A key as an int64 scalar.

    Raises:
      ValueError: if it has another dtype or shape.
    """
    made = convert_to_tensor(key, None if hasattr(key, "dtype") else dtypes.int64)
    if made.dtype is not dtypes.int64 or not made.shape.is_compatible_with(()):
        raise ValueError(
            "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is "
            f"{TensorSpec(made.shape, made.dtype)!r}."
        )
    return made


def _to_boundary(shape: Any, edge: Any) -> Any:
    """A padded shape whose unknown sizes are a number that the graph computes."""
    sizes = TensorShape(shape).as_list()
    if all(n not in (None, -1) for n in sizes):
        return sizes
    return stack([edge if n in (None, -1) else np.int64(n) for n in sizes])

"""Serialized examples as tensors: dense, sparse and ragged ones, as their features are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.text import as_text
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.ops import array, division, joining, math
from inlay._src.ops.composite.example_features import (
    FORMS,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.composite.sparse_features import merge
from inlay._src.ops.example_parsing import LISTS, Columns, row_lengths

_EXAMPLE = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_CONTEXT = (VarLenFeature, SparseFeature, FixedLenFeature, RaggedFeature)
_LISTS = (VarLenFeature, SparseFeature, FixedLenSequenceFeature, RaggedFeature)


class _FeatureColumns:
    """Declared features as columns of what is read: several may share a column.

    Args:
      features: key -> what it is to become.
      kinds: the classes that this may be.
      lists: whether they are lists of features, the first axis of which is the step.

    Raises:
      ValueError: for a declaration that says too little, or something else.
    """

    def __init__(self, features: Mapping[Any, Any], kinds: Sequence[type], lists: bool = False) -> None:
        self.features, self.lists = features, lists
        self.sparse: dict[str, Any] = {}
        self.dense: dict[str, tuple[Any, tuple[int | None, ...]]] = {}
        self.ragged: dict[str, tuple[Any, Any]] = {}
        self.defaults: list[Any] = []
        self.missing: list[bool] = []
        for key in sorted(features, key=as_text):
            self._add(key, features[key], kinds)
        for names, one, other in (
            ("Dense and sparse", self.dense, self.sparse),
            ("Dense and ragged", self.dense, self.ragged),
            ("Ragged and sparse", self.ragged, self.sparse),
        ):
            if both := set(one) & set(other):
                raise ValueError(f"{names} keys must not intersect; intersection: {both}")

    def _add(self, key: Any, feature: Any, kinds: Sequence[type]) -> None:
        if type(feature) not in kinds:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
        text = as_text(key)
        if isinstance(feature, RaggedFeature):
            self._add_ragged(text, feature)
            return
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
        kind = _allowed(feature.dtype)
        if isinstance(feature, VarLenFeature):
            self._add_sparse(text, kind)
        elif isinstance(feature, SparseFeature):
            for name in ("index_key", "value_key"):
                if not getattr(feature, name):
                    raise ValueError(f"Missing {name} for SparseFeature {feature}.")
            for index in _keys(feature.index_key):
                self._add_sparse(index, dtypes.int64)
            self._add_sparse(feature.value_key, kind)
        elif isinstance(feature, FixedLenFeature):
            self._add_fixed(key, feature, kind)
        else:
            self._add_sequence(key, feature, kind)

    def _add_sparse(self, key: str, kind: Any) -> None:
        if self.sparse.setdefault(key, kind) is not kind:
            raise ValueError(f"Conflicting type {self.sparse[key].name} vs {kind.name} for feature {key}.")

    def _add_ragged(self, key: str, feature: RaggedFeature) -> None:
        wanted = [(feature.value_key or key, feature.dtype)]
        wanted += [(p.key, dtypes.int64) for p in feature.partitions if not isinstance(p, UniformRowLength)]
        for name, kind in wanted:
            first = self.ragged.setdefault(name, (kind, feature.row_splits_dtype))
            if first[0] is not kind:
                raise ValueError(f"Conflicting type {first[0].name} vs {kind.name} for feature {name}.")
            if first[1] is not feature.row_splits_dtype:
                raise ValueError(
                    f"Conflicting partition type {first[1].name} vs {feature.row_splits_dtype.name} for feature {name}."
                )

    def _add_fixed(self, key: Any, feature: FixedLenFeature, kind: Any) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = shapes.as_shape(feature.shape)
        if shape.rank and shape[0] is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received "
                f"feature={feature}."
            )
        if not shape.is_fully_defined():
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}."
            )
        self.dense[as_text(key)] = kind, tuple(shape.as_list())
        default = feature.default_value
        if default is None:
            self.defaults.append(np.zeros(0, kind.np))
        else:
            self.defaults.append(array.reshape(convert_to_tensor(default, kind), shape.as_list()))

    def _add_sequence(self, key: Any, feature: FixedLenSequenceFeature, kind: Any) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = shapes.as_shape(feature.shape)
        if not shape.is_fully_defined():
            raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {shape}.")
        self.missing.append(bool(feature.allow_missing))
        if self.lists:
            self.dense[as_text(key)] = kind, tuple(shape.as_list())
            return
        if not feature.allow_missing:
            raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
        self.dense[as_text(key)] = kind, (None, *shape.as_list())
        empty = "" if kind is dtypes.string else 0
        default = empty if feature.default_value is None else feature.default_value
        self.defaults.append(array.reshape(convert_to_tensor(default, kind), []))

    def columns(self) -> Columns:
        """The arguments of the kernel."""
        return Columns(
            tuple(self.sparse.items()),
            tuple((key, kind, dims) for key, (kind, dims) in self.dense.items()),
            tuple((key, kind, splits) for key, (kind, splits) in self.ragged.items()),
        )

    def _place(self, key: Any) -> tuple[int, str]:
        """Where a feature is in what is parsed: sparse ones come first, then dense ones, then ragged ones."""
        feature = self.features[key]
        if isinstance(feature, RaggedFeature) and feature.value_key in (None, key):
            return 2, as_text(key)
        if isinstance(feature, VarLenFeature):
            return 0, as_text(key)
        return 1 if isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)) else 3, as_text(key)

    def assemble(self, tensors: Sequence[Any], single: bool) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """(key -> value, key -> lengths of dense lists) of the outputs of the kernel."""
        pending = iter(tensors)

        def take(count: int) -> list[Any]:
            return [next(pending) for _ in range(count)]

        count = len(self.sparse)
        parts = take(count), take(count), take(count)
        features: dict[str, Any] = {
            key: SparseTensor(*of_key) for key, of_key in zip(self.sparse, zip(*parts, strict=True), strict=True)
        }
        features.update(zip(self.dense, take(len(self.dense)), strict=True))
        lengths = dict(zip(self.dense, take(len(self.dense)), strict=True)) if self.lists else {}
        count = len(self.ragged)
        values, splits = take(count), take(count)
        if self.lists:
            values = [_rows(v, inner) for v, inner in zip(values, take(count), strict=True)]
        if not single:
            values = [_rows(v, outer) for v, outer in zip(values, splits, strict=True)]
        features.update(zip(self.ragged, values, strict=True))
        keys = sorted(self.features, key=self._place)
        out = {key: self._one(key, features) for key in keys}
        return out, {key: lengths[as_text(key)] for key in keys if as_text(key) in lengths}

    def _one(self, key: Any, features: Mapping[str, Any]) -> Any:
        feature = self.features[key]
        if isinstance(feature, SparseFeature):
            ids = features[feature.index_key] if isinstance(feature.index_key, str) else [
                features[k] for k in feature.index_key
            ]  # fmt: skip
            size = list(feature.size) if isinstance(ids, list) else feature.size
            return merge(ids, features[feature.value_key], size, already_sorted=feature.already_sorted)
        if not isinstance(feature, RaggedFeature):
            return features[as_text(key)]
        value = features[feature.value_key or as_text(key)]
        batches = _batches(value)
        for partition in reversed(feature.partitions):
            value = _parted(value, partition, features, feature, as_text(key), len(batches))
        return value


def _allowed(dtype: Any) -> Any:
    kind = dtypes.as_dtype(dtype)
    if kind not in LISTS:
        raise errors.InvalidArgumentError(
            None, None, f"the type {kind.name} of a feature is not in the list of allowed values: float, int64, string"
        )
    return kind


def _keys(index_key: Any) -> list[str]:
    return [index_key] if isinstance(index_key, str) else sorted(index_key)


def _rows(values: Any, splits: Any) -> RaggedTensor:
    return RaggedTensor.from_row_splits(values, splits, validate=False)  # type: ignore[no-any-return]


def _batches(value: Any) -> list[Any]:
    """The row splits of a feature as it was read: those of the examples, and of their steps if it has these."""
    splits = []
    while isinstance(value, RaggedTensor):
        splits.append(value.row_splits)
        value = value.values
    return splits


def _parted(
    whole: Any, partition: Any, features: Mapping[str, Any], feature: RaggedFeature, key: str, depth: int
) -> Any:
    """A value with one axis more, into whose rows a partition cuts it.

    Args:
      whole: the value, with `depth` axes of examples and steps.
      partition: the partition.
      features: the features by key.
      feature: the declaration.
      key: the feature's own, for messages.
      depth: number of axes for examples and steps.
    """
    outer, value = [], whole
    for _ in range(depth):
        outer.append(value.row_splits)
        value = value.values
    kind = feature.row_splits_dtype
    if isinstance(partition, UniformRowLength):
        return _uniform(value, partition.length, outer, kind)
    part = features[partition.key]
    part_splits = _batches(part)
    flat = part.flat_values if part_splits else part
    rows = array.shape(value, out_type=dtypes.int64)[:1] if not isinstance(value, RaggedTensor) else (
        array.reshape(value.nrows(dtypes.int64), [1])
    )  # fmt: skip
    count_of = array.shape(flat, out_type=dtypes.int64)[:1]
    zero = np.zeros(1, np.int64)
    lengths, splits = row_lengths(
        math.cast(flat, dtypes.int64),
        math.cast(part_splits[-1], dtypes.int64) if outer else joining.concat([zero, count_of], 0),
        math.cast(outer[-1], dtypes.int64) if outer else joining.concat([zero, rows], 0),
        form=FORMS[type(partition)],
        key=key,
    )
    value = RaggedTensor.from_row_lengths(value, math.cast(lengths, kind), validate=False)
    if outer:
        value = _rows(value, math.cast(splits, kind))
    for around in reversed(outer[:-1]):
        value = _rows(value, around)
    return value


def _uniform(value: Any, length: int, outer: list[Any], kind: Any) -> Any:
    if isinstance(value, RaggedTensor):
        value = RaggedTensor.from_uniform_row_length(value, convert_to_tensor(length, kind), validate=False)
    else:
        value = array.reshape(value, [-1, length])
    if outer:
        value = _rows(value, math.cast(division.floordiv(outer[-1], convert_to_tensor(length, outer[-1].dtype)), kind))
    for around in reversed(outer[:-1]):
        value = _rows(value, around)
    return value


def _names(names: Any) -> Any:
    return convert_to_tensor(np.zeros(0, object) if names is None else names, dtypes.string)


@export("io.parse_example")
def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> dict[str, Any]:
    """The features of serialized `Example`s as tensors.

    Args:
      serialized: a vector of strings; a scalar for one example without a batch axis.
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      example_names: as many strings, for messages.
      name: the node's name.

    Returns:
      A dict: for each key a dense, sparse or ragged tensor whose first axis is that of `serialized`.

    Raises:
      ValueError: for features that are none.
      InvalidArgumentError: for a string that is no example, or an example whose features are not as declared.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    wanted = _FeatureColumns(features, _EXAMPLE)
    texts = convert_to_tensor(serialized, dtypes.string)
    columns = wanted.columns()
    attrs = {"columns": tuple(columns), "out_type": columns.types()}
    outputs = emit(OPS["ParseExampleV2"], (texts, _names(example_names), wanted.defaults), attrs, name)
    return wanted.assemble(outputs, texts.shape.rank == 0)[0]


def _one(serialized: Any) -> Any:
    """One serialized message.

    Raises:
      ValueError: if it is known to be several.
    """
    text = convert_to_tensor(serialized, dtypes.string)
    if text.shape.rank is not None and text.shape.rank != 0:
        raise ValueError("Input serialized must be a scalar")
    if text.shape.rank is None:
        text = array.reshape(text, [])
    return text


@export("io.parse_single_example")
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `Example` as tensors, without a batch axis.

    Args:
      serialized: a scalar string.
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      example_names: a scalar string, for messages.
      name: the node's name.

    Returns:
      A dict: for each key a dense or sparse tensor; of a `RaggedFeature` a vector, or what its partitions make of it.

    Raises:
      ValueError: for features that are none, or a vector of strings.
      InvalidArgumentError: for a string that is no example, or an example whose features are not as declared.
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be None.")
    return parse_example(_one(serialized), features, example_names, name)


def _sequences(
    serialized: Any, context_features: Any, sequence_features: Any, names: Any, name: str | None, single: bool
) -> tuple[Any, Any, Any]:
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` arguments are None, but at least one should have values."
        )
    context = _FeatureColumns(context_features or {}, _CONTEXT)
    lists = _FeatureColumns(sequence_features or {}, _LISTS, lists=True)
    of_context, of_lists = context.columns(), lists.columns()
    kinds = of_context.types()
    attrs = {
        "context": tuple(of_context),
        "lists": tuple(of_lists),
        "missing_assumed_empty": tuple(lists.missing),
        "out_type": (*kinds, *of_lists.types(2)),
    }
    columns = emit(OPS["ParseSequenceExampleV2"], (serialized, _names(names), context.defaults), attrs, name)
    around = context.assemble(columns[: len(kinds)], single)[0]
    return (around, *lists.assemble(columns[len(kinds) :], single))


@export("io.parse_single_sequence_example", "parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The features of one serialized `SequenceExample` as tensors.

    Args:
      serialized: a scalar string.
      context_features: key -> `FixedLenFeature`, `VarLenFeature`, `SparseFeature` or `RaggedFeature`.
      sequence_features: key -> `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature` or `RaggedFeature`; the
        first axis of what they become is that of the steps.
      example_name: a scalar string, for messages.
      name: the node's name.

    Returns:
      `(features of the context, features of the steps)`, dicts.

    Raises:
      ValueError: for features that are none, or a vector of strings.
      InvalidArgumentError: for a string that is no such message, or features that are not as declared.
    """
    return _sequences(_one(serialized), context_features, sequence_features, example_name, name, True)[:2]


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """The features of serialized `SequenceExample`s as tensors.

    Args:
      serialized: a vector of strings.
      context_features: as for `parse_single_sequence_example`.
      sequence_features: the same; steps that an example lacks are padded with zeros or "".
      example_names: as many strings, for messages.
      name: the node's name.

    Returns:
      `(features of the context, features of the steps, the number of steps of each dense one)`, dicts.

    Raises:
      ValueError: for features that are none.
      InvalidArgumentError: for a string that is no such message, or features that are not as declared.
    """
    texts = convert_to_tensor(serialized, dtypes.string)
    return _sequences(texts, context_features, sequence_features, example_names, name, texts.shape.rank == 0)


_V1 = "serialized, features, name=None, example_names=None"
parse_example_v1: Callable[..., Any] = export("parse_example", "compat.v1.io.parse_example")(
    another_form(parse_example, _V1)
)
parse_single_example_v1: Callable[..., Any] = export("parse_single_example", "compat.v1.io.parse_single_example")(
    another_form(parse_single_example, _V1)
)

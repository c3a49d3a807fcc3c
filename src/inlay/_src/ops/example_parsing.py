"""Serialized `Example`s and `SequenceExample`s as tensors: kernels over columns of features.

Every example is read once; then each feature that is asked for becomes a column: one array, or None, per example. The
arrays of a column are assembled in the same way for an `Example`, for the context of a sequence and, one axis deeper,
for its steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import chain
from math import prod
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes
from inlay._src.ops.example_wire import FeatureColumn, columns_of

LISTS = {dtypes.float32: "float_list", dtypes.int64: "int64_list", dtypes.string: "bytes_list"}
"""The types that features have -> the field that holds their values."""

ReadColumn = Callable[[str, DType, bool], FeatureColumn]
"""The column of a feature by key, type and whether it is dense, which a message about a wrong type says."""

_KINDS = {"float_list": "float", "int64_list": "int64", "bytes_list": "string"}


class Columns(NamedTuple):
    """The requested columns of examples, contexts or feature lists; hashable, as it is an attribute.

    Attributes:
      sparse, ragged: (key, type) of each; ragged ones with the type of their splits too.
      dense: (key, type, dims) of each; dims begin with None where the length of each example is its own.
    """

    sparse: tuple[tuple[str, DType], ...] = ()
    dense: tuple[tuple[str, DType, tuple[int | None, ...]], ...] = ()
    ragged: tuple[tuple[str, DType, DType], ...] = ()

    def features(self) -> list[tuple[str, DType]]:
        """Key and type of each column."""
        several = [(key, kind) for key, kind, _ in self.dense] + [(key, kind) for key, kind, _ in self.ragged]
        return [*self.sparse, *several]

    def types(self, axes: int = 1) -> tuple[DType, ...]:
        """The types of the tensors that `Column` makes of them; those of lists have a length, or inner splits, more."""
        count, lists = len(self.sparse), axes > 1
        return (
            *(dtypes.int64,) * count,
            *(kind for _, kind in self.sparse),
            *(dtypes.int64,) * count,
            *(kind for _, kind, _ in self.dense),
            *((dtypes.int64,) * len(self.dense) if lists else ()),
            *(kind for _, kind, _ in self.ragged),
            *(splits for _, _, splits in self.ragged),
            *((splits for _, _, splits in self.ragged) if lists else ()),
        )

    def dims(self, lead: Dims, axes: int = 1) -> list[Dims]:
        """The shapes of the same tensors, if the examples have the shape `lead`."""
        lists = axes > 1
        rank = None if lead is None else len(lead) + axes
        outer: Dims = (None,) if not lead else (None if lead[0] is None else lead[0] + 1,)
        steps = (None,) if lists else ()
        dense: list[Dims] = [None if lead is None else (*lead, *steps, *dims) for _, _, dims in self.dense]
        return [
            *[(None, rank)] * len(self.sparse),
            *[(None,)] * len(self.sparse),
            *[(rank,)] * len(self.sparse),
            *dense,
            *([lead] * len(self.dense) if lists else []),
            *[(None,)] * len(self.ragged),
            *[outer] * len(self.ragged),
            *([(None,)] * len(self.ragged) if lists else []),
        ]  # type: ignore[list-item]


class ExampleBatch:
    """The examples of one call, for messages: their names, and whether there is one without an axis.

    Args:
      serialized: a scalar or vector of strings.
      names: as many names, or none.
    """

    def __init__(self, serialized: Any, names: Any) -> None:
        texts = np.asarray(serialized, object)
        if texts.ndim > 1:
            raise ValueError(f"Expected serialized to be a scalar or vector, got shape: {bracketed(texts.shape)}")
        self.texts: list[Any] = texts.reshape(-1).tolist()
        self.single: bool = texts.ndim == 0
        self.names: list[Any] = np.asarray(names, object).reshape(-1).tolist()

    def read(self, kind: str) -> list[Any]:
        """The examples as messages of a class of `protos.example`.

        Raises:
          ValueError: for a string that is none.
        """
        from inlay._src.base.protos import example, schema

        values: list[Any] = []
        try:
            values.extend(schema.all_parsed(getattr(example, kind), self.texts))
        except ValueError:
            text = self.texts[len(values)]
            shown = text[:40] + b"..." if len(text) > 40 else text
            raise ValueError(
                f"{self.name(len(values))}Could not parse example input, value: {shown!r} is no {kind}"
            ) from None
        return values

    def name(self, i: int) -> str:
        """`Name: ..., ` of an example."""
        if self.single and not self.names:
            return ""
        return f"Name: {self.names[i].decode('utf-8', 'replace') if i < len(self.names) else '<unknown>'}, "

    def at(self, i: int, key: str) -> str:
        """Where a feature stands."""
        return f"{self.name(i)}Key: {key}{'' if self.single else f', Index: {i}'}. "


def values_of(feature: Any, kind: DType) -> Any:
    """The values of a feature as an array; None if it has none, the name of its type if that is another one."""
    which = feature.WhichOneof("kind")
    if which is None:
        return None
    if which != LISTS[kind]:
        return _KINDS[which]
    value = getattr(feature, which).value
    return _flat_values([getattr(feature, which)], [len(value)], kind)


def _lists(
    batch: ExampleBatch, features: Sequence[Any], key: str, kind: DType, dense: bool
) -> tuple[list[Any], list[int]]:
    """The values of one feature as protobuf has them, one message for each example, empty where it is missing; and how
    many each has.

    Only empty ones are asked for their type: of another type they are empty.

    Raises:
      ValueError: if a value is of another type.
    """
    held = [feature.get(key) for feature in features]
    if None in held:
        nothing = _empty_feature()
        held = [nothing if feature is None else feature for feature in held]
    lists = list(map(_LISTED[kind], held))
    counts = list(map(len, map(_VALUE, lists)))
    if 0 in counts:
        for i, count in enumerate(counts):
            which = held[i].WhichOneof("kind") if not count else None
            if which not in (None, LISTS[kind]):
                raise _other_type(batch, i, key, kind, _KINDS[which], dense)
    return lists, counts


_VALUE = attrgetter("value")
_LISTED = {kind: attrgetter(field) for kind, field in LISTS.items()}


@functools.cache
def _empty_feature() -> Any:
    from inlay._src.base.protos import example

    return example.Feature()


PACKED = 4
"""Floats of a list from which on they are taken as they are on the wire, which is as they are in memory."""


def _flat_values(lists: Sequence[Any], counts: Sequence[int], kind: DType) -> np.ndarray:
    """The numbers or strings of several messages in one array."""
    total = sum(counts)
    if kind is dtypes.float32 and total > PACKED * len(lists):
        texts = [part.SerializeToString() for part in lists]
        joined = b"".join([text[len(text) - 4 * n :] for text, n in zip(texts, counts, strict=True)])
        return np.frombuffer(joined, "<f4").astype(np.float32)
    values = map(_VALUE, lists)
    every: Any = [value[0] for value in values] if counts.count(1) == len(counts) else chain.from_iterable(values)
    if kind is not dtypes.string:
        return np.fromiter(every, kind.np, total)
    out = np.empty(total, object)
    out[:] = list(every)
    return out


def _other_type(batch: ExampleBatch, i: int, key: str, kind: DType, actual: str, dense: bool) -> ValueError:
    wanted = (
        f"Data type: {actual} but expected type: {kind.c_name}"
        if dense
        else f"Expected type: {kind.c_name}, Actual type: {actual}"
    )
    return ValueError(f"{batch.at(i, key)} Data types don't match. {wanted}")


def _joined(parts: Sequence[Any], kind: DType) -> np.ndarray:
    return np.concatenate([np.empty(0, kind.np), *parts]) if len(parts) != 1 else parts[0]


def _lengths(parts: Sequence[Any]) -> np.ndarray:
    return np.asarray([len(p) for p in parts], np.int64)


def _splits(lengths: np.ndarray, kind: DType) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(kind.np)


def _within(lengths: np.ndarray) -> np.ndarray:
    """0, 1, 2 ... within each of parts of these lengths."""
    total = int(lengths.sum())
    return np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _messages_column(batch: ExampleBatch, features: Sequence[Any]) -> ReadColumn:
    """Columns of features that protobuf has read."""

    def read(key: str, kind: DType, dense: bool) -> FeatureColumn:
        lists, counts = _lists(batch, features, key, kind, dense)
        return FeatureColumn(_flat_values(lists, counts, kind), np.asarray(counts, np.int64))

    return read


def _sparse(values: np.ndarray, lengths: np.ndarray, single: bool) -> tuple[Any, Any, Any]:
    """(coordinates, values, dense shape) of a column."""
    inner, longest = _within(lengths), int(lengths.max(initial=0))
    if single:
        return inner[:, None], values, np.asarray([longest], np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.stack([rows, inner], 1), values, np.asarray([len(lengths), longest], np.int64)


def _in_turn(columns: Sequence[FeatureColumn]) -> ReadColumn:
    """Columns in the order of `Columns.features`, which is that of `flat`."""
    turns = iter(columns)
    return lambda key, kind, dense: next(turns)


def _fixed(batch: ExampleBatch, column: FeatureColumn, key: str, kind: DType, dims: Any, default: Any) -> np.ndarray:
    """A column of one shape as one array.

    Raises:
      ValueError: if a value is missing and has no default, or is of another size.
    """
    (values, counts), size = column, prod(dims)
    shape = dims if batch.single else (len(counts), *dims)
    if len(counts) == 1 and counts[0] == size:  # one example, for which NumPy's calls would be a third of the time
        return values.reshape(shape)
    right = counts == size
    if right.all():
        return values.reshape(shape)
    for i in np.flatnonzero(~right & ((counts > 0) | (not default.size)))[:1]:
        if counts[i]:
            raise ValueError(
                f"{batch.at(i, key)} Number of {_said(kind)} values != expected.  Values size: {counts[i]} but "
                f"output shape: {bracketed(dims)}"
            )
        raise ValueError(
            f"{batch.name(i)}Feature: {key} (data type: {kind.c_name}) is required but could not be found."
        )
    out = np.empty((len(counts), size), kind.np)
    out[right] = values.reshape(-1, size)
    out[~right] = default.reshape(-1)
    return out.reshape(shape)


def _said(kind: DType) -> str:
    return "bytes" if kind is dtypes.string else kind.c_name


def _padded(batch: ExampleBatch, column: FeatureColumn, key: str, kind: DType, dims: Any, default: Any) -> np.ndarray:
    (values, counts), stride = column, prod(dims[1:])
    for i in np.flatnonzero(counts % max(stride, 1))[:1]:
        raise ValueError(
            f"{batch.at(i, key)} Number of {_said(kind)} values is not a multiple of stride length. Saw "
            f"{counts[i]} values but output shape is: {bracketed(dims)}"
        )
    longest = int(counts.max(initial=0))
    out = np.full((len(counts), longest), default[()] if default.size == 1 else 0, kind.np)
    out[np.arange(longest) < counts[:, None]] = values
    steps = longest // stride if stride else 0
    return out.reshape((steps, *dims[1:]) if batch.single else (len(counts), steps, *dims[1:]))


def flat(batch: ExampleBatch, read: ReadColumn, columns: Columns, defaults: Sequence[Any]) -> list[Any]:
    """The tensors of columns of plain features, in the order of `Columns.types`."""
    sparse = [_sparse(*read(key, kind, False), batch.single) for key, kind in columns.sparse]
    dense = []
    for (key, kind, dims), default in zip(columns.dense, defaults, strict=True):
        assembled = _padded if dims and dims[0] is None else _fixed
        dense.append(assembled(batch, read(key, kind, True), key, kind, dims, np.asarray(default)))
    ragged = []
    for key, kind, splits in columns.ragged:
        values, lengths = read(key, kind, False)
        ragged.append((values, _splits(lengths, splits)))
    return [*_by_part(sparse, 3), *dense, *_by_part(ragged, 2)]


def _by_part(rows: Sequence[tuple[Any, ...]], count: int) -> list[Any]:
    """All first parts, then all second ones, and so on."""
    return [row[i] for i in range(count) for row in rows]


@op(
    "ParseExampleV2",
    "serialized:string, names:string, dense_defaults:*any -> *out_type",
    infer=lambda s: Columns(*s.attrs["columns"]).dims(s.dims[0]),
    lower=REFUSES_VALUES,
)
def parse_example(xp, serialized, names, dense_defaults, *, columns, out_type):
    """The features of serialized examples as tensors: coordinates, values and shapes of sparse ones, dense ones, values
    and splits of ragged ones."""
    batch, requested = ExampleBatch(serialized, names), Columns(*columns)
    direct = columns_of(batch.texts, requested.features())
    if direct is None:
        read = _messages_column(batch, [example.features.feature for example in batch.read("Example")])
    else:
        read = _in_turn(direct)
    return flat(batch, read, requested, dense_defaults)


# ---------------------------------------------------------------- sequences


def _steps(batch: ExampleBatch, lists: Sequence[Any], key: str, kind: DType) -> list[list[Any] | None]:
    """For each example the arrays of the steps of a list of features, None where the list is missing."""
    columns: list[list[Any] | None] = []
    for i, held in enumerate(lists):
        listed = held.get(key)
        if listed is None:
            columns.append(None)
            continue
        steps = []
        for step, feature in enumerate(listed.feature):
            values = values_of(feature, kind)
            if values.__class__ is str:
                raise ValueError(
                    f"{batch.name(i)}Feature list: {key}, Index: {step}.  Data types don't match. Expected type: "
                    f"{kind.c_name}, Actual type: {values}"
                )
            steps.append(np.empty(0, kind.np) if values is None else values)
        columns.append(steps)
    return columns


def _step_lists(rows: Sequence[list[Any] | None]) -> list[list[Any]]:
    return [steps or [] for steps in rows]


def _sparse_steps(lists: Sequence[list[Any]], kind: DType, single: bool) -> tuple[Any, Any, Any]:
    counts = _lengths(lists)
    parts = [part for steps in lists for part in steps]
    lengths = _lengths(parts)
    at = np.repeat(_within(counts), lengths)
    coordinates = [at, _within(lengths)]
    shape = [int(counts.max(initial=0)), int(lengths.max(initial=0))]
    if not single:
        coordinates.insert(0, np.repeat(np.repeat(np.arange(len(lists)), counts), lengths))
        shape.insert(0, len(lists))
    return np.stack(coordinates, 1), _joined(parts, kind), np.asarray(shape, np.int64)


def _dense_steps(
    batch: ExampleBatch, rows: Sequence[list[Any] | None], key: str, kind: DType, dims: Any, empty: bool
) -> tuple[Any, Any]:
    """(the steps of all examples as one array, how many each has)."""
    size = prod(dims)
    for i, steps in enumerate(rows):
        if steps is None and not empty:
            raise ValueError(
                f"{batch.name(i)}Feature list '{key}' is required but could not be found.  Did you mean to include it "
                "in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
            )
        for step, part in enumerate(steps or ()):
            if len(part) != size:
                raise ValueError(
                    f"{batch.name(i)}Key: {key}, Index: {step}.  Number of values != expected.  values size: "
                    f"{len(part)} but output shape: {bracketed(dims)}"
                )
    lists = _step_lists(rows)
    counts = _lengths(lists)
    longest = int(counts.max(initial=0))
    out = np.full((len(lists), longest, size), b"" if kind is dtypes.string else 0, kind.np)
    for row, steps in zip(out, lists, strict=True):
        for at, part in enumerate(steps):
            row[at] = part
    shaped = out.reshape(len(lists), longest, *dims)
    return (shaped[0], counts[0]) if batch.single else (shaped, counts)


def listed(batch: ExampleBatch, lists: Sequence[Any], columns: Columns, empty: Sequence[bool]) -> list[Any]:
    """The tensors of columns of lists of features, in the order of `Columns.types(2)`."""
    sparse, dense, ragged = [], [], []
    for key, kind in columns.sparse:
        sparse.append(_sparse_steps(_step_lists(_steps(batch, lists, key, kind)), kind, batch.single))
    for (key, kind, dims), may_miss in zip(columns.dense, empty, strict=True):
        dense.append(_dense_steps(batch, _steps(batch, lists, key, kind), key, kind, dims, may_miss))
    for key, kind, splits in columns.ragged:
        rows = _step_lists(_steps(batch, lists, key, kind))
        parts = [part for steps in rows for part in steps]
        ragged.append((_joined(parts, kind), _splits(_lengths(rows), splits), _splits(_lengths(parts), splits)))
    return [*_by_part(sparse, 3), *_by_part(dense, 2), *_by_part(ragged, 3)]


def _sequence_dims(s: Shapes) -> list[Dims]:
    lead = s.dims[0]
    return [*Columns(*s.attrs["context"]).dims(lead), *Columns(*s.attrs["lists"]).dims(lead, 2)]


@op(
    "ParseSequenceExampleV2",
    "serialized:string, debug_name:string, context_dense_defaults:*any -> *out_type",
    infer=_sequence_dims,
    lower=REFUSES_VALUES,
)
def parse_sequence_example(
    xp, serialized, debug_name, context_dense_defaults, *, context, lists, missing_assumed_empty, out_type
):
    """The features of serialized sequences as tensors: those of the context, then those of the steps."""
    batch = ExampleBatch(serialized, debug_name)
    examples = batch.read("SequenceExample")
    contexts = [example.context.feature for example in examples]
    steps = [example.feature_lists.feature_list for example in examples]
    return [
        *flat(batch, _messages_column(batch, contexts), Columns(*context), context_dense_defaults),
        *listed(batch, steps, Columns(*lists), missing_assumed_empty),
    ]


# ---------------------------------------------------------------- partitions of ragged features


def _counted(ids: np.ndarray) -> np.ndarray:
    return np.bincount(ids, minlength=0) if len(ids) else np.zeros(0, np.int64)


_ROW_LENGTHS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "row_lengths": lambda part, count: part,
    "row_splits": lambda part, count: np.diff(part),
    "row_limits": lambda part, count: np.diff(part, prepend=0),
    "row_starts": lambda part, count: np.diff(part, append=count),
    "value_rowids": lambda part, count: _counted(part),
}
"""Kind of a row partition -> function of the partition and the number of values that returns the row lengths."""


@op(
    "RaggedFeatureRowLengths",
    "partition:int64, partition_splits:int64, value_splits:int64 -> int64, int64",
    infer=lambda s: [(None,), s.dims[1]],
    lower=REFUSES_VALUES,
)
def row_lengths(xp, partition, partition_splits, value_splits, *, form, key):
    """The lengths of the rows into which a feature's partition cuts its values, and splits of these rows by example.

    Args:
      partition, partition_splits: concatenated partition values of all examples, and the offset of each example's part.
      value_splits: where each example's values begin.
      form: one of `_ROW_LENGTHS`.
      key: the feature, for messages.
    """
    if len(value_splits) != len(partition_splits):
        raise ValueError(
            f"Feature {key}: values and partitions are not aligned: {len(value_splits) - 1} rows of values, "
            f"{len(partition_splits) - 1} of partitions"
        )
    lengths = []
    for i in range(len(value_splits) - 1):
        part = partition[partition_splits[i] : partition_splits[i + 1]]
        count = int(value_splits[i + 1] - value_splits[i])
        sizes = np.asarray(_ROW_LENGTHS[form](part, count), np.int64)
        if sizes.sum() != count or (sizes < 0).any():
            raise ValueError(
                f"Feature {key}, Index: {i}: the partition {part.tolist()} ({form}) does not fit its {count} values"
            )
        lengths.append(sizes)
    return _joined(lengths, dtypes.int64), _splits(_lengths(lengths), dtypes.int64)

"""The serialised form of dataset nodes: a `Row` each, with TensorFlow's op where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data import (
    batching,
    caching,
    choosing,
    combining,
    csv_fields,
    filtering,
    flattening,
    generating,
    grouping,
    interleaving,
    mapping,
    mixing,
    padding,
    parallel,
    prefetching,
    random_numbers,
    reading,
    rebatching,
    repeating,
    resampling,
    scanning,
    shuffling,
    sliding,
    sources,
    sparse_batching,
    stacked,
    stored,
    storing,
    taking,
    windows,
)  # fmt: skip
from inlay._src.data.element import Element
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Node
from inlay._src.data.shuffling import Seeds
from inlay._src.data.ways import Placing
from inlay._src.programs.graph_def.declared import OWN, REQUIRED, Argument, Declaration, DeclaredAttribute, declare

NUMBER = (int, type(None))
FLAG = (bool, type(None))
CAPTURES = "*"
"""Stands in `Row.tensors` for any number of tensors of any dtypes."""


class Row(NamedTuple):
    """The serialised form of dataset nodes of one class.

    Attributes:
      kind: the class.
      op: TensorFlow's op; "" if it has none.
      tensors: the dtypes of its tensors in order; a last `CAPTURES` is any number of more.
      fields: its fields -> the classes that their values may have.
      inputs: the number of datasets that it reads; None is any.
      functions: TensorFlow's attributes that name its traced functions, in the order of its fields.
      told: field -> TensorFlow's attribute that says it.
      caches: field -> what makes its first value: it is derived, and not written.
      extra: gives further int64 scalars that TensorFlow's op takes behind the tensors.
      same: whether TensorFlow's op does what a node does.
    """

    kind: type[Node]
    op: str = ""
    tensors: str = ""
    fields: Mapping[str, Any] = {}
    inputs: int | None = 1
    functions: tuple[str, ...] = ()
    told: Mapping[str, str] = {}
    caches: Mapping[str, Callable[[], Any]] = {}
    extra: Callable[[Any], Sequence[int]] = lambda node: ()
    same: Callable[[Any], bool] = lambda node: True

    @property
    def own(self) -> str:
        """The name of the op that this library declares for it."""
        return f"{OWN}{self.kind.__name__}Dataset"


def _nothing() -> None:
    return None


def _seeds(node: Any) -> Sequence[int]:
    return node.seeds.written  # type: ignore[no-any-return]


def _slices_tensors(node: Any) -> bool:
    return all(isinstance(spec, TensorSpec) for spec in nest.flatten(node.whole.spec))


_F, _MAPPED, _ABLE = ("f",), {"mapped": Mapped}, (Mapped, type(None))
ROWS: tuple[Row, ...] = (
    Row(sources.Range, "RangeDataset", "int64 int64 int64", inputs=0),
    Row(sources.Count, "", CAPTURES, inputs=0),
    Row(sources.Tensors, "TensorDataset", CAPTURES, inputs=0),
    Row(sources.Slices, "TensorSliceDataset", CAPTURES, {"whole": Element}, inputs=0, same=_slices_tensors),
    Row(
        random_numbers.Random, "RandomDataset", "", {"seeds": Seeds, "again": bool}, 0, extra=_seeds,
        same=lambda node: not node.again,
    ),
    Row(generating.Generated, "", CAPTURES, {"function": object, "label": str}, inputs=0),
    Row(reading.Files, "", CAPTURES, {"reader": object, "name": str, "together": NUMBER}),
    Row(
        csv_fields.Fields, "", CAPTURES,
        {"delimiter": str, "quotes": bool, "missing": str, "selected": tuple, "excluded": tuple},
    ),
    Row(stored.Load, "", f"string {CAPTURES}", {"reader": _ABLE}, inputs=0),
    Row(storing.Saving, "", f"string {CAPTURES}", {"compression": str, "shard": _ABLE}),
    Row(stored.Snapshot, "", f"string {CAPTURES}", {"compression": str, "shard": _ABLE, "reader": _ABLE}),
    Row(mapping.Map, "MapDataset", CAPTURES, _MAPPED, functions=_F, caches={"_all": _nothing, "_rows": list}),
    Row(
        parallel.ParallelMap, "ParallelMapDatasetV2", CAPTURES, {**_MAPPED, "ordered": FLAG, "placing": Placing},
        functions=_F,
    ),
    Row(stacked.StackedRows, "", "", {"elements": Node, "label": str}, None),
    Row(filtering.Filter, "FilterDataset", CAPTURES, _MAPPED, functions=("predicate",)),
    Row(filtering.TakeWhile, "TakeWhileDataset", CAPTURES, _MAPPED, functions=("predicate",)),
    Row(flattening.FlatMap, "FlatMapDataset", CAPTURES, _MAPPED, functions=_F),
    Row(
        interleaving.Interleave, "InterleaveDataset", CAPTURES, {**_MAPPED, "ordered": FLAG, "parallel": bool},
        functions=_F, same=lambda node: not node.parallel,
    ),
    Row(scanning.Scan, "", CAPTURES, {"step": Mapped, "_width": int}),
    Row(taking.Take, "TakeDataset", "int64"),
    Row(taking.Skip, "SkipDataset", "int64"),
    Row(repeating.Repeat, "RepeatDataset", "int64"),
    Row(combining.Concatenate, "ConcatenateDataset", inputs=None),
    Row(sources.Listed, "", inputs=None),
    Row(combining.Zip, "ZipDataset", inputs=None),
    Row(batching.Batch, "BatchDatasetV2", "int64 bool", {"calls": NUMBER}),
    Row(batching.RaggedBatch, "", "int64 bool", {"rows": object}),
    Row(batching.Unbatch, "UnbatchDataset"),
    Row(padding.PaddedBatch, "", f"int64 bool {CAPTURES}"),
    Row(rebatching.Rebatch, "", "int64 bool"),
    Row(sparse_batching.SparseBatch, "", "int64", {"shape": TensorShape}),
    Row(caching.Cache, "CacheDataset", "string", caches={"memory": caching.Memory}),
    Row(choosing.Shard, "ShardDataset", "int64 int64"),
    Row(choosing.Unique, "UniqueDataset"),
    Row(choosing.IgnoreErrors, "IgnoreErrorsDataset", "", {"log_warning": bool}, told={"log_warning": "log_warning"}),
    Row(choosing.AssertCardinality, "AssertCardinalityDataset", "int64"),
    Row(
        mixing.Choose, "DirectedInterleaveDataset", "", {"stop": bool}, None, told={"stop": "stop_on_empty_dataset"}
    ),
    Row(mixing.Draws, "", "", {"seeds": Seeds}),
    Row(resampling.Resample, "", CAPTURES, {"kind": Mapped, "seeds": Seeds, "_known": bool}),
    Row(
        shuffling.Shuffle, "ShuffleDataset", "int64", {"seeds": Seeds}, extra=_seeds,
        told={"again": "reshuffle_each_iteration"},
    ),
    Row(prefetching.Prefetch, "PrefetchDataset", "int64"),
    Row(sliding.Sliding, "SlidingWindowDataset", "int64 int64 int64"),
    Row(windows.Window, "WindowDataset", "int64 int64 int64 bool"),
    Row(grouping.GroupByWindow, "", CAPTURES, {"key": Mapped, "size": Mapped, "reduce": Mapped}),
    Row(
        grouping.GroupByReducer, "", CAPTURES,
        {"key": Mapped, "initial": Mapped, "reduce": Mapped, "finish": Mapped},
    ),
)  # fmt: skip
BY_KIND: dict[type[Node], Row] = {}


def own_declaration(op: str, single: bool, outputs: Argument) -> Declaration:
    """Our declaration of an op that takes datasets and tensors, and names functions of the library."""
    first = Argument("dataset", dtypes.variant, "", "", "", False)
    several = Argument("input_datasets", dtypes.variant, "", "N", "", False)
    kinds = {"Targuments": "list(type)", "functions": "list(func)", "output_types": "list(type)"}
    kinds |= {"output_shapes": "list(shape)"} | ({} if single else {"N": "int"})
    inputs = (first if single else several, Argument("arguments", None, "", "", "Targuments", False))
    return Declaration(op, inputs, (outputs,), {n: DeclaredAttribute(k, REQUIRED) for n, k in kinds.items()}, True)


_HANDLE = Argument("handle", dtypes.variant, "", "", "", False)


def add_row(row: Row) -> None:
    """Declares how dataset nodes of a class are written."""
    BY_KIND[row.kind] = row
    declare(own_declaration(row.own, False, _HANDLE))


for _row in ROWS:
    add_row(_row)

"""Former names of modules and classes, which pickles, saved bodies and plans have.

Before version 0.1 modules stood beside the public namespaces, not below `_src`: `FORMER` says where. A module that is
renamed since gets a row in `MOVED`, a class or a function that a pickle may name one in `RENAMED`, both by their names
below `_src`. `tests/golden/pickles` has pickles of such trees.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

FORMER: dict[str, str] = {
    "autodiff": "engine.autodiff",
    "bodies": "host.bodies",
    "cluster": "cluster",
    "command": "tools.command",
    "composite": "ops.composite",
    "control": "programs.control",
    "conversion": "programs.conversion",
    "core": "core",
    "cross_device_ops": "programs.cross_device_ops",
    "datasets": "data",
    "devices": "core.devices",
    "distributions": "tf1.distributions",
    "dtensor": "programs.dtensor",
    "eager": "core.eager",
    "errors": "base.errors",
    "executors": "host.executors",
    "explained": "tools.explained",
    "export": "base.export",
    "files": "base.files",
    "functions": "programs.functions",
    "graph_def": "programs.graph_def",
    "hash_tables": "ops.hash_tables",
    "host": "host",
    "interpreter": "base.interpreter",
    "layers": "tf1.layers",
    "misuse": "base.misuse",
    "module": "programs.module",
    "monitored": "tf1.monitored",
    "numpy_behavior": "programs.numpy_behavior",
    "numpy_functions": "programs.numpy_functions",
    "ops": "ops",
    "plan": "engine.plan",
    "platform": "tf1.platform",
    "program": "programs.program",
    "protos": "base.protos",
    "queues": "tf1.queues",
    "raw_ops": "programs.raw_ops",
    "recurrent": "tf1.recurrent",
    "run": "engine.run",
    "saved": "saved",
    "session": "programs.session",
    "slim": "tf1.slim",
    "strategies": "programs.strategies",
    "strategy_extended": "programs.strategy_extended",
    "summaries": "tf1.summaries",
    "training": "training",
    "types": "base.types",
    "unmodified": "tools.unmodified",
    "variables": "ops.variables",
}
"""Former entry of the package -> the module or the room below `_src` that has its modules now."""
MOVED: dict[str, str] = {
    "cluster.meeting": "cluster.discovery",
    "cluster.travel": "cluster.payload",
    "core.equality": "base.types.attributes",
    "core.op_record": "core.operation",
    "data.keeping": "data.storing",
    "data.transforms": "data.taking",
    "engine.autodiff.written_pullback": "engine.autodiff.compiled_vjp",
    "engine.run.block_source": "engine.run.fusion.block_function",
    "engine.run.chains": "engine.run.fusion.elementwise",
    "engine.run.compiled": "engine.run.xla_segments",
    "engine.run.generated": "engine.run.lowering.writer",
    "engine.run.history": "engine.run.scheduling.history",
    "engine.run.inlined": "engine.run.lowering.inlining",
    "engine.run.joining": "engine.run.lowering.joined",
    "engine.run.joint_steps": "engine.run.fusion.optimizer_step",
    "engine.run.located": "engine.run.lowering.origins",
    "engine.run.parts": "engine.run.lowering.chunks",
    "engine.run.serial": "engine.run.reference",
    "engine.run.shared": "engine.run.scheduling.shared_run",
    "engine.run.stalls": "engine.run.scheduling.stalls",
    "engine.run.takeover": "engine.run.scheduling.work_stealing",
    "engine.run.traced_kernels": "engine.run.fusion.traced_kernels",
    "host.eager": "host.eager_calls",
    "host.elsewhere": "host.remote_call",
    "host.executors.chosen": "host.executors.selection",
    "host.executors.executor": "core.executor",
    "host.executors.processes.answers": "host.executors.processes.replies",
    "host.executors.processes.assigning": "host.executors.processes.scheduling",
    "host.executors.processes.kept": "host.executors.processes.remote_pullback",
    "host.executors.raised": "host.executors.exceptions",
    "host.known": "host.dispatch_cache",
    "host.learning": "host.shape_inference",
    "host.lending": "host.memory_views",
    "host.lost_gradient": "host.gradient",
    "host.own_gradient": "host.gradient",
    "host.records": "host.record",
    "host.source": "host.codegen",
    "ops.dilated_pooling": "ops.dilated_windows",
}
"""Former module below `_src` -> its present one."""
RENAMED: dict[str, dict[str, str]] = {
    "core.tensor": {"Reference": "core.tensor.TensorReference"},
    "data.batching": {
        "Batch": "data.batching.BatchNode",
        "Batching": "data.batching.BatchingNode",
        "RaggedBatch": "data.batching.RaggedBatchNode",
        "Unbatch": "data.batching.UnbatchNode",
    },
    "data.caching": {"Cache": "data.caching.CacheNode"},
    "data.choosing": {
        "AssertCardinality": "data.choosing.AssertCardinalityNode",
        "IgnoreErrors": "data.choosing.IgnoreErrorsNode",
        "Shard": "data.choosing.ShardNode",
        "TakeWhile": "data.filtering.TakeWhileNode",
        "Unique": "data.choosing.UniqueNode",
    },
    "data.combining": {
        "Concatenate": "data.combining.ConcatenateNode",
        "Zip": "data.combining.ZipNode",
    },
    "data.csv_fields": {"Fields": "data.csv_fields.FieldsNode"},
    "data.filtering": {
        "Filter": "data.filtering.FilterNode",
        "TakeWhile": "data.filtering.TakeWhileNode",
    },
    "data.flattening": {"FlatMap": "data.flattening.FlatMapNode"},
    "data.fusing": {"Rows": "data.fusing.StackedFunctions"},
    "data.generating": {"Generated": "data.generating.GeneratedNode"},
    "data.grouping": {
        "GroupByReducer": "data.grouping.GroupByReducerNode",
        "GroupByWindow": "data.grouping.GroupByWindowNode",
    },
    "data.interleaving": {"Interleave": "data.interleaving.InterleaveNode"},
    "data.mapping": {"Map": "data.mapping.MapNode"},
    "data.mixing": {
        "Choose": "data.mixing.ChooseNode",
        "Draws": "data.former_nodes.DrawsNode",
        "DrawsNode": "data.former_nodes.DrawsNode",
    },
    "data.optional": {"Held": "data.optional.OptionalValue"},
    "data.options": {"_Fields": "data.options._OptionFields"},
    "data.padding": {"PaddedBatch": "data.padding.PaddedBatchNode"},
    "data.parallel": {"ParallelMap": "data.parallel.ParallelMapNode"},
    "data.prefetching": {"Prefetch": "data.prefetching.PrefetchNode"},
    "data.random_numbers": {"Random": "data.random_numbers.RandomNode"},
    "data.reading": {"Files": "data.reading.FilesNode"},
    "data.rebatching": {"Rebatch": "data.rebatching.RebatchNode"},
    "data.repeating": {"Repeat": "data.repeating.RepeatNode"},
    "data.resampling": {
        "Resample": "data.former_nodes.ResampleNode",
        "ResampleNode": "data.former_nodes.ResampleNode",
    },
    "data.scanning": {"Scan": "data.scanning.ScanNode"},
    "data.shuffling": {"Shuffle": "data.shuffling.ShuffleNode"},
    "data.sliding": {"Sliding": "data.sliding.SlidingNode"},
    "data.sources": {
        "Count": "data.sources.CountNode",
        "Listed": "data.sources.ListedNode",
        "Range": "data.sources.RangeNode",
        "Slices": "data.sources.SlicesNode",
        "Tensors": "data.sources.TensorsNode",
    },
    "data.sparse_batching": {"SparseBatch": "data.sparse_batching.SparseBatchNode"},
    "data.spec": {
        "Given": "data.spec.GivenNode",
        "Held": "data.spec.HeldNode",
    },
    "data.sql_datasets": {"Rows": "data.sql_datasets.RowsNode"},
    "data.stacked": {"StackedRows": "data.stacked.StackedRowsNode"},
    "data.stored": {
        "Load": "data.stored.LoadNode",
        "Shard": "data.stored.StoredShardNode",
        "Snapshot": "data.stored.SnapshotNode",
        "_Shards": "data.stored._StoredShardsNode",
    },
    "data.storing": {"Saving": "data.storing.SavingNode"},
    "data.taking": {
        "Skip": "data.taking.SkipNode",
        "Take": "data.taking.TakeNode",
    },
    "data.transforms": {
        "Concatenate": "data.combining.ConcatenateNode",
        "Filter": "data.filtering.FilterNode",
        "FlatMap": "data.flattening.FlatMapNode",
        "Listed": "data.sources.ListedNode",
        "Repeat": "data.repeating.RepeatNode",
        "Skip": "data.taking.SkipNode",
        "Take": "data.taking.TakeNode",
        "Zip": "data.combining.ZipNode",
    },
    "data.windows": {
        "GroupByReducer": "data.grouping.GroupByReducerNode",
        "GroupByWindow": "data.grouping.GroupByWindowNode",
        "Window": "data.windows.WindowNode",
    },
    "programs.functions.function": {"Options": "programs.functions.function.TracingOptions"},
}
"""Former module below `_src` -> name that pickles have of it -> its present path, of names that did not move along."""


def former_module(name: str) -> str | None:
    """The name below `_src` that a module had when it moved there.

    Args:
      name: such as "inlay.datasets.batching" or "inlay._src.data.batching".

    Returns:
      Its name below `_src`, "data.batching"; None for a name that no module had.
    """
    former = name.removeprefix("inlay.")
    if former.startswith("_src."):
        return former.removeprefix("_src.")
    entry, _, rest = former.partition(".")
    if entry not in FORMER:
        return None
    return FORMER[entry] + (f".{rest}" if rest else "")


def present_name(name: str) -> str | None:
    """The name that a module has now.

    Args:
      name: a former name, such as "inlay.core.graph".

    Returns:
      Its present name, such as "inlay._src.core.graph"; None for a name that is no former one.
    """
    former = former_module(name)
    if former is None or (former not in MOVED and name.startswith("inlay._src.")):
        return None
    return f"inlay._src.{MOVED.get(former, former)}"


def finder(present: ModuleType, former: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has or had renamed classes.

    Args:
      present: the module as it is now.
      former: the name below `_src` under which it is asked for.

    Returns:
      A function that finds what a former name in it names now.
    """
    renamed = RENAMED.get(former, {})

    def find(name: str) -> Any:
        if name == "__path__":  # each `from module import name` asks for it
            raise AttributeError(name)
        home, _, own = renamed.get(name, "").rpartition(".")
        if home:
            return getattr(importlib.import_module(f"inlay._src.{home}"), own)
        if vars(present).get("__getattr__") is not find:
            return getattr(present, name)
        raise AttributeError(f"module {present.__name__!r} has no attribute {name!r}", name=name, obj=present)

    return find

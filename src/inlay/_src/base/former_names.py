"""Former names of modules: before version 0.1 they stood beside the public namespaces, not below `_src`.

Pickles, saved bodies and plans have names of modules. A module that moves again gets a row of its own here.
"""

from __future__ import annotations

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
    "autodiff.written_pullback": "engine.autodiff.compiled_vjp",
    "cluster.meeting": "cluster.discovery",
    "cluster.travel": "cluster.payload",
    "core.op_record": "core.operation",
    "datasets.keeping": "data.storing",
    "datasets.transforms": "data.taking",
    "executors.chosen": "host.executors.selection",
    "executors.executor": "core.executor",
    "executors.processes.answers": "host.executors.processes.replies",
    "executors.processes.assigning": "host.executors.processes.scheduling",
    "executors.processes.kept": "host.executors.processes.remote_pullback",
    "executors.raised": "host.executors.exceptions",
    "host.eager": "host.eager_calls",
    "host.elsewhere": "host.remote_call",
    "host.known": "host.dispatch_cache",
    "host.learning": "host.shape_inference",
    "host.lending": "host.memory_views",
    "host.lost_gradient": "host.gradient",
    "host.own_gradient": "host.gradient",
    "host.records": "host.record",
    "host.source": "host.codegen",
    "run.block_source": "engine.run.fusion.block_function",
    "run.chains": "engine.run.fusion.elementwise",
    "run.compiled": "engine.run.xla_segments",
    "run.generated": "engine.run.lowering.writer",
    "run.history": "engine.run.scheduling.history",
    "run.inlined": "engine.run.lowering.inlining",
    "run.joining": "engine.run.lowering.joined",
    "run.joint_steps": "engine.run.fusion.optimizer_step",
    "run.located": "engine.run.lowering.origins",
    "run.parts": "engine.run.lowering.chunks",
    "run.serial": "engine.run.reference",
    "run.shared": "engine.run.scheduling.shared_run",
    "run.stalls": "engine.run.scheduling.stalls",
    "run.takeover": "engine.run.scheduling.work_stealing",
    "run.traced_kernels": "engine.run.fusion.traced_kernels",
}
"""Former module -> its present one below `_src`, of those that did not move along with their entry."""
RENAMED: dict[str, dict[str, str]] = {
    "core.tensor": {"Reference": "core.tensor.TensorReference"},
    "datasets.batching": {
        "Batch": "data.batching.BatchNode",
        "RaggedBatch": "data.batching.RaggedBatchNode",
        "Unbatch": "data.batching.UnbatchNode",
    },
    "datasets.caching": {"Cache": "data.caching.CacheNode"},
    "datasets.choosing": {
        "AssertCardinality": "data.choosing.AssertCardinalityNode",
        "IgnoreErrors": "data.choosing.IgnoreErrorsNode",
        "Shard": "data.choosing.ShardNode",
        "TakeWhile": "data.filtering.TakeWhileNode",
        "Unique": "data.choosing.UniqueNode",
    },
    "datasets.csv_fields": {"Fields": "data.csv_fields.FieldsNode"},
    "datasets.fusing": {"Rows": "data.fusing.StackedFunctions"},
    "datasets.generating": {"Generated": "data.generating.GeneratedNode"},
    "datasets.interleaving": {"Interleave": "data.interleaving.InterleaveNode"},
    "datasets.mapping": {"Map": "data.mapping.MapNode"},
    "datasets.mixing": {
        "Choose": "data.mixing.ChooseNode",
    },
    "datasets.optional": {"Held": "data.optional.OptionalValue"},
    "datasets.options": {"_Fields": "data.options._OptionFields"},
    "datasets.padding": {"PaddedBatch": "data.padding.PaddedBatchNode"},
    "datasets.parallel": {"ParallelMap": "data.parallel.ParallelMapNode"},
    "datasets.prefetching": {"Prefetch": "data.prefetching.PrefetchNode"},
    "datasets.random_numbers": {"Random": "data.random_numbers.RandomNode"},
    "datasets.reading": {"Files": "data.reading.FilesNode"},
    "datasets.rebatching": {"Rebatch": "data.rebatching.RebatchNode"},
    "datasets.scanning": {"Scan": "data.scanning.ScanNode"},
    "datasets.shuffling": {"Shuffle": "data.shuffling.ShuffleNode"},
    "datasets.sources": {
        "Count": "data.sources.CountNode",
        "Range": "data.sources.RangeNode",
        "Slices": "data.sources.SlicesNode",
        "Tensors": "data.sources.TensorsNode",
    },
    "datasets.sparse_batching": {"SparseBatch": "data.sparse_batching.SparseBatchNode"},
    "datasets.spec": {
        "Given": "data.spec.GivenNode",
        "Held": "data.spec.HeldNode",
    },
    "datasets.sql_datasets": {"Rows": "data.sql_datasets.RowsNode"},
    "datasets.stacked": {"StackedRows": "data.stacked.StackedRowsNode"},
    "datasets.stored": {
        "Load": "data.stored.LoadNode",
        "Shard": "data.stored.StoredShardNode",
        "Snapshot": "data.stored.SnapshotNode",
    },
    "datasets.storing": {"Saving": "data.storing.SavingNode"},
    "datasets.transforms": {
        "Concatenate": "data.combining.ConcatenateNode",
        "Filter": "data.filtering.FilterNode",
        "FlatMap": "data.flattening.FlatMapNode",
        "Listed": "data.sources.ListedNode",
        "Repeat": "data.repeating.RepeatNode",
        "Skip": "data.taking.SkipNode",
        "Take": "data.taking.TakeNode",
        "Zip": "data.combining.ZipNode",
    },
    "datasets.windows": {
        "GroupByReducer": "data.grouping.GroupByReducerNode",
        "GroupByWindow": "data.grouping.GroupByWindowNode",
        "Window": "data.windows.WindowNode",
    },
}
"""Former module -> name in it -> its present path below `_src`, of names that did not move along with their module."""


def present_name(name: str) -> str | None:
    """The name that a module has now.

    Args:
      name: a former name, such as "inlay.core.graph".

    Returns:
      Its present name, such as "inlay._src.core.graph"; None for a name that is no former one.
    """
    former = name.removeprefix("inlay.")
    if former in MOVED:
        return f"inlay._src.{MOVED[former]}"
    entry, _, rest = former.partition(".")
    if entry not in FORMER:
        return None
    return f"inlay._src.{FORMER[entry]}" + (f".{rest}" if rest else "")

"""Checks before a position is saved: functions with external state, and stages without symbolic checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from inlay._src.base import errors
from inlay._src.base.interpreter import messages
from inlay._src.core.opdef import Effect
from inlay._src.core.operation import Operation
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Iteration, Node
from inlay._src.data.options import ExternalStatePolicy
from inlay._src.data.within import nodes_of, parts_of
from inlay._src.programs.program import Program, programs_of

_NO_STATE = frozenset({
    "Assert", "DummyMemoryCache", "DummySeedGenerator", "HashTableV2", "LookupTableExportV2", "LookupTableFindV2",
    "LookupTableImportV2", "LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableSizeV2", "MatchingFiles",
    "MutableDenseHashTableV2", "MutableHashTableOfTensorsV2", "MutableHashTableV2", "Print", "PrintV2", "ReadFile",
    "VarIsInitializedOp",
})  # fmt: skip
"""Ops with an effect that a position need not know: they tell something, or read what was there before."""


_NOT_SYMBOLIC = {
    "CacheDataset": "CacheDatasetV2",
    "FixedLengthRecordDatasetV2": "FixedLengthRecordDatasetV2",
    "_GroupByReducerDataset": "ExperimentalGroupByReducerDataset",
    "_GroupByWindowDataset": "GroupByWindowDataset",
    "_IgnoreErrorsDataset": "IgnoreErrorsDataset",
    "_RebatchDataset": "RebatchDatasetV2",
    "_SnapshotDataset": "SnapshotDatasetV2",
    "_UniqueDataset": "UniqueDataset",
    "_WindowDataset": "WindowDataset",
}
"""Stages of which TensorFlow has no symbolic checkpoints, with the names that its messages have for them."""


def check_symbolic(node: Node, iteration: Iteration) -> None:
    """Refuses what the option `experimental_symbolic_checkpoint` refuses in TensorFlow.

    Raises:
      UnimplementedError: if a stage of the dataset has no symbolic checkpoint.
    """
    if not iteration.options.experimental_symbolic_checkpoint:  # type: ignore[attr-defined]
        return
    stage = next((stage for stage in nodes_of(node, iteration) if stage.name in _NOT_SYMBOLIC), None)
    if stage is not None:
        windows = stage.name == "_WindowDataset" and stage is not node  # the windows are read there
        name = "WindowOp" if windows else _NOT_SYMBOLIC[stage.name]
        raise errors.UnimplementedError(
            None,
            None,
            f"{name} does not support symbolic checkpointing. Leave options.experimental_symbolic_checkpoint unset: "
            "positions are saved in the same way without it",
        )


def check_external_state(node: Node, policy: ExternalStatePolicy) -> None:
    """Applies a policy to a dataset.

    Raises:
      FailedPreconditionError: if one of its functions has state and the policy is `FAIL`.
    """
    if policy is ExternalStatePolicy.IGNORE:
        return
    stateful = next(_stateful_ops(node), None)
    if stateful is None:
        return
    text = (
        f"{stateful.type} is stateful (op '{stateful.name}', defined at {stateful.site}): its state is no part of the "
        "position of an iterator. Say stateful=False where a host function keeps nothing from call to call, draw with "
        "random.stateless_uniform and its like, or save without the state: "
        "options.experimental_external_state_policy = data.experimental.ExternalStatePolicy.IGNORE"
    )
    if policy is ExternalStatePolicy.FAIL:
        raise errors.FailedPreconditionError(None, None, text)
    messages.warning("%s", text)


def _stateful_ops(node: Node) -> Iterator[Operation]:
    for part in parts_of(node):
        if isinstance(part, Mapped):
            yield from _stateful_within(part.program)


def _stateful_within(program: Program) -> Iterator[Operation]:
    if program.effect is Effect.PURE:
        return
    for node in program.graph.acting():
        inner = programs_of(node)
        for below in inner:
            yield from _stateful_within(below)
        if not inner and "task" not in node.attrs and node.effect is not Effect.PURE and node.type not in _NO_STATE:
            yield node

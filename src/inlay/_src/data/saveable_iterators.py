"""Iterators of graphs in the checkpoints of `train.Saver`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect
from inlay._src.core.values import scalar_string
from inlay._src.data.external_state import ExternalStatePolicy
from inlay._src.data.iterator_state import IteratorState


@op("SerializeIterator", "iterator:resource -> string", effect=Effect.STATEFUL, infer=lambda s: [()])
def _serialize(xp: Any, iterator: IteratorState, *, external_state_policy: int = 0) -> Any:
    """Where an iterator stands."""
    return scalar_string(iterator.position(ExternalStatePolicy(external_state_policy)))


@op("DeserializeIterator", "iterator:resource, position:string -> ", effect=Effect.STATEFUL)
def _deserialize(xp: Any, iterator: IteratorState, position: Any) -> tuple[()]:
    """Puts an iterator where another one stood."""
    iterator.go_to(np.asarray(position).item())
    return ()


class _Kept(NamedTuple):
    """The value under a key of a checkpoint."""

    name: str
    tensor: Any
    dtype: Any
    slice_spec: str


class _SaveableIterator:
    """An iterator of a graph as an object that `train.Saver` keeps.

    Args:
      iterator: the iterator.
      policy: the treatment of functions with state.
    """

    def __init__(self, iterator: Any, policy: ExternalStatePolicy) -> None:
        self.op = self._handle = iterator._handle
        self.name: str = self._handle.op.name
        tensor = emit(OPS["SerializeIterator"], (self._handle,), {"external_state_policy": policy.value})
        self.specs = [_Kept(f"{self.name}-state", tensor, dtypes.string, "")]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """The operation that puts it where it stood."""
        return emit(OPS["DeserializeIterator"], (self._handle, restored_tensors[0]))


@export("data.experimental.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> _SaveableIterator:
    """An iterator of a graph as an object for `train.Saver`: add it to the collection `SAVEABLE_OBJECTS`.

    The iterator is begun before it is saved or restored. Eagerly, `train.Checkpoint(iterator=iterator)` does the same.

    Args:
      iterator: an iterator of a graph.
      external_state_policy: "warn", "ignore" or "fail", or an `ExternalStatePolicy`, the treatment of functions with
        state. None is "ignore".

    Raises:
      ValueError: for another policy.
    """
    return _SaveableIterator(iterator, _policy(external_state_policy))


def _policy(policy: Any) -> ExternalStatePolicy:
    if isinstance(policy, ExternalStatePolicy):
        return policy
    names = {each.name.lower(): each for each in ExternalStatePolicy}
    if policy is not None and policy not in names:
        raise ValueError(
            "Failed to convert to `ExternalStatePolicy`. Supported values include 'warn', 'ignore', and 'fail.' "
            f"Received {policy}."
        )
    return names[policy or "ignore"]

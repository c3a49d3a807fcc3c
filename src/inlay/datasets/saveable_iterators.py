"""Iterators of graphs in the checkpoints of `train.Saver`."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np

from inlay.core.opdef import OPS, Effect
from inlay.core.values import scalar_string
from inlay.datasets.iterator_state import IteratorState
from inlay.datasets.positions import from_bytes, to_bytes
from inlay.eager.declaration import op
from inlay.eager.emit import emit
from inlay.export import export
from inlay.types import dtypes


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What is done about functions with a state of their own where the position of an iterator is saved; accepted.

    Such a state is not part of a position: a generator's or an executor's is refused by name, and what a host function
    keeps to itself is the user's.
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


@op("SerializeIterator", "iterator:resource -> string", effect=Effect.STATEFUL, infer=lambda s: [()])
def _serialize(xp: Any, iterator: IteratorState) -> Any:
    """Where an iterator stands."""
    return scalar_string(to_bytes(iterator.position()))


@op("DeserializeIterator", "iterator:resource, position:string -> ", effect=Effect.STATEFUL)
def _deserialize(xp: Any, iterator: IteratorState, position: Any) -> tuple[()]:
    """Puts an iterator where another one stood."""
    iterator.go_to(from_bytes(np.asarray(position).item()))
    return ()


class _Kept(NamedTuple):
    """What is kept under a key of a checkpoint."""

    name: str
    tensor: Any
    dtype: Any
    slice_spec: str


class _SaveableIterator:
    """An iterator of a graph as an object that `train.Saver` keeps."""

    def __init__(self, iterator: Any) -> None:
        self.op = self._handle = iterator._handle
        self.name: str = self._handle.op.name
        tensor = emit(OPS["SerializeIterator"], (self._handle,))
        self.specs = [_Kept(f"{self.name}-state", tensor, dtypes.string, "")]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """The operation that puts it where it stood."""
        return emit(OPS["DeserializeIterator"], (self._handle, restored_tensors[0]))


@export("data.experimental.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """An iterator of a graph as an object for `train.Saver`: add it to the collection `SAVEABLE_OBJECTS`.

    The iterator is begun before it is saved or restored. Eagerly, `train.Checkpoint(iterator=iterator)` does the same.

    Args:
      iterator: an iterator of a graph.
      external_state_policy: accepted; see `ExternalStatePolicy`.
    """
    return _SaveableIterator(iterator)

"""The methods of datasets that keep elements in a folder, and the dataset of those that are kept there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Self

from inlay._src.base import errors
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.data import graph_ops
from inlay._src.data.chain import Chain
from inlay._src.data.element import Element, Values
from inlay._src.data.graph_iterators import graph_in_force
from inlay._src.data.graph_ops import Task
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.reducing import effect_of
from inlay._src.data.stored import Load, Snapshot, reader_of
from inlay._src.data.stored_format import Manifest
from inlay._src.data.storing import Saving, compression_of
from inlay._src.training.checkpoint import Checkpoint
from inlay._src.training.manager import CheckpointManager

RETRY = 0.5
"""Seconds between two looks for a dataset that is waited for."""


class Keeping(Chain):
    """Methods that every dataset has: see `Dataset`."""

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Mapping[str, Any] | None = None,
    ) -> Any:
        """Writes all elements into a folder, for `load`.

        They appear there with the last one, in place of those of an earlier save; a save that fails changes nothing.

        Args:
          path: the folder; it is made if it is not there.
          compression: "GZIP"; None, "NONE" and "AUTO" are none.
          shard_func: takes an element, gives the number of the shard that it belongs to, an int64 scalar; None deals
            elements out to as many shards as there are cores.
          checkpoint_args: arguments of `train.CheckpointManager` but for the first: the save is gone on with from its
            last checkpoint.

        Returns:
          None; in a graph, the operation that saves.

        Raises:
          UnimplementedError: for elements that are no tensors, ragged or sparse values.
          TypeError: if `shard_func` gives no integer.
          ValueError: if `checkpoint_args` has a checkpoint.
        """
        node = Saving(self._node, _path(path), compression_of(compression), _sharding(shard_func, self._node, "save()"))
        if checkpoint_args is not None and graph_in_force() is None:
            _save_with_checkpoints(node, self._options, dict(checkpoint_args))
            return None
        return effect_of(graph_ops.SAVE_DATASET, Task(node, self._options, _save))

    @classmethod
    def load(
        cls,
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Self:
        """The elements that `save` wrote into a folder.

        Args:
          path: the folder.
          element_spec: of the elements; needed in a graph if `path` is not known, and for types of your own.
          compression: with which they were saved; None takes what is there.
          reader_func: takes a dataset of datasets, one for each shard, and gives a dataset of elements; None gives
            elements that `save` dealt out in their order, others by turns, one of each shard.
          wait: whether to wait until there is something, as long as it takes.

        Raises:
          NotFoundError: if nothing was saved there.
          DataLossError: if files are damaged, cut short or changed; while it is iterated, with the file's name.
          InvalidArgumentError: if there are other elements, or they are compressed in another way.
        """
        place = _path(path)
        given = constant_of(place)
        known = None if given is None else path_of(given.item())
        if known is None and element_spec is None:
            raise ValueError("`element_spec` must be given where `path` is not known while the graph is built.")
        spec = element_spec
        while known is not None:
            try:
                manifest = Manifest.read(known)
                spec = manifest.spec_of_elements(known, element_spec)
                _same_compression(known, manifest.compression, compression)
                break
            except errors.NotFoundError:
                if not wait:
                    raise
                time.sleep(RETRY)
        element = Element(spec)
        return cls._of(Load(element, place, reader_of(reader_func, element, "load()")))  # type: ignore[no-any-return]

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements; the first iteration that comes to the end writes them into a folder, later ones read it.

        A folder belongs to one dataset: that another one was changed is not noticed unless its elements are of other
        types.

        Args:
          path: the folder.
          compression: "GZIP"; "AUTO", "NONE" and None are none.
          reader_func: as `load` takes it.
          shard_func: as `save` takes it.
          name: accepted.

        Raises:
          UnimplementedError, TypeError: as `save`.
          DataLossError, InvalidArgumentError: while it is iterated, as `load`.
        """
        sharding = _sharding(shard_func, self._node, "Dataset.snapshot()")
        reader = reader_of(reader_func, self._node.element, "Dataset.snapshot()")
        return self._with(Snapshot(self._node, _path(path), compression_of(compression), sharding, reader))  # type: ignore[no-any-return]


def _path(path: Any) -> Any:
    return convert_to_tensor(os.fspath(path) if isinstance(path, os.PathLike) else path, dtypes.string)


def _sharding(function: Callable[..., Any] | None, node: Node, what: str) -> Mapped | None:
    """A user's function from an element to the number of its shard, traced.

    Raises:
      TypeError: if it gives something else.
    """
    if function is None:
        return None
    made = Mapped(function, node.element, what)
    spec = made.element.spec
    if getattr(spec, "dtype", None) not in (dtypes.int32, dtypes.int64) or not spec.shape.is_compatible_with(()):
        raise TypeError(
            f"Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is {spec}."
        )
    return made


def _same_compression(folder: str, found: str, given: str | None) -> None:
    if given not in (None, "AUTO") and compression_of(given) != found:
        raise errors.InvalidArgumentError(
            None, None, f"{folder} was saved with compression {found or 'NONE'!r}, not with {given!r}."
        )


def _save(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    """Iterates to the end."""
    with closing(iteration.opened(node)) as cursor:
        for _ in cursor:
            pass
    return []


def _save_with_checkpoints(node: Saving, options: Options, given: dict[str, Any]) -> None:
    """Iterates to the end, from the last checkpoint on."""
    if "checkpoint" in given:
        raise ValueError("Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
    iterator = OwnedIterator(node, options)
    checkpoint: Any = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **given)
    checkpoint.restore(manager.latest_checkpoint)
    try:
        for _ in iterator:
            if "step_counter" in given:
                given["step_counter"].assign_add(1)
            manager.save(check_interval=True)
    finally:
        iterator.close()

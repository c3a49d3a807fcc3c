"""Random order."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from inlay import errors
from inlay.core import context
from inlay.core.tensor import EagerTensor
from inlay.datasets.element import Values
from inlay.datasets.external_state import ExternalStatePolicy, check_external_state
from inlay.datasets.node import UNKNOWN, Cursor, Iteration, Node
from inlay.datasets.options import Options
from inlay.datasets.positions import from_bytes, to_bytes
from inlay.datasets.within import nodes_of, parts_of
from inlay.devices.device_tensor import value_of
from inlay.interpreter.forking import new_lock


class Seeds:
    """The seeds of a dataset's iterations: the same in every run of a program that fixes them.

    Those of a dataset that is made in a graph begin again with every iterator that begins there: its ops run again.

    Args:
      seed: two numbers, or None for others in every process.
      again: whether every iteration has a seed of its own.
      restarts: whether they begin again; None if they are fixed and a graph is being built.
    """

    __slots__ = ("_again", "_count", "_lock", "_restarts", "_seed")

    def __init__(self, seed: tuple[int, int] | None, again: bool, restarts: bool | None = None) -> None:
        self._restarts = seed is not None and not context.executing_eagerly() if restarts is None else restarts
        self._seed = [int(n) & (2**64 - 1) for n in seed or np.random.SeedSequence().generate_state(2)]
        self._again, self._count, self._lock = again, 0, new_lock()

    def __reduce__(self) -> Any:
        return Seeds, ((self._seed[0], self._seed[1]), self._again, self._restarts)

    def restart(self) -> None:
        """An iterator of a graph begins."""
        if self._restarts:
            with self._lock:
                self._count = 0

    @property
    def again(self) -> bool:
        """Whether every iteration has a seed of its own."""
        return self._again

    def next(self) -> list[int]:
        """The seed of the next iteration."""
        with self._lock:
            count = self._count
            self._count += self._again
        return [*self._seed, count]

    def state(self) -> list[int]:
        """The seeds, and how many iterations there were."""
        with self._lock:
            return [*self._seed, self._count]

    def restore(self, state: Sequence[int]) -> None:
        """Goes on after the iterations that there were when `state` was asked."""
        with self._lock:
            *self._seed, self._count = (int(n) for n in state)


def seeds_of(node: Node) -> list[Seeds]:
    """The seeds in a dataset and in those within it, each once and always in the same order."""
    return list({id(part): part for part in parts_of(node) if isinstance(part, Seeds)}.values())


def position_of(node: Node, iteration: Iteration, cursor: Cursor, policy: ExternalStatePolicy) -> bytes:
    """Where an iteration stands, and the seeds of the epochs to come: all of one moment, see `Cursor.hold`.

    Args:
      node: the dataset.
      iteration, cursor: its iteration.
      policy: what is done about functions with state.

    Raises:
      UnimplementedError: if a stage cannot say, with the reason.
      FailedPreconditionError: if a function has state, and the policy is `FAIL`.
    """
    check_external_state(node, policy)
    with contextlib.ExitStack() as held:
        cursor.hold(held)
        nodes = _distinct(node)
        state = {
            "at": cursor.state(),
            "seeds": [seeds.state() for seeds in seeds_of(node)],
            "numbers": iteration.numbering.state(nodes),
            "stages": _stages(node),
        }
        return to_bytes(state, nodes)


def read_position(node: Node, options: Options, position: bytes) -> Any:
    """The position that `position_of` gave, for `put_at`.

    Args:
      node: the dataset.
      options: those of its iteration.
      position: the bytes.

    Raises:
      DataLossError: if they are damaged.
    """
    return from_bytes(position, _distinct(node), options)


def _distinct(node: Node) -> list[Node]:
    """The datasets that an element may be, by which positions tell them."""
    return list({id(stage): stage for stage in nodes_of(node)}.values())


def _stages(node: Node) -> list[str]:
    """What a dataset consists of, by which positions of another one are told."""
    return [type(stage).__name__ for stage in node.walk()]


def put_at(node: Node, iteration: Iteration, cursor: Cursor, position: Any) -> None:
    """Puts a cursor that was just made where another one of the same dataset stood.

    Raises:
      NotFoundError: if the position is one of another dataset.
    """
    stages = _stages(node)
    saved = position["stages"]
    if saved != stages:
        raise errors.NotFoundError(
            None,
            None,
            f"the position of an iterator is one of another dataset: its stages are {saved}, here they are {stages}. "
            "Make sure the dataset definition has not changed between its saving and its restoring",
        )
    cursor.restore(position["at"])
    iteration.numbering.restore(position["numbers"], _distinct(node))
    for seeds, stood in zip(seeds_of(node), position["seeds"], strict=True):
        seeds.restore(stood)


class Shuffle(Node):
    """Elements in random order: each is drawn from a buffer, where the next one takes its place.

    Args:
      source: what is shuffled.
      size: of the buffer, an int64 scalar; UNKNOWN_CARDINALITY is that of the whole source.
      seeds: those of the iterations.

    Raises:
      InvalidArgumentError: if the size is not positive, now or, if it is not known yet, while it is iterated.
    """

    __slots__ = ("seeds",)
    name = "_ShuffleDataset"

    def __init__(self, source: Node, size: Any, seeds: Seeds) -> None:
        if isinstance(size, EagerTensor):
            _room(value_of(size))
        super().__init__(source.element, (source,), (size,))
        self.seeds: Seeds = seeds

    @property
    def again(self) -> bool:
        """Whether every iteration has another order."""
        return self.seeds.again

    def check(self, iteration: Iteration) -> None:
        """See `Node.check`."""
        _room(iteration.value(self.tensors[0]))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        room = _room(iteration.value(self.tensors[0]))
        return ShuffleCursor(self.inputs[0].cursor(iteration), room, self.seeds.next())

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return self.inputs[0].cardinality(iteration)


def _room(size: Any) -> int:
    """How many elements a buffer of a size has room for."""
    if size == UNKNOWN:
        return sys.maxsize
    if size < 1:
        text = f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {int(size)}"
        raise errors.InvalidArgumentError(None, None, text)
    return int(size)


class ShuffleCursor(Cursor):
    """One iteration of `Shuffle`. Its position has the buffer, and the state of the random numbers."""

    __slots__ = ("_random", "_size", "buffer", "ended")
    saved: ClassVar[tuple[str, ...]] = ("ended",)

    def __init__(self, source: Cursor, size: int, seed: Sequence[int]) -> None:
        super().__init__(source)
        self._size, self._random = size, np.random.Generator(np.random.PCG64(list(seed)))
        self.buffer: list[Values] = []
        self.ended: bool = False

    def __next__(self) -> Values:
        buffer = self.buffer
        while not self.ended and len(buffer) < self._size:
            try:
                buffer.append(next(self.sources[0]))
            except StopIteration:
                self.ended = True
        if not buffer:
            raise StopIteration
        at = int(self._random.integers(len(buffer)))
        found, buffer[at] = buffer[at], buffer[-1]
        buffer.pop()
        return found

    def state(self) -> Any:
        """See `Cursor.state`."""
        buffer = list(self.buffer)
        return {**super().state(), "buffer": buffer, "random": self._random.bit_generator.state}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        self.buffer = [list(values) for values in state["buffer"]]
        self._random.bit_generator.state = state["random"]

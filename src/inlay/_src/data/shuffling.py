"""Random order."""

from __future__ import annotations

import abc
import contextlib
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.data.element import Values
from inlay._src.data.external_state import ExternalStatePolicy, check_external_state, check_symbolic
from inlay._src.data.graph_rows import constant_value, graph_form
from inlay._src.data.node import UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.positions import from_bytes, in_positions, to_bytes
from inlay._src.data.sizes import scalar, size_tensor
from inlay._src.data.spec import GivenNode
from inlay._src.data.within import nodes_of, parts_of
from inlay._src.data.words import WordStream, words
from inlay._src.ops.seeds import get_seed


class Seeds:
    """The seeds of a dataset's iterations: the same in every run of a program that fixes them.

    Those of a dataset that is made in a graph begin again with every iterator that begins there: its ops run again, and
    draw others if none were said.

    Args:
      seed: two numbers, or None for others in every process.
      again: whether every iteration has a seed of its own.
      restarts: whether they begin again; None if a graph is being built.
    """

    __slots__ = ("_again", "_count", "_drawn", "_lock", "_restarts", "_seed")

    def __init__(self, seed: tuple[int, int] | None, again: bool, restarts: bool | None = None) -> None:
        self._restarts = not context.executing_eagerly() if restarts is None else restarts
        self._seed, self._drawn = list(seed or _drawn()), seed is None
        self._seed = [int(n) & (2**64 - 1) for n in self._seed]
        self._again, self._count, self._lock = again, 0, new_lock()

    def __reduce__(self) -> Any:
        return Seeds, ((self._seed[0], self._seed[1]), self._again, self._restarts)

    def restart(self) -> None:
        """An iterator of a graph begins."""
        if self._restarts:
            with self._lock:
                self._count = 0
                if self._drawn:
                    self._seed = _drawn()

    @property
    def again(self) -> bool:
        """Whether every iteration has a seed of its own."""
        return self._again

    def pair(self) -> tuple[int, int]:
        """Two seeds of the next iteration, as TensorFlow has them: words that follow from the seeds, or these."""
        one, other, count = self.next()
        if self._again:
            one, other = words((one, other), count // 2, 1)[count % 2 * 2 :][:2]
        return one, other

    @property
    def fixed(self) -> tuple[int, int]:
        """The seeds that those of all iterations follow from."""
        with self._lock:
            return self._seed[0], self._seed[1]

    def next(self) -> list[int]:
        """The seed of the next iteration."""
        with self._lock:
            count = self._count
            self._count += self._again
        return [*self._seed, count]

    @property
    def written(self) -> tuple[int, int]:
        """The seeds as a graph has them: zeros if they were drawn, as others are where it is read."""
        return (0, 0) if self._drawn else self.fixed

    def state(self) -> list[int]:
        """The seeds, and how many iterations there were."""
        with self._lock:
            return [*self._seed, self._count]

    def restore(self, state: Sequence[int]) -> None:
        """Goes on after the iterations that there were when `state` was asked."""
        with self._lock:
            *self._seed, self._count = (int(n) for n in state)


@in_positions("seeds")
class SeedGenerator:
    """The seeds of a dataset in one run of the graph that makes it.

    Attributes:
      seeds: the seeds, or None before the first iteration.
    """

    __slots__ = ("_lock", "seeds")

    def __init__(self) -> None:
        self.seeds: Seeds | None = None
        self._lock = new_lock()

    def state(self) -> Any:
        """See `in_positions`."""
        return None if self.seeds is None else [*self.seeds.state(), self.seeds.again]

    @classmethod
    def at(cls, state: Any) -> SeedGenerator:
        """See `in_positions`."""
        generator = cls()
        if state is not None:
            one, other, count, again = state
            generator.seeds = Seeds((one, other), again, False)
            generator.seeds.restore([one, other, count])
        return generator

    def of(self, numbers: Sequence[int], again: bool) -> Seeds:
        """The seeds that follow from two numbers; zeros stand for others in each run."""
        with self._lock:
            if self.seeds is None:
                one, other = (int(n) for n in numbers)
                self.seeds = Seeds((one, other) if one or other else None, again, False)
            return self.seeds


@op("DummySeedGenerator", "-> resource", effect=Effect.RANDOM, infer=lambda s: [()], vjp=no_gradient)
def new_generator(xp: Any) -> SeedGenerator:
    """The handle of new seeds of the iterations of a dataset."""
    return SeedGenerator()


class SeededInRun(Node):
    """A node whose seeds are those of one run of a graph; its last three tensors are two seeds and the handle."""

    __slots__ = ()
    again: bool

    def seeds_in(self, iteration: Iteration) -> Seeds:
        """The seeds of the iterations in a run.

        Raises:
          InvalidArgumentError: if the handle is another one.
        """
        *_, one, other, handle = self.tensors
        generator = iteration.value(handle)
        if not isinstance(generator, SeedGenerator):
            text = f"the handle of seeds must be that of DummySeedGenerator, got a {type(generator).__name__}"
            raise errors.InvalidArgumentError(None, None, text)
        return generator.of((iteration.number(one), iteration.number(other)), self.again)


def tensors_in_run(seed: Any) -> tuple[Any, ...]:
    """The seeds and the handle of a node whose seeds are those of one run of the graph that is being built."""
    numbers = fixed_seeds(seed) or (0, 0)  # zeros: others in each run
    return (*(convert_to_tensor(signed(int(n) & (2**64 - 1)), dtypes.int64) for n in numbers), new_generator())


def signed(number: int) -> int:
    """A number of 64 bits as int64 has it."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _drawn() -> list[int]:
    return [int(n) for n in np.random.SeedSequence().generate_state(2)]


def fixed_seeds(seed: Any) -> tuple[int, int] | None:
    """The two seeds that follow from an argument `seed` and `random.set_seed`; None if neither fixes them.

    Raises:
      TypeError: if it is no integer.
    """
    if isinstance(seed, (float, str, bytes)):
        raise TypeError(f"`seed` must be an integer or an integer scalar, got {seed!r}")
    first, second = get_seed(seed)
    return None if first is None or second is None else (first, second)


def seeds_read(numbers: Sequence[Any], again: bool) -> Seeds:
    """The seeds that a graph has as `Seeds.written`."""
    return Seeds((int(numbers[0]), int(numbers[1])) if any(numbers) else None, again)


def seeds_of(node: Node, iteration: Iteration) -> list[Seeds]:
    """The seeds in a dataset and in those within it, each once and always in the same order."""
    parts = [part for part in parts_of(node, iteration) if isinstance(part, Seeds)]
    parts += [
        stage.seeds_in(iteration)
        for stage in nodes_of(node, iteration)
        if isinstance(stage, SeededInRun) and id(stage.tensors[-1]) in iteration.bound  # others are with their datasets
    ]
    return list({id(part): part for part in parts}.values())


def position_of(node: Node, iteration: Iteration, cursor: Cursor, policy: ExternalStatePolicy) -> bytes:
    """Where an iteration stands, and the seeds of the epochs to come: all of one moment, see `Cursor.hold`.

    Args:
      node: the dataset.
      iteration, cursor: its iteration.
      policy: the treatment of functions with state.

    Raises:
      UnimplementedError: if a stage cannot say, with the reason; if a stage has no symbolic checkpoint, and the
        options ask for one.
      FailedPreconditionError: if a function has state, and the policy is `FAIL`.
    """
    check_external_state(node, policy)
    check_symbolic(node, iteration)
    with contextlib.ExitStack() as held:
        cursor.hold(held)
        nodes = _distinct(node, iteration)
        state = {
            "at": cursor.state(),
            "seeds": [seeds.state() for seeds in seeds_of(node, iteration)],
            "numbers": iteration.numbering.state(nodes),
            "stages": _stages(node),
        }
        return to_bytes(state, nodes)


def read_position(node: Node, iteration: Iteration, position: bytes) -> Any:
    """The position that `position_of` gave, for `put_at`.

    Args:
      node: the dataset.
      iteration: one of it.
      position: the bytes.

    Raises:
      DataLossError: if they are damaged.
    """
    return from_bytes(position, _distinct(node, iteration), iteration.options)


def _distinct(node: Node, iteration: Iteration) -> list[Node]:
    """The datasets that an element may be: positions tell them by their places here. One that is an argument of a
    function is another of these, and graphs that are read lack it."""
    stages = {id(stage): stage for stage in nodes_of(node, iteration) if not isinstance(stage, GivenNode)}
    return list(stages.values())


def _stages(node: Node) -> list[str]:
    """The stages of a dataset, which positions are compared by; those of graphs have the names of the others."""
    return [stage.stage.removesuffix("V2").removesuffix("V3") for stage in node.walk()]


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
    iteration.numbering.restore(position["numbers"], _distinct(node, iteration))
    for seeds, stood in zip(seeds_of(node, iteration), position["seeds"], strict=True):
        seeds.restore(stood)


def _read_shuffle(message: Any) -> Node:
    size, *seeds = message.tensors
    numbers = [constant_value(seed) for seed in seeds]
    if None in numbers:
        raise ValueError("its seeds are computed, and have to be constants here")
    return ShuffleNode(message.inputs[0], size, seeds_read(numbers, message.node.attrs["reshuffle_each_iteration"]))


class _ShufflingNode(Node):
    """Elements in random order: each is drawn from a buffer, where the next one takes its place."""

    __slots__ = ()
    name = "_ShuffleDataset"

    def check(self, iteration: Iteration) -> None:
        _room(iteration.value(self.tensors[0]))

    @abc.abstractmethod
    def seeds_in(self, iteration: Iteration) -> Seeds:
        """The seeds of the iterations."""

    def cursor(self, iteration: Iteration) -> Cursor:
        room, seeds = _room(iteration.value(self.tensors[0])), self.seeds_in(iteration)
        source = self.inputs[0].cursor(iteration)
        if iteration.at_places:
            return PermutedCursor(source, seeds.fixed)
        return ShuffleCursor(source, room, seeds.pair())

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


@graph_form(
    "ShuffleDataset",
    "int64",
    {"seeds": Seeds},
    extra=lambda node: node.seeds.written,
    attrs={"again": "reshuffle_each_iteration"},
    read=_read_shuffle,
)
class ShuffleNode(_ShufflingNode):
    """A shuffle whose seeds are its own, for as long as there is the dataset."""

    __slots__ = ("seeds",)

    def __init__(self, source: Node, size: Any, seeds: Seeds) -> None:
        super().__init__(source.element, (source,), (size,))
        self.seeds: Seeds = seeds

    @property
    def again(self) -> bool:
        """Whether every iteration has another order."""
        return self.seeds.again

    def seeds_in(self, iteration: Iteration) -> Seeds:
        return self.seeds


def _read_shuffle_v3(message: Any) -> Node:
    size, *seeds = message.tensors
    return ShuffleV3Node(message.inputs[0], size, seeds, message.node.attrs["reshuffle_each_iteration"])


@graph_form(
    "ShuffleDatasetV3",
    "int64 int64 int64 resource",
    {"again": bool},
    attrs={"again": "reshuffle_each_iteration"},
    read=_read_shuffle_v3,
)
class ShuffleV3Node(SeededInRun, _ShufflingNode):
    """A shuffle of a graph, whose seeds begin anew in each run, and go on from iteration to iteration within it."""

    __slots__ = ("again",)

    def __init__(self, source: Node, size: Any, seeds: Sequence[Any], again: bool) -> None:
        super().__init__(source.element, (source,), (size, *seeds))
        self.again = again


def _room(size: Any) -> int:
    """The capacity of a buffer in elements."""
    size = scalar(size, "buffer_size")
    if size == UNKNOWN:
        return sys.maxsize
    if size < 1:
        text = f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}"
        raise errors.InvalidArgumentError(None, None, text)
    return size


_GONE: Values = []
"""A marker in the ring for an element that was returned."""


class ShuffleCursor(Cursor):
    """One iteration of `ShuffleNode`. Its position has the buffer, and that in the random numbers.

    The buffer is a ring, in TensorFlow's order: the first element takes the place of the one that is drawn.
    """

    __slots__ = ("_count", "_first", "_ring", "_size", "_words", "ended")
    saved: ClassVar[tuple[str, ...]] = ("ended",)

    def __init__(self, source: Cursor, size: int, seeds: tuple[int, int]) -> None:
        super().__init__(source)
        self._size, self._words = size, WordStream(seeds)
        self._ring: list[Values] = []
        self._first, self._count = 0, 0
        self.ended: bool = False

    def __next__(self) -> Values:
        ring, size, first = self._ring, self._size, self._first
        while not self.ended and self._count < size:
            try:
                values = next(self.sources[0])
            except StopIteration:
                self.ended = True
                break
            last = (first + self._count) % size
            if last == len(ring):
                ring.append(values)
            else:
                ring[last] = values
            self._count += 1
        if not self._count:
            raise StopIteration
        at = (first + self._words.draw() % self._count) % size
        drawn, ring[at] = ring[at], ring[first]
        ring[first] = _GONE
        self._first, self._count = (first + 1) % size, self._count - 1
        return drawn

    @property
    def buffer(self) -> list[Values]:
        """The elements that wait, the first one first."""
        return [self._ring[(self._first + i) % self._size] for i in range(self._count)]

    def state(self) -> Any:
        return {**super().state(), "buffer": self.buffer, "random": [*self._words.seeds, self._words.next]}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._ring = [list(values) for values in state["buffer"]]
        self._first, self._count = 0, len(self._ring)
        one, other, drawn = state["random"]
        self._words = WordStream((one, other), drawn)


class PermutedCursor(Cursor):
    """The elements of `ShuffleNode` by their places: one order, in which each comes once, whatever the buffer is."""

    __slots__ = ("_order", "_read", "_seeds", "next")
    saved: ClassVar[tuple[str, ...]] = ("next",)

    def __init__(self, source: Cursor, seeds: tuple[int, int]) -> None:
        super().__init__(source)
        self._seeds, self.next = seeds, 0
        self._read: list[Values] | None = None
        self._order: tuple[int, ...] = ()

    def __next__(self) -> Values:
        if self._read is None:
            self._read = list(self.sources[0])
            self._order = _ORDERS[(len(self._read), self._seeds)]
        if self.next >= len(self._order):
            raise StopIteration
        self.next += 1
        return self._read[self._order[self.next - 1]]


def _order(key: tuple[int, tuple[int, int]]) -> tuple[int, ...]:
    """So many numbers from 0 on in random order, TensorFlow's for the seeds."""
    count, seeds = key
    drawn, order = WordStream(seeds), list(range(count))
    for at in range(count):
        other = at + drawn.draw() % (count - at)
        order[at], order[other] = order[other], order[at]
    return tuple(order)


_ORDERS: BoundedCache[tuple[int, tuple[int, int]], tuple[int, ...]] = BoundedCache(
    "orders of shuffled places", 8, _order
)


def shuffle(
    source: Node,
    buffer_size: Any,
    seed: Any = None,
    reshuffle_each_iteration: bool | None = True,
    name: str | None = None,
) -> Node:
    """Shuffles the elements: each one is drawn from a buffer, and the next element takes its place.

    Args:
      buffer_size: the number of elements in the buffer, an int64 scalar; UNKNOWN_CARDINALITY takes all of them.
      seed: determines the order together with `random.set_seed`.
      reshuffle_each_iteration: whether every iteration has another order.

    Raises:
      InvalidArgumentError: if the size is not positive.
      TypeError: if the seed is no integer, or `reshuffle_each_iteration` no bool.
    """
    if not isinstance(reshuffle_each_iteration, (bool, np.bool_, type(None))):
        raise TypeError(f"`reshuffle_each_iteration` must be True, False or None, got {reshuffle_each_iteration!r}")
    size, again = (
        size_tensor(buffer_size, "buffer_size"),
        reshuffle_each_iteration is None or bool(reshuffle_each_iteration),
    )
    if context.executing_eagerly():
        return ShuffleNode(source, size, Seeds(fixed_seeds(seed), again))
    return ShuffleV3Node(source, size, tensors_in_run(seed), again)

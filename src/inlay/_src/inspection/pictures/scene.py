"""A picture as data: items in a tree of containers, and wires between them. Nothing here knows how it is drawn.

    Graph, Plan, Dataset, saved model ──▶ Picture(items, wires) ──┬─▶ svg.py    static, laid out here
                                                                 └─▶ page.py   laid out in the browser

Every text passes through `text` on its way into a picture: the names of a model may hold markup, and characters that
steer a terminal or turn the direction of writing. Those are written out here, and the drawings escape markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inlay._src.base.interpreter.terminal import escaped
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed

LONGEST = 400
"""Characters of a label or a fact; the rest is left out."""
LONGEST_SOURCE = 20_000
MOST_CHILDREN = 120
"""Items that a container shows at once: more are put into containers of their own, in their order."""
DEEPEST = 24
"""Scopes and programs within one another. Deeper ones are shown flat."""
MOST_ITEMS = 100_000
"""Items of a picture, above which programs are named and not drawn: a program is drawn wherever it is called, and
programs that call one another twice would grow without bound."""

_NO_XML = re.compile("[\ufffe\uffff]")


def text(value: Any, lines: bool = False) -> str:
    """A text of a model as a picture shows it: without control characters, and of bounded length.

    Args:
      value: a text, or an object whose `str` is shown.
      lines: whether it may have several lines, as sources have.
    """
    whole = value if isinstance(value, str) else str(value)
    longest = LONGEST_SOURCE if lines else LONGEST
    if len(whole) > longest:
        whole = whole[:longest] + "…"
    return _NO_XML.sub("\ufffd", escaped(whole, lines))


def described(dtype: DType, dims: Dims) -> str:
    """A tensor's dtype and shape: "float32 [?, 2]"."""
    return f"{dtype.name} {bracketed(dims)}"


@dataclass(slots=True)
class Item:
    """A box of a picture.

    Attributes:
      label: its text.
      kind: its meaning: "op", "host", "call", "input", "output", "constant", "variable", "move", "stage" for
        steps and values; "scope", "program", "part", "shelf" for containers.
      parent: the index of the container that it is in; -1 is the picture itself.
      name: the name of its node or step, by which times are given; "" for containers.
      op: the type of the op.
      detail: a few words beside the type, such as the dtype and the shape of the result.
      facts: (label, text) shown when it is selected.
      source: the source of its Python function, or "".
      decisions: (decision, reason): the decisions about it while a plan was built.
      idle: whether nothing of it runs: it was merged, folded or is not needed.
    """

    label: str
    kind: str
    parent: int = -1
    name: str = ""
    op: str = ""
    detail: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    source: str = ""
    decisions: list[tuple[str, str]] = field(default_factory=list)
    idle: bool = False

    def say(self, label: str, value: Any) -> None:
        """Adds a fact, if there is anything to say."""
        words = text(value)
        if words:
            self.facts.append((text(label), words))

    def decide(self, decision: str, reason: str) -> None:
        """Adds a decision."""
        self.decisions.append((decision, text(reason)))


@dataclass(slots=True)
class Link:
    """A value on its way, or an order without a value.

    Attributes:
      tail, head: the indices of the items that leave and take it.
      label: the dtype and the shape, or what else the value is.
      control: whether only the order counts.
    """

    tail: int
    head: int
    label: str = ""
    control: bool = False


class Picture:
    """Items and wires.

    Args:
      title: its heading.

    Attributes:
      facts: (label, text) about all of it.
      source: the source of the function that it is of, or "".
      items: the boxes.
      wires: each from an item to an item.
    """

    def __init__(self, title: str) -> None:
        self.title = text(title)
        self.facts: list[tuple[str, str]] = []
        self.source = ""
        self.items: list[Item] = []
        self.wires: list[Link] = []
        self._scopes: dict[tuple[int, str], int] = {}

    def say(self, label: str, value: Any) -> None:
        """Adds a fact about all of it."""
        self.facts.append((text(label), text(value)))

    def add(self, label: str, kind: str, parent: int = -1, name: str = "", op: str = "", detail: str = "") -> int:
        """Adds an item; returns its index."""
        item = Item(text(label), kind, parent, text(name), text(op), text(detail))
        self.items.append(item)
        return len(self.items) - 1

    def wire(self, tail: int, head: int, label: str = "", control: bool = False) -> None:
        """Adds a wire."""
        self.wires.append(Link(tail, head, text(label), control))

    def include(self, label: str, other: Picture) -> None:
        """Puts another picture into a container of its own.

        Args:
          label: of the container.
          other: a finished picture, whose items are taken over.
        """
        container = self.add(label, "program")
        self.items[container].facts += other.facts
        self.items[container].source = other.source
        first = len(self.items)
        for item in other.items:
            item.parent = container if item.parent == -1 else item.parent + first
        self.items += other.items
        for wire in other.wires:
            self.wire(wire.tail + first, wire.head + first, wire.label, wire.control)

    @property
    def is_full(self) -> bool:
        """Whether no further programs are drawn."""
        return len(self.items) >= MOST_ITEMS

    def scope(self, name: str, parent: int) -> tuple[int, str]:
        """The container of a node in its scopes, and the last part of its name.

        Args:
          name: the node's name: "scope/inner/name".
          parent: the container of the graph.
        """
        *scopes, last = name.split("/", DEEPEST)
        path = ""
        inside = parent
        for part in scopes:
            path = f"{path}/{part}"
            key = parent, path
            if key not in self._scopes:
                self._scopes[key] = self.add(part, "scope", inside)
            inside = self._scopes[key]
        return inside, last

    def children(self) -> dict[int, list[int]]:
        """Index of a container, -1 for the picture itself -> the items right in it, in their order."""
        inside: dict[int, list[int]] = {-1: []}
        for index, item in enumerate(self.items):
            inside.setdefault(item.parent, []).append(index)
        return inside

    def finished(self) -> Picture:
        """The picture, with scopes of one item dissolved, and crowded containers divided."""
        self._dissolve()
        self._divide()
        return self

    def _dissolve(self) -> None:
        """Puts the only item of a scope in the scope's place, and writes the scope before its name."""
        inside = self.children()
        for index in reversed(range(len(self.items))):
            item = self.items[index]
            own = inside.get(index, [])
            if item.kind == "scope" and len(own) == 1:
                (only,) = own
                child = self.items[only]
                child.parent, child.label = item.parent, f"{item.label}/{child.label}"
                siblings = inside[item.parent]
                siblings[siblings.index(index)] = only
                inside[index] = []
        self._remove({i for i, item in enumerate(self.items) if item.kind == "scope" and not inside.get(i)})

    def _remove(self, indices: set[int]) -> None:
        """Removes items that no wire touches and that hold nothing."""
        if not indices:
            return
        places = {-1: -1}
        for index in range(len(self.items)):
            if index not in indices:
                places[index] = len(places) - 1
        order = sorted(set(places) - {-1})
        self.items = [self.items[index] for index in order]
        for item in self.items:
            item.parent = places[item.parent]
        for wire in self.wires:
            wire.tail, wire.head = places[wire.tail], places[wire.head]

    def _divide(self) -> None:
        """Puts the items of crowded containers into containers of consecutive ones."""
        for parent, own in sorted(self.children().items()):
            size = MOST_CHILDREN
            while len(own) > MOST_CHILDREN:
                groups = [own[k : k + size] for k in range(0, len(own), size)]
                own = [self._group(group, parent) for group in groups]

    def _group(self, group: list[int], parent: int) -> int:
        first, last = (self._end(group[place], place) for place in (0, -1))
        index = self.add(f"{first} … {last}", "scope", parent)
        for child in group:
            self.items[child].parent = index
        return index

    def _end(self, index: int, place: int) -> str:
        """The first or the last label of an item that may stand for several."""
        return self.items[index].label.split(" … ")[place]

    def leaves(self) -> Iterator[Item]:
        """The items that hold no others."""
        parents = {item.parent for item in self.items}
        return (item for index, item in enumerate(self.items) if index not in parents)


def total_times(picture: Picture, times: Mapping[str, float]) -> list[float]:
    """The microseconds of each item; those of a container are those of the items in it.

    Args:
      picture: the picture.
      times: step name -> microseconds.
    """
    own = [times.get(item.name, 0.0) if item.name else 0.0 for item in picture.items]
    sums = list(own)
    inside = picture.children()

    def total(index: int) -> float:
        below = sum(map(total, inside.get(index, ())))
        # The time of a call includes that of the program in it.
        sums[index] = max(own[index], below)
        return sums[index]

    for index in inside[-1]:
        total(index)
    return sums

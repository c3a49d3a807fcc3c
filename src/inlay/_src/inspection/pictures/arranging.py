"""The visible boxes of a picture on a plane: containers that are open around those in them, each laid out by itself.

A wire that leaves an open container passes through a gate at its lower border, one that enters at its upper border, so
no wire runs through boxes that it does not touch.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from inlay._src.inspection.pictures.layering import Edge, LayeredLayout, laid_out
from inlay._src.inspection.pictures.scene import Item, Picture

CHARACTER, DETAIL_CHARACTER = 7.3, 6.1
"""The widths of a character of the label and of the line below it, in pixels: the fonts are monospaced."""
LONGEST_LABEL = 30
LEAF_HEIGHT, LINE_HEIGHT = 40.0, 28.0
HEADER, MARGIN = 30.0, 18.0
MOST_VISIBLE = 46
"""Boxes of a picture without a program: so many are read at a glance."""

CONTAINERS = frozenset({"scope", "program", "part", "shelf"})
"""The kinds of items that are nothing but containers."""

Point = tuple[float, float]


@dataclass(slots=True)
class Rectangle:
    """A visible item.

    Attributes:
      item: its index.
      x, y: the upper left corner.
      width, height: its size.
      open: whether its items are visible in it.
      hidden: the number of items that it hides.
    """

    item: int
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    open: bool = False
    hidden: int = 0


@dataclass(slots=True)
class Arrangement:
    """Boxes, containers before those in them, and the wires between visible ones.

    Attributes:
      boxes: index of an item -> its box.
      routes: (tail, head, whether only the order counts) -> the points of the wire.
      width, height: of all.
    """

    boxes: dict[int, Rectangle] = field(default_factory=dict)
    routes: dict[tuple[int, int, bool], list[Point]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def shortened(label: str, longest: int = LONGEST_LABEL) -> str:
    """A label with its middle left out if it is long: both ends of a name matter."""
    return label if len(label) <= longest else f"{label[: longest // 2 - 1]}…{label[-(longest - longest // 2) :]}"


def second_line(item: Item, hidden: int) -> str:
    """The line below the label: the op if the label does not say it, the result, or how much is folded."""
    if hidden and item.kind in CONTAINERS:
        return f"{hidden:,} ops"
    plain = item.detail and item.kind in ("constant", "input", "output", "variable")
    same = item.label.rpartition("/")[2].split("_")[0].lower() == item.op.lower()
    op = "" if same or plain else item.op
    if item.kind == "host":
        return shortened(item.op, 36)
    return shortened(" · ".join(part for part in (op, item.detail) if part), 36)


def unfolded(picture: Picture, most: int = MOST_VISIBLE) -> set[int]:
    """The containers that are open at first: from the outside in, as long as not more than `most` boxes are visible."""
    inside = picture.children()
    visible = len(inside[-1])
    opened: set[int] = set()
    waiting = [index for index in inside[-1] if _opens(picture, inside, index)]
    while waiting:
        waiting.sort(key=lambda index: len(inside[index]))
        following: list[int] = []
        for index in waiting:
            # The first level is worth more room: a picture of one folded box says nothing.
            if visible + len(inside[index]) <= (most if opened or visible > 3 else 2 * most):
                opened.add(index)
                visible += len(inside[index])
                following += [child for child in inside[index] if _opens(picture, inside, child)]
        waiting = following
    return opened


def _opens(picture: Picture, inside: Mapping[int, list[int]], index: int) -> bool:
    """Whether an item is a container that may be open at first."""
    return index in inside and picture.items[index].kind != "shelf"


class _Arranging:
    def __init__(self, picture: Picture, opened: Collection[int]) -> None:
        self.picture, self.opened = picture, opened
        self.inside = picture.children()
        self.result = Arrangement()
        self._visible: dict[int, int] = {-1: -1}
        # Of each open container: the boxes and gates in it, and its wires.
        self.members: dict[int, dict[tuple[str, int], int]] = {}
        self.edges: dict[int, dict[Edge, None]] = {}
        self.layouts: dict[int, LayeredLayout] = {}

    def arranged(self) -> Arrangement:
        """The arrangement."""
        self._see(-1)
        wires = dict.fromkeys(
            (tail, head, wire.control)
            for wire in self.picture.wires
            if (tail := self._visible[wire.tail]) != (head := self._visible[wire.head])
            and "shelf" not in (self.picture.items[tail].kind, self.picture.items[head].kind)
        )
        order = [w for w in wires if not w[2] or (w[0], w[1], False) not in wires]
        chains = {wire: self._chain(wire[0], wire[1]) for wire in order if not self._nested(wire[0], wire[1])}
        self.result.width, self.result.height = self._measure(-1)
        self._put(-1, 0.0, 0.0)
        for wire, chain in chains.items():
            self.result.routes[wire] = self._route(wire[0], wire[1], chain)
        return self.result

    def _see(self, container: int) -> None:
        """Finds the visible box of each item below a container."""
        self.members[container], self.edges[container] = {}, {}
        for index in self.inside.get(container, ()):
            self._visible[index] = index
            self.members[container]["box", index] = len(self.members[container])
            is_open = index in self.opened and index in self.inside
            self.result.boxes[index] = Rectangle(index, open=is_open, hidden=0 if is_open else self._hide(index, index))
            if is_open:
                self._see(index)

    def _hide(self, index: int, behind: int) -> int:
        """Says that the items in a folded container are seen as `behind`; returns the number of those that are ops."""
        count, waiting = 0, list(self.inside.get(index, ()))
        while waiting:
            item = waiting.pop()
            self._visible[item] = behind
            waiting += self.inside.get(item, ())
            count += item not in self.inside
        return count

    def _path(self, index: int) -> list[int]:
        """The containers around a box, the innermost first; -1 is the last."""
        path = []
        while index != -1:
            index = self.picture.items[index].parent
            path.append(index)
        return path

    def _nested(self, tail: int, head: int) -> bool:
        return tail in self._path(head) or head in self._path(tail)

    def _member(self, container: int, kind: str, index: int) -> int:
        members = self.members[container]
        return members.setdefault((kind, index), len(members))

    def _chain(self, tail: int, head: int) -> list[tuple[int, Edge]]:
        """The parts of a wire: (container, edge between members of it), from the tail to the head."""
        ups, downs = self._path(tail), self._path(head)
        common = next(container for container in ups if container in downs)
        chain: list[tuple[int, Edge]] = []
        at = tail
        for container in ups[: ups.index(common)]:
            start = self._member(container, "box", at)
            chain.append((container, (start, self._member(container, "out", tail))))
            at = container
        start_box = at
        at, entering = head, list[tuple[int, Edge]]()
        for container in downs[: downs.index(common)]:
            end = self._member(container, "box", at)
            entering.append((container, (self._member(container, "in", tail), end)))
            at = container
        chain.append((common, (self._member(common, "box", start_box), self._member(common, "box", at))))
        chain += reversed(entering)
        for container, edge in chain:
            self.edges[container][edge] = None
        return chain

    def _measure(self, container: int) -> Point:
        """Lays out an open container from the inside out; returns its size."""
        sizes: list[Point] = []
        for kind, index in self.members[container]:
            if kind != "box":
                sizes.append((2.0, 0.0))
                continue
            box = self.result.boxes[index]
            box.width, box.height = self._measure(index) if box.open else self._leaf_size(box)
            sizes.append((box.width, box.height))
        gates: dict[str, list[int]] = {"in": [], "out": []}
        for (kind, _), member in self.members[container].items():
            if kind != "box":
                gates[kind].append(member)
        layout = self.layouts[container] = laid_out(sizes, self.edges[container], gates["in"], gates["out"])
        if container == -1:
            return layout.width, layout.height
        label = len(shortened(self.picture.items[container].label, 48)) * CHARACTER + 2 * MARGIN
        top = 0.0 if gates["in"] else MARGIN / 2
        return max(layout.width + 2 * MARGIN, label), layout.height + HEADER + MARGIN + top

    def _leaf_size(self, box: Rectangle) -> Point:
        item = self.picture.items[box.item]
        below = second_line(item, box.hidden)
        width = max(len(shortened(item.label)) * CHARACTER, len(below) * DETAIL_CHARACTER) + 30
        return max(width, 64.0), LEAF_HEIGHT if below else LINE_HEIGHT

    def _put(self, container: int, left: float, top: float) -> None:
        """Moves the boxes of a container, and those in them, to where the container is."""
        layout = self.layouts[container]
        if container != -1:
            box = self.result.boxes[container]
            gate = 0.0 if any(kind == "in" for kind, _ in self.members[container]) else MARGIN / 2
            left, top = left + (box.width - layout.width) / 2, top + HEADER + gate
        layout.rows = {member: (upper + top, lower + top) for member, (upper, lower) in layout.rows.items()}
        layout.centers = [(x + left, y + top) for x, y in layout.centers]
        layout.routes = {e: [(x + left, y + top) for x, y in points] for e, points in layout.routes.items()}
        for (kind, index), member in self.members[container].items():
            if kind == "box":
                box = self.result.boxes[index]
                middle, box.y = layout.centers[member]
                box.x = middle - box.width / 2
                if box.open:
                    self._put(index, box.x, box.y)

    def _route(self, tail: int, head: int, chain: list[tuple[int, Edge]]) -> list[Point]:
        """The points of a wire: from the lower border of the tail to the upper border of the head."""
        start, end = self.result.boxes[tail], self.result.boxes[head]
        # Beside a higher box the wire leaves the layer before it turns.
        first, last = (self.layouts[container].rows for container, _ in (chain[0], chain[-1]))
        middle, other = start.x + start.width / 2, end.x + end.width / 2
        points: list[Point] = [(middle, start.y + start.height), (middle, first[chain[0][1][0]][1])]
        for container, edge in chain:
            layout = self.layouts[container]
            kinds = [kind for kind, _ in self.members[container]]
            if kinds[edge[0]] == "in":
                points.append(layout.centers[edge[0]])
            points += layout.routes.get(edge, [])
            if kinds[edge[1]] == "out":
                x, y = layout.centers[edge[1]]
                box = self.result.boxes[container]
                points += [(x, y), (x, box.y + box.height)]
        return [*points, (other, last[chain[-1][1][1]][0]), (other, end.y)]


def arranged(picture: Picture, opened: Collection[int] | None = None) -> Arrangement:
    """The arrangement of a picture.

    Args:
      picture: the picture.
      opened: the containers that are open; None opens as many as are read at a glance.
    """
    return _Arranging(picture, unfolded(picture) if opened is None else opened).arranged()

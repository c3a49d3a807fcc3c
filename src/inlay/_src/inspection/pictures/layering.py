"""A layered layout of boxes that wires connect, top to bottom: for drawings without a browser.

break cycles ─▶ layers by longest paths ─▶ points for wires across layers ─▶ orders by barycenters ─▶ coordinates

Coordinates within a layer minimize the squared distances to the middle of the neighbors, by isotonic regression: boxes
keep their order and their distance. The method is that of Sugiyama, Tagawa and Toda.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

GAP, ROW_GAP, GATE_GAP = 24.0, 44.0, 24.0
_SWEEPS = 8
_MOST_POINTS = 3000
"""Points at which wires cross layers; where there would be more, wires run straight: nobody could follow them."""
_POINT = 10.0  # the width that a wire takes in a layer that it crosses

Edge = tuple[int, int]


@dataclass(slots=True)
class LayeredLayout:
    """Places of boxes and wires.

    Attributes:
      centers: of each box, the horizontal middle and the upper edge.
      rows: of each box with wires, the upper and the lower edge of its layer.
      routes: of each wire, the points between its ends.
      width, height: of all of it.
    """

    centers: list[tuple[float, float]]
    rows: dict[int, tuple[float, float]] = field(default_factory=dict)
    routes: dict[Edge, list[tuple[float, float]]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def laid_out(
    sizes: Sequence[tuple[float, float]],
    edges: Collection[Edge],
    first: Collection[int] = (),
    last: Collection[int] = (),
    widest: float = 1100.0,
) -> LayeredLayout:
    """Lays boxes out.

    Args:
      sizes: the width and the height of each.
      edges: (tail, head) pairs of different boxes.
      first, last: boxes that must be in the first and in the last layer.
      widest: the width at which boxes without wires begin another row.
    """
    layout = LayeredLayout([(0.0, 0.0)] * len(sizes))
    touched = {end for edge in edges for end in edge} | {*first, *last}
    alone = [i for i in range(len(sizes)) if i not in touched]
    if touched:
        _Layers(sizes, edges, sorted(touched), first, last).place(layout)
    _place_alone(layout, sizes, alone, widest)
    return layout


def _place_alone(
    layout: LayeredLayout, sizes: Sequence[tuple[float, float]], alone: Sequence[int], widest: float
) -> None:
    """Puts the boxes without wires into rows below the others."""
    x, top, tallest = 0.0, layout.height + (ROW_GAP if layout.height else 0.0), 0.0
    for box in alone:
        width, height = sizes[box]
        if x and x + width > max(widest, layout.width):
            x, top, tallest = 0.0, top + tallest + GAP, 0.0
        layout.centers[box] = x + width / 2, top
        layout.width = max(layout.width, x + width)
        tallest = max(tallest, height)
        x += width + GAP
    if alone:
        layout.height = top + tallest


class _Layers:
    """The layers of boxes and of the points at which wires cross layers."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Collection[Edge],
        boxes: Sequence[int],
        first: Collection[int],
        last: Collection[int],
    ) -> None:
        self.widths = {box: sizes[box][0] for box in boxes}
        self.heights = {box: sizes[box][1] for box in boxes}
        self.above: dict[int, list[int]] = {box: [] for box in boxes}
        self.below: dict[int, list[int]] = {box: [] for box in boxes}
        forward = _acyclic(boxes, edges)
        layer = _longest_paths(boxes, forward, first, last)
        self.rows: list[list[int]] = [[] for _ in range(max(layer.values()) + 1)]
        for box in boxes:
            self.rows[layer[box]].append(box)
        self.paths: dict[Edge, list[int]] = {}
        self._points = len(sizes)
        crossed = sum(layer[head] - layer[tail] - 1 for tail, head in forward)
        for tail, head in forward:
            if crossed <= _MOST_POINTS or layer[head] - layer[tail] == 1:
                self.paths[tail, head] = self._divided(tail, head, layer)
            else:
                self.paths[tail, head] = []
        self.reversed = {edge for edge in edges if edge not in self.paths}

    def _divided(self, tail: int, head: int, layer: dict[int, int]) -> list[int]:
        """Adds points where a wire crosses layers; returns them."""
        points: list[int] = []
        before = tail
        for row in range(layer[tail] + 1, layer[head]):
            point = self._points
            self._points += 1
            self.rows[row].append(point)
            self.widths[point], self.heights[point] = _POINT, 0.0
            self.above[point], self.below[point] = [], []
            self._join(before, point)
            points.append(point)
            before = point
        self._join(before, head)
        return points

    def _join(self, upper: int, lower: int) -> None:
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def place(self, layout: LayeredLayout) -> None:
        """Fills a layout."""
        self._order()
        x = self._abscissas()
        spans: dict[int, tuple[float, float]] = {}  # of the row of each box
        top = 0.0
        for row in self.rows:
            tallest = max(self.heights[box] for box in row)
            spans.update(dict.fromkeys(row, (top, top + tallest)))
            top += tallest + (ROW_GAP if tallest else GATE_GAP)
        left = min(x[box] - self.widths[box] / 2 for box in x)
        for box in x:
            if box < len(layout.centers):
                layout.centers[box] = x[box] - left, (sum(spans[box]) - self.heights[box]) / 2
                layout.rows[box] = spans[box]
        for edge, points in self.paths.items():
            layout.routes[edge] = [(x[point] - left, y) for point in points for y in spans[point]]
        for tail, head in self.reversed:
            layout.routes[tail, head] = layout.routes.get((head, tail), [])[::-1]
        layout.width = max(x[box] + self.widths[box] / 2 for box in x) - left
        layout.height = max(bottom for _, bottom in spans.values())

    def _order(self) -> None:
        """Orders the boxes of each row by the barycenters of their neighbors, keeping the best of several sweeps."""
        place = {box: float(k) for row in self.rows for k, box in enumerate(row)}
        best, least = [list(row) for row in self.rows], self._crossings(place)
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            near = self.above if down else self.below
            for row in self.rows if down else reversed(self.rows):
                barycenter = {b: _mean([place[n] for n in near[b]], place[b]) for b in row}
                row.sort(key=barycenter.__getitem__)
                place.update((box, float(k)) for k, box in enumerate(row))
            crossings = self._crossings(place)
            if crossings < least:
                best, least = [list(row) for row in self.rows], crossings
            if not least:
                break
        self.rows = best

    def _crossings(self, place: dict[int, float]) -> int:
        count = 0
        for row in self.rows:
            passed: list[float] = []  # the lower ends of the wires further left
            for _, end in sorted((place[box], place[other]) for box in row for other in self.below[box]):
                count += len(passed) - bisect.bisect_right(passed, end)
                bisect.insort(passed, end)
        return count

    def _abscissas(self) -> dict[int, float]:
        """The horizontal middles."""
        x: dict[int, float] = {}
        for row in self.rows:
            at = 0.0
            for box in row:
                x[box] = at + self.widths[box] / 2
                at += self.widths[box] + GAP
            for box in row:
                x[box] -= at / 2
        for sweep in range(2 * _SWEEPS):
            down = sweep % 2 == 0
            near, other = (self.above, self.below) if down else (self.below, self.above)
            for row in self.rows if down else reversed(self.rows):
                wanted = [_mean([x[n] for n in near[b] or other[b]], x[b]) for b in row]
                for box, middle in zip(row, _separated(wanted, [self.widths[b] for b in row]), strict=True):
                    x[box] = middle
        return x


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _separated(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """The middles of boxes in a row, without overlaps: the nearest to the wanted ones by least squares."""
    offsets = [0.0]
    for left, right in zip(widths, widths[1:], strict=False):
        offsets.append(offsets[-1] + (left + right) / 2 + GAP)
    pools: list[tuple[float, int]] = []  # (mean, count) of boxes that touch one another
    for value, offset in zip(wanted, offsets, strict=True):
        mean, count = value - offset, 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        pools.append((mean, count))
    levels = [mean for mean, count in pools for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _acyclic(boxes: Sequence[int], edges: Collection[Edge]) -> list[Edge]:
    """The edges with those turned round that close a cycle, each once."""
    following: dict[int, list[int]] = {box: [] for box in boxes}
    for tail, head in edges:
        following[tail].append(head)
    state: dict[int, int] = {}  # 1 while a box is on the path, 2 behind it
    forward: dict[Edge, None] = {}
    for start in boxes:
        if start in state:
            continue
        state[start] = 1
        path = [(start, iter(following[start]))]
        while path:
            box, heads = path[-1]
            head = next(heads, -1)
            if head == -1:
                state[box] = 2
                path.pop()
            elif state.get(head) == 1:
                forward[head, box] = None
            else:
                forward[box, head] = None
                if head not in state:
                    state[head] = 1
                    path.append((head, iter(following[head])))
    return list(forward)


def _longest_paths(
    boxes: Sequence[int], forward: Sequence[Edge], first: Collection[int], last: Collection[int]
) -> dict[int, int]:
    """The layer of each box: behind all that it takes from; those that take nothing are next to the first taker."""
    heads: dict[int, list[int]] = {box: [] for box in boxes}
    missing = dict.fromkeys(boxes, 0)
    for tail, head in forward:
        heads[tail].append(head)
        missing[head] += 1
    roots = {box for box in boxes if not missing[box]}
    layer = {box: 0 if box in first else int(bool(first)) for box in boxes}
    ready = [box for box in boxes if not missing[box]]
    while ready:
        box = ready.pop()
        for head in heads[box]:
            layer[head] = max(layer[head], layer[box] + 1)
            missing[head] -= 1
            if not missing[head]:
                ready.append(head)
    for box in roots - {*first}:
        layer[box] = min((layer[head] - 1 for head in heads[box]), default=layer[box])
    deepest = max(layer.values(), default=0)
    if last:
        # A box that is not bound to the last layer and reaches into it makes room for those that are.
        deepest += any(layer[box] == deepest for box in boxes if box not in last)
    layer.update(dict.fromkeys(last, deepest))
    return layer

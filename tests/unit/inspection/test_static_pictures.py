"""Pictures without a browser: the layout, the SVG, and what notebooks show."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.inspection.pictures.arranging import MOST_VISIBLE, Rectangle, arranged, shortened
from inlay._src.inspection.pictures.layering import LayeredLayout, laid_out
from inlay._src.inspection.pictures.scene import Picture
from inlay._src.inspection.pictures.svg import curve, svg

v1 = tf.compat.v1
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>window.hit=1</script>\"'&]]>\x1b[31m\u202eevil\u2066"


def boxes_of(layout: LayeredLayout, sizes: list[tuple[float, float]]) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of each box."""
    pairs = zip(layout.centers, sizes, strict=True)
    return [(x - width / 2, top, x + width / 2, top + height) for (x, top), (width, height) in pairs]


def overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01


@pytest.mark.parametrize("seed", range(20))
def test_boxes_of_a_layout_do_not_overlap_and_heads_are_below_tails(seed: int) -> None:
    draw = random.Random(seed)
    count = draw.randrange(2, 30)
    sizes = [(draw.uniform(20, 200), draw.uniform(20, 90)) for _ in range(count)]
    edges = {tuple(sorted(draw.sample(range(count), 2))) for _ in range(draw.randrange(2 * count))}
    layout = laid_out(sizes, edges)  # type: ignore[arg-type]
    boxes = boxes_of(layout, sizes)
    assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b)]
    assert all(boxes[tail][3] < boxes[head][1] for tail, head in edges)
    assert all(-0.01 <= box[0] and box[2] <= layout.width + 0.01 and box[3] <= layout.height + 0.01 for box in boxes)


def test_a_cycle_has_a_layout() -> None:
    sizes = [(40.0, 20.0)] * 3
    layout = laid_out(sizes, {(0, 1), (1, 2), (2, 0)})
    assert set(layout.routes) >= {(0, 1), (1, 2), (2, 0)}
    assert not [1 for i, a in enumerate(boxes_of(layout, sizes)) for b in boxes_of(layout, sizes)[:i] if overlap(a, b)]


def test_gates_are_in_the_first_and_the_last_layer() -> None:
    sizes = [(2.0, 0.0), (40.0, 20.0), (40.0, 20.0), (2.0, 0.0)]
    layout = laid_out(sizes, {(0, 2), (1, 2), (1, 3)}, first=[0], last=[3])
    tops = [top for _, top in layout.centers]
    assert min(tops) == tops[0] and max(tops) == tops[3]


def test_chains_are_straight() -> None:
    layout = laid_out([(40.0, 20.0)] * 5, {(i, i + 1) for i in range(4)})
    assert {x for x, _ in layout.centers} == {20.0}


def test_a_dense_graph_is_laid_out_without_points() -> None:
    count = 100
    edges = {(i, j) for i in range(count) for j in range(i + 1, count)}
    layout = laid_out([(40.0, 20.0)] * count, edges)
    assert len(layout.routes) == len(edges) and not any(layout.routes.values())
    tops = [top for _, top in layout.centers]
    assert tops == sorted(tops)


def nested() -> Picture:
    """Two scopes, one within the other, with wires across their borders."""
    picture = Picture("nested")
    first = picture.add("first", "op")
    outer = picture.add("outer", "scope")
    before = picture.add("before", "op", outer)
    inner = picture.add("inner", "scope", outer)
    deep = picture.add("deep", "op", inner)
    deeper = picture.add("deeper", "op", inner)
    last = picture.add("last", "op")
    for tail, head in ((first, before), (first, deep), (before, deep), (deep, deeper), (deeper, last), (first, last)):
        picture.wire(tail, head)
    return picture.finished()


def inside(box: Rectangle, other: Rectangle) -> bool:
    return (
        other.x <= box.x
        and other.y <= box.y
        and box.x + box.width <= other.x + other.width + 0.01
        and box.y + box.height <= other.y + other.height + 0.01
    )


def test_open_containers_are_around_their_items_and_wires_end_at_boxes() -> None:
    picture = nested()
    arrangement = arranged(picture)
    assert len(arrangement.boxes) == len(picture.items)
    for index, box in arrangement.boxes.items():
        parent = picture.items[index].parent
        assert parent == -1 or inside(box, arrangement.boxes[parent])
    assert len(arrangement.routes) == len(picture.wires)
    for (tail, head, _), points in arrangement.routes.items():
        start, end = arrangement.boxes[tail], arrangement.boxes[head]
        assert points[0] == (start.x + start.width / 2, start.y + start.height)
        assert points[-1] == (end.x + end.width / 2, end.y)
        assert all(a[1] <= b[1] + 0.01 for a, b in zip(points, points[1:], strict=False))


def test_a_folded_container_stands_for_its_items() -> None:
    picture = nested()
    arrangement = arranged(picture, ())
    labels = {picture.items[index].label: box.hidden for index, box in arrangement.boxes.items()}
    assert labels == {"first": 0, "outer": 3, "last": 0}
    ends = {(picture.items[t].label, picture.items[h].label) for t, h, _ in arrangement.routes}
    assert ends == {("first", "outer"), ("outer", "last"), ("first", "last")}


def test_a_large_graph_is_folded_until_it_is_small() -> None:
    with tf.Graph().as_default() as graph:
        h = v1.placeholder(tf.float32, name="x")
        for block in range(30):
            with tf.name_scope(f"block_{block}"):
                for _ in range(10):
                    h = tf.sqrt(h)
    root = ElementTree.fromstring(graph._repr_svg_())
    boxes = [g for g in root.iter(f"{SVG}g") if "box" in g.attrib["class"].split()]
    assert len(boxes) <= MOST_VISIBLE and sum("folded" in g.attrib["class"] for g in boxes) >= 29


def test_names_with_markup_and_escape_codes_are_text() -> None:
    picture = Picture(HOSTILE)
    scope = picture.add(HOSTILE, "program")
    first = picture.add(HOSTILE, "host", scope, HOSTILE, HOSTILE, HOSTILE)
    picture.items[first].say(HOSTILE, HOSTILE)
    picture.items[first].source = HOSTILE.replace("\x1b", "").replace("\u202e", "").replace("\u2066", "")
    picture.items[first].decide("placed", HOSTILE)
    picture.wire(first, picture.add("next", "op", scope), HOSTILE)
    drawing = svg(picture.finished())
    root = ElementTree.fromstring(drawing)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "style", "rect", "g", "text", "path",
    }  # fmt: skip
    assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)
    assert root.findtext(f"{SVG}title") == "<script>window.hit=1</script>\"'&]]>\\x1b[31m\\u202eevil\\u2066"
    assert not {"\x1b", "\u202e", "\u2066"} & set(drawing)


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def hostile_graph() -> tf.Graph:
    """A graph whose names say what names must not do."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.string, name="x")

        def hit(texts: Any) -> Any:
            return texts  # </script><script>window.hit=1</script>

        tf.numpy_function(hit, [tf.constant("<img src=x onerror=window.hit=1>")], tf.string, stateful=False)
        op = tf.identity(x, name="plain").op
        op.name = HOSTILE
    return graph


def test_a_notebook_shows_static_html_without_scripts() -> None:
    parsed = _Tags(hostile_graph()._repr_html_())
    assert not parsed.tags & {"script", "img", "iframe", "link", "object"}
    assert {"svg", "details", "pre"} <= parsed.tags
    assert "# </script><script>window.hit=1</script>" in parsed.words


def test_a_notebook_shows_the_decisions_of_a_called_function() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.sqrt(x, name="one") + tf.sqrt(x, name="two")

    f(tf.constant(1.0))
    words = _Tags(f._repr_html_()).words
    assert "decisions of the plan" in words and "one has the same op, inputs and attributes" in words


def test_times_color_boxes() -> None:
    picture = Picture("times")
    picture.add("slow", "op", -1, "slow")
    picture.add("quick", "op", -1, "quick")
    assert 'class="heat"' not in svg(picture)
    colored = svg(picture, {"slow": 2000, "quick": 20})
    assert colored.count('class="heat"') == 2 and "2 ms" in colored and "20 us" in colored


def test_a_curve_passes_through_its_points() -> None:
    assert curve([(0, 0), (0, 10), (0.2, 10.2), (5, 30)]).count("C") == 2


@pytest.mark.parametrize(("label", "short"), [("abc", "abc"), ("a" * 20 + "b" * 20, "a" * 14 + "…" + "b" * 15)])
def test_a_long_label_keeps_both_ends(label: str, short: str) -> None:
    assert shortened(label) == short


# Values.


def test_a_tensor_shows_dtype_shape_summary_and_a_corner() -> None:
    words = _Tags(tf.constant(np.arange(100.0).reshape(10, 10))._repr_html_()).words
    for part in ("float64", "(10, 10)", "100 elements, 800 bytes", "0.0 to 99.0, mean 49.5, zero 1", "…"):
        assert part in words
    assert "nan" in tf.constant([1.0, float("nan")])._repr_html_()
    assert "<script" not in tf.constant(["<script>", "\x1b[0m"])._repr_html_()


def test_an_image_says_its_pixels_and_a_symbolic_tensor_its_op() -> None:
    image = tf.zeros([8, 9, 3], tf.uint8)._repr_html_()
    assert "an image of 8 x 9 pixels, 3 channels" in image and "<img" not in image
    with tf.Graph().as_default():
        words = v1.placeholder(tf.float32, [None, 2], name="fed")._repr_html_()
    assert "fed (Placeholder)" in words and "(None, 2)" in words


def test_variables_ragged_and_sparse_tensors_have_tables() -> None:
    variable = tf.Variable([True, False], name="flags", trainable=False)._repr_html_()
    assert "flags:0" in variable and "<td>true</td>" in variable
    ragged = _Tags(tf.ragged.constant([[1, 2], [], [3]])._repr_html_()).words
    assert "0 to 2, mean 1" in ragged and "empty" in ragged and "3 elements" in ragged
    nested_rows = tf.ragged.constant([[[1], []], []])._repr_html_()
    assert "RaggedTensor" in nested_rows
    assert "stored values" in tf.sparse.from_dense([[0, 1]])._repr_html_()
    with tf.Graph().as_default():
        assert "float32" in v1.get_variable("v", [2])._repr_html_()
    assert "scalar" not in tf.constant(1)._repr_html_()


def test_a_handle_has_a_table_without_values() -> None:
    assert "variant" in tf.data.Dataset.range(3)._variant_tensor._repr_html_()
    assert "resource" in tf.Variable(1.0).handle._repr_html_()

"""Tracing and running of `tf.function`: three calls, two traces."""

from __future__ import annotations

from scripts.pictures.canvas import Canvas

CALLS = [
    ("norm(tf.constant([3., 4.]))", "float32[2]", True, "tracing (2,)", "5.0"),
    ("norm(tf.constant([6., 8.]))", "float32[2]", False, "", "10.0"),
    ("norm(tf.constant([1., 2., 2.]))", "float32[3]", True, "tracing (3,)", "3.0"),
]
ROW = 96.0


def draw() -> Canvas:
    """The picture."""
    canvas = Canvas(
        900, 520, "Tracing and running a tf.function",
        "Three calls of a tf.function. The first call, of signature float32[2], traces: Python runs once and its ops "
        "become a graph. The second has the same signature and runs that graph; Python does not run. The third has "
        "another shape, float32[3], and traces again.",
    )  # fmt: skip
    canvas.text(24, 36, "Python runs while tracing, the graph runs at every call", size=17, bold=True)
    canvas.box(24, 54, 444, 116, "muted")
    canvas.paragraph(
        42, 79,
        [
            [("@tf.function", "purple")],
            [("def ", "purple"), ("norm(x):", "ink")],
            [("    print(\"tracing\", x.shape)", "orange"), ("  # while tracing", "muted")],
            [("    return ", "purple"), ("tf.sqrt(tf.reduce_sum(x * x))", "blue"), ("  # in the graph", "muted")],
        ],
        mono=True, size=12.5, step=24,
    )  # fmt: skip
    canvas.paragraph(
        488, 82,
        [
            "The signature of a call: the dtypes and shapes of its",
            "tensors, and the values of its Python arguments.",
            "Each signature is traced once, and its graph is kept.",
            "Pass a tensor where the value changes: a new Python",
            "number is a new signature.",
        ],
        size=13, tone="muted", step=20,
    )  # fmt: skip
    for x, heading in (
        (24, "the call"),
        (270, "its signature"),
        (410, "tracing: Python runs"),
        (640, "running: the graph"),
    ):
        canvas.text(x, 204, heading, size=13, tone="muted", bold=True)
    for number, (call, signature, traced, printed, result) in enumerate(CALLS):
        _call(canvas, 216 + number * ROW, call, signature, traced, printed, result)
    return canvas


def _call(canvas: Canvas, y: float, call: str, signature: str, traced: bool, printed: str, result: str) -> None:
    middle = y + 46
    canvas.box(24, y + 24, 224, 44, "muted")
    canvas.text(136, middle + 4, call, size=11, mono=True, anchor="middle")
    canvas.arrow([(250, middle), (272, middle)])
    canvas.chip(274, middle, signature, "purple", mono=True)
    if traced:
        canvas.arrow([(378, middle), (408, middle)], "orange")
        canvas.box(410, y + 12, 188, 68, "orange")
        canvas.text(504, y + 39, "traces norm", size=13, anchor="middle", tone="orange", bold=True)
        canvas.text(504, y + 62, f"prints: {printed}", size=12, anchor="middle", mono=True)
        canvas.arrow([(600, middle), (638, middle)], "orange")
    else:
        canvas.arrow([(378, middle), (638, middle)], "blue", dashed=True)
        canvas.text(504, middle - 9, "the same signature:", size=12.5, anchor="middle", tone="muted")
        canvas.text(504, middle + 20, "nothing to trace", size=12.5, anchor="middle", tone="muted")
    canvas.box(640, y + 12, 172, 68, "blue")
    for number, op in enumerate(("mul", "sum", "sqrt")):
        x = 652 + number * 52
        canvas.box(x, middle - 13, 44, 26, "ink", radius=13, border=1.2)
        canvas.text(x + 22, middle + 4, op, size=11, anchor="middle", mono=True)
        if number:
            canvas.line([(x - 8, middle), (x, middle)], "blue", width=1.5)
    if not traced:
        canvas.text(726, y + 95, "the graph of the first call", size=12, anchor="middle", tone="blue")
    canvas.arrow([(814, middle), (834, middle)], "blue")
    canvas.text(838, middle + 5, result, size=14, mono=True, bold=True)

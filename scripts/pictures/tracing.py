"""Tracing and running of `tf.function`: three calls, two traces."""

from __future__ import annotations

from scripts.pictures.canvas import Canvas

CALLS = [
    ("[3., 4.]", "float32[2]", True, "tracing (2,)", "5.0"),
    ("[6., 8.]", "float32[2]", False, "", "10.0"),
    ("[1., 2., 2.]", "float32[3]", True, "tracing (3,)", "3.0"),
]
ROW = 96.0


def draw() -> Canvas:
    """The picture."""
    canvas = Canvas(
        760, 520, "Tracing and running a tf.function",
        "Three calls of a tf.function. The first call, of signature float32[2], traces: Python runs once and its ops "
        "become a graph. The second has the same signature and runs that graph; Python does not run. The third has "
        "another shape, float32[3], and traces again.",
    )  # fmt: skip
    canvas.text(24, 36, "Python runs while tracing, the graph runs at every call", size=17, bold=True)
    canvas.box(24, 54, 430, 116, "muted")
    canvas.paragraph(
        38, 80,
        [
            [("@tf.function", "purple")],
            [("def ", "purple"), ("norm(x):", "ink")],
            [('    print("tracing", x.shape)', "orange"), ("  # while tracing", "muted")],
            [("    return ", "purple"), ("tf.sqrt(tf.reduce_sum(x * x))", "blue"), ("  # in the graph", "muted")],
        ],
        mono=True, size=11.5, step=24,
    )  # fmt: skip
    canvas.paragraph(
        472, 68,
        [
            "The signature of a call: the dtypes",
            "and shapes of its tensors, and the",
            "values of its Python arguments.",
            "Each signature is traced once.",
            "Pass a tensor where the value",
            "changes, not a Python number.",
        ],
        size=12.5, tone="muted", step=19,
    )  # fmt: skip
    columns = ((24, "the call"), (196, "its signature"), (312, "tracing: Python runs"), (516, "running: the graph"))
    for x, heading in columns:
        canvas.text(x, 204, heading, size=12.5, tone="muted", bold=True)
    for number, (call, signature, traced, printed, result) in enumerate(CALLS):
        _call(canvas, 216 + number * ROW, call, signature, traced, printed, result)
    return canvas


def _call(canvas: Canvas, y: float, call: str, signature: str, traced: bool, printed: str, result: str) -> None:
    middle = y + 46
    canvas.box(24, y + 18, 146, 56, "muted")
    canvas.paragraph(34, middle - 5, ["norm(tf.constant(", f"  {call}))"], size=12, mono=True)
    canvas.arrow([(172, middle), (194, middle)])
    canvas.chip(196, middle, signature, "purple", mono=True)
    if traced:
        canvas.arrow([(288, middle), (310, middle)], "orange")
        canvas.box(312, y + 12, 176, 68, "orange")
        canvas.text(400, y + 39, "traces norm", size=13, anchor="middle", tone="orange", bold=True)
        canvas.text(400, y + 62, f"prints: {printed}", size=12, anchor="middle", mono=True)
        canvas.arrow([(490, middle), (514, middle)], "orange")
    else:
        canvas.arrow([(288, middle), (514, middle)], "blue", dashed=True)
        canvas.text(400, middle - 9, "the same signature:", size=12.5, anchor="middle", tone="muted")
        canvas.text(400, middle + 20, "nothing to trace", size=12.5, anchor="middle", tone="muted")
    canvas.box(516, y + 12, 166, 68, "blue")
    for number, op in enumerate(("mul", "sum", "sqrt")):
        x = 526 + number * 51
        canvas.box(x, middle - 13, 44, 26, "ink", radius=13, border=1.2)
        canvas.text(x + 22, middle + 4, op, size=12, anchor="middle", mono=True)
        if number:
            canvas.line([(x - 7, middle), (x, middle)], "blue", width=1.5)
    if not traced:
        canvas.text(599, y + 95, "the graph of the first call", size=12, anchor="middle", tone="blue")
    canvas.arrow([(684, middle), (704, middle)], "blue")
    canvas.text(708, middle + 5, result, size=13, mono=True, bold=True)

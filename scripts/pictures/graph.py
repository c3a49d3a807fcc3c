"""A graph with a Python function in it: values flow forward through it, and gradients flow back."""

from __future__ import annotations

from scripts.pictures.canvas import Canvas

CODE = [
    [("def ", "purple"), ("log_huber(x, m):", "ink")],
    [("    if ", "purple"), ("tf.abs(x) <= m:", "ink")],
    [("        return ", "purple"), ("x**2", "ink")],
    [("    return ", "purple"), ("m**2 * (1 + tf.math.log((x / m)**2))", "ink")],
]


def draw() -> Canvas:
    """The picture."""
    canvas = Canvas(
        900, 250, "A graph with a Python function in it",
        "A graph: a placeholder x and a matrix product feed a Python function, whose result goes to a mean, the loss. "
        "Values flow from left to right. Gradients flow from right to left, through the function too.",
    )  # fmt: skip
    nodes = ((20, 60, "x", 22), (128, 90, "matmul", 6), (706, 80, "mean", 6), (830, 56, "loss", 22))
    for x, width, label, radius in nodes:
        canvas.box(x, 84, width, 44, "blue", radius=radius)
        canvas.text(x + width / 2, 111, label, anchor="middle")
    canvas.box(266, 28, 392, 156, "orange", radius=6, border=2)
    canvas.text(462, 52, "tf.py_function: your Python as an op", anchor="middle", bold=True)
    canvas.paragraph(284, 84, CODE, step=24, size=12.5, mono=True)
    for left, right in ((80, 126), (218, 264), (659, 704), (786, 828)):
        canvas.arrow([(left, 98), (right, 98)], "blue")
        canvas.arrow([(right + 2, 116), (left + 3, 116)], "orange", dashed=True)
    canvas.arrow([(30, 216), (74, 216)], "blue")
    canvas.text(86, 221, "values: NumPy arrays, or compiled by XLA on request", size=13)
    canvas.arrow([(504, 216), (460, 216)], "orange", dashed=True)
    canvas.text(516, 221, "gradients, of any order, through the function too", size=13)
    return canvas

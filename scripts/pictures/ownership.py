"""The owner of an array: a function's argument, a library that reads DLPack, a worker process."""

from __future__ import annotations

from scripts.pictures.canvas import Canvas

WIDTH, GAP = 268.0, 24.0


def draw() -> Canvas:
    """The picture."""
    canvas = Canvas(
        900, 476, "Who owns an array",
        "Three ways of a tensor to Python code. A function's argument: handed over if it is the last use of the "
        "array, else copied, so that the function may write into it. Another library, through DLPack or NumPy: a copy. "
        "A worker process: a copy in shared memory, and the result is copied back. The tensor keeps its values.",
    )  # fmt: skip
    canvas.text(24, 36, "No function changes the memory of another", size=17, bold=True)
    canvas.text(
        24, 58, "Your code may write into the array that it gets. The tensor keeps its values.", size=13, tone="muted"
    )
    _argument(canvas, 24)
    _library(canvas, 24 + WIDTH + GAP)
    _worker(canvas, 24 + 2 * (WIDTH + GAP))
    return canvas


def _panel(canvas: Canvas, x: float, title: str, code: str) -> None:
    canvas.box(x, 78, WIDTH, 374, "grid", radius=10, border=1)
    canvas.text(x + 16, 106, title, size=15, bold=True)
    canvas.text(x + 16, 128, code, size=11.5, mono=True, tone="muted")


def _array(canvas: Canvas, x: float, y: float, values: str, tone: str, owner: str) -> None:
    cells = values.split()
    width = 38.0
    for number, cell in enumerate(cells):
        changed = cell.startswith("*")
        canvas.box(x + number * width, y, width, 30, "red" if changed else tone, radius=3)
        text = cell.removeprefix("*")
        canvas.text(x + (number + 0.5) * width, y + 20, text, size=13, mono=True, anchor="middle", bold=changed)
    canvas.text(x, y - 8, owner, size=12, tone=tone, bold=True)


def _argument(canvas: Canvas, x: float) -> None:
    _panel(canvas, x, "A function's argument", "tf.numpy_function(f, [t], ...)")
    _array(canvas, x + 20, 172, "1 2 3", "blue", "the tensor t")
    canvas.arrow([(x + 48, 206), (x + 48, 312)], "orange")
    canvas.paragraph(x + 60, 236, ["still used elsewhere:", "copied before the call"], size=12.5, tone="orange")
    canvas.arrow([(x + 48, 206), (x + 48, 312)], "orange")
    canvas.paragraph(x + 60, 280, ["the last use: handed over", "without a copy"], size=12.5, tone="green")
    _array(canvas, x + 20, 336, "*0 2 3", "orange", "what f gets, and may change")
    canvas.paragraph(
        x + 16, 396, ["copy=False: a read-only view; a", "write is an error. For large arrays", "that f only reads."],
        size=12, tone="muted", step=18,
    )  # fmt: skip


def _library(canvas: Canvas, x: float) -> None:
    _panel(canvas, x, "Another library", "torch.from_dlpack(t), np.asarray(t)")
    _array(canvas, x + 20, 172, "1 2 3", "blue", "the tensor t")
    canvas.arrow([(x + 48, 206), (x + 48, 312)], "orange")
    canvas.paragraph(
        x + 60, 236, ["DLPack, __array__ and", "memoryview always copy:", "PyTorch ignores the", "read-only flag"],
        size=12.5, tone="orange",
    )  # fmt: skip
    _array(canvas, x + 20, 336, "1 2 *9", "orange", "the library's array")
    canvas.paragraph(
        x + 16, 396,
        ["Also for variables, constants and", "the elements of datasets, inside", "functions and outside."],
        size=12, tone="muted", step=18,
    )  # fmt: skip


def _worker(canvas: Canvas, x: float) -> None:
    _panel(canvas, x, "A worker process", 'executor="processes"')
    _array(canvas, x + 20, 172, "1 2 3", "blue", "the tensor t, in this process")
    canvas.arrow([(x + 48, 206), (x + 48, 312)], "orange")
    canvas.paragraph(x + 60, 236, ["copied into", "shared memory"], size=12.5, tone="orange")
    canvas.line([(x + 8, 266), (x + WIDTH - 8, 266)], "muted", dashed=True)
    canvas.text(x + WIDTH - 12, 261, "parent", size=11, tone="muted", anchor="end")
    canvas.text(x + WIDTH - 12, 279, "worker", size=11, tone="muted", anchor="end")
    canvas.arrow([(x + 138, 351), (x + 198, 351), (x + 198, 200)], "green")
    canvas.text(x + 198, 192, "the result", size=12, tone="green", anchor="middle", bold=True)
    canvas.paragraph(x + 190, 293, ["dtype and shape", "checked"], size=12, tone="green", step=16, anchor="end")
    _array(canvas, x + 20, 336, "*7 2 3", "orange", "the worker's argument")
    canvas.paragraph(
        x + 16, 396, ["The function itself travels as a copy:", "what it captures changes only in", "the worker."],
        size=12, tone="muted", step=18,
    )  # fmt: skip

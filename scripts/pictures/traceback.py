"""An annotated traceback: a program fails in a Python function of its graph, and what it prints is explained."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.pictures.canvas import Canvas, Spans

PROGRAM = """\
import numpy as np
import inlay as tf

tf1 = tf.compat.v1


def scale(image):
    spread = image.std()
    if spread == 0.0:
        raise ValueError("blank image")
    return (image - image.mean()) / spread


x = tf1.placeholder(tf.float32, [8, 8])
y = tf.numpy_function(scale, [x], tf.float32, name="scale")

with tf1.Session() as sess:
    sess.run(y, {x: np.zeros((8, 8))})
"""
# Of the first line that a pattern matches: the tone, and the note beside it.
NOTES = (
    (r"^ValueError", "red", ("Your exception, as raised:", "error.__cause__")),
    (r"line 18", "blue", ("Where your program ran the graph.", "inlay's own frames are left out.")),
    (r"line 10", "orange", ("The last frame is your function:", "pdb.pm() and %debug stop here.")),
    (r"^inlay\.errors", "red", ("except ValueError catches it, too.",)),
    (r"raised in function", "orange", ("The function and its first line.",)),
    (r"called by op", "purple", ("The op, and the line that made it.",)),
    (r"inputs:", "green", ("dtypes and shapes of the arguments.",)),
    (r"\[\[", "muted", ("TensorFlow's mark, for tools.",)),
)
STEP, LEFT, NOTE = 23.0, 36.0, 534.0


@functools.cache
def printed() -> tuple[str, ...]:
    """The lines that the program writes to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(PROGRAM, encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "INLAY_FULL_TRACEBACK"}
        command = [sys.executable, str(Path(folder, "train.py"))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50)
        text = done.stderr.replace(f"{folder}/", "")
    # Newer Pythons underline calls.
    return tuple(line for line in text.rstrip().split("\n") if not re.fullmatch(r"[ ~^]+", line))


def draw() -> Canvas:
    """The picture.

    Raises:
      ValueError: the program prints no line of a note.
    """
    lines = printed()
    notes = {}
    for pattern, tone, note in NOTES:
        number = next((n for n, line in enumerate(lines) if re.search(pattern, line) and n not in notes), None)
        if number is None:
            raise ValueError(f"no line matches {pattern!r} of\n" + "\n".join(lines))
        notes[number] = (tone, note)
    height = 72 + STEP * len(lines) + 34
    canvas = Canvas(
        824, height, "A traceback, annotated",
        "A traceback of a program whose Python function fails in a session. The notes name its parts: "
        + "; ".join(" ".join(note) for _, note in notes.values()),
    )  # fmt: skip
    canvas.text(24, 36, "A traceback ends in your function", size=17, bold=True)
    canvas.text(360, 36, "and says which op called it, on which inputs", size=13, tone="muted")
    canvas.box(24, 54, 496, STEP * len(lines) + 30, "muted", border=1)
    for number, line in enumerate(lines):
        y = 82 + STEP * number
        tone, note = notes.get(number, ("", ()))
        if note:
            canvas.bar(28, y - 15, 4, STEP - 4, tone)
            end = min(LEFT + len(line) * 7.1 + 8, 514)
            canvas.line([(end, y - 4), (NOTE - 4, y - 4)], tone, width=1.2, dashed=True)
            canvas.dot(NOTE, y - 4, 3.5, tone)
            canvas.paragraph(NOTE + 12, y, note, size=12.5, tone=tone, step=17)
        canvas.text(LEFT + 4, y, _colored(line, tone), size=11.5, mono=True)
    return canvas


def _colored(line: str, tone: str) -> Spans:
    """The line with the part in its tone that the note is about."""
    if tone in ("", "muted"):
        return [(line, "muted" if tone or not line.startswith("    ") else "ink")]
    return [(line, tone)]

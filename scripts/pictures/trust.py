"""Trust: which part of a saved model needs which permission to load."""

from __future__ import annotations

from scripts.pictures.canvas import Canvas


def draw() -> Canvas:
    """The picture."""
    canvas = Canvas(
        900, 498, "What a saved function needs to load",
        "A saved model holds graphs and values, which are data, and Python functions, which are code. Loading without "
        "trust= runs nothing and names each function with its digest. Functions run if trust= names the digest of the "
        "function, the digest of the model, the key that signed it, or the module they are imported from.",
    )  # fmt: skip
    canvas.text(24, 36, "A saved function is code: it runs only if you trust it", size=17, bold=True)
    canvas.text(24, 58, "tf.saved_model.load(path, trust=...)", size=13, mono=True, tone="muted")
    _model(canvas)
    _ways(canvas)
    return canvas


def _model(canvas: Canvas) -> None:
    canvas.box(24, 84, 276, 390, "grid", radius=10, border=1)
    canvas.text(44, 112, "model/", size=15, mono=True, bold=True)
    canvas.text(44, 134, "the folder that save() wrote", size=12.5, tone="muted")
    parts = [
        ("graphs", "saved_model.pb", "data: read, checked, never run", "blue", 152),
        ("values", "variables, arrays, assets", "data", "blue", 232),
        ("functions", "pickles and import names", "code: runs only with trust=", "orange", 312),
    ]
    for name, content, note, tone, y in parts:
        canvas.box(44, y, 236, 66, tone)
        canvas.text(58, y + 22, name, size=14, bold=True, tone=tone)
        canvas.text(58, y + 40, content, size=12)
        canvas.text(58, y + 56, note, size=11.5, tone="muted")
    canvas.box(44, 392, 236, 66, "muted")
    canvas.text(58, 414, "manifest.json", size=13, mono=True)
    canvas.text(58, 432, "the size and SHA-256 of every file;", size=11.5, tone="muted")
    canvas.text(58, 448, "a signature, if the model is signed", size=11.5, tone="muted")


def _ways(canvas: Canvas) -> None:
    canvas.arrow([(282, 330), (318, 330), (318, 119), (354, 119)], "red")
    for y in (213, 281, 349, 417):
        canvas.arrow([(282, 360), (334, 360), (334, y), (354, y)], "green")
    canvas.box(356, 90, 520, 58, "red")
    canvas.text(372, 113, "no trust=", size=13.5, mono=True, bold=True)
    canvas.text(372, 134, "PermissionDeniedError names each function, its source and digest.", size=12.5)
    canvas.text(860, 113, "nothing runs", size=12, tone="red", anchor="end", bold=True)
    rows = [
        ('trust="sha256:…" of a function', "That function runs, with exactly these bytes.", "one function"),
        ('trust="sha256:…" of the model', "Every function runs; any changed byte is refused.", "this model"),
        ('trust="ed25519:…"', "Everything runs that the holder of the key signed.", "a publisher"),
        ('trust="package.module"', "Functions saved by import name, from your installation.", "your packages"),
    ]
    for number, (code, text, scope) in enumerate(rows):
        y = 184 + number * 68
        canvas.box(356, y, 520, 58, "green")
        canvas.text(372, y + 23, code, size=13, mono=True, bold=True)
        canvas.text(372, y + 44, text, size=12.5)
        canvas.text(860, y + 23, scope, size=12, tone="green", anchor="end", bold=True)
    canvas.text(
        356, 474, "inlay show model lists the functions and digests, and runs nothing.", size=12.5, tone="muted"
    )

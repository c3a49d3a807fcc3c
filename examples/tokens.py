"""A tokenizer in plain Python inside a dataset: lines of text become padded batches of numbers.

python examples/tokens.py [--out FOLDER]
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

import numpy as np
from checking import check, status
from drawing import BLUE, GRAY, HEIGHT, INK, WIDTH, Chart, blend
from saving import arguments

import inlay as tf

TEXT = """a graph calls a function
the function is plain python
it sees arrays and returns arrays
a tokenizer is such a function
so is a parser
batches are padded with zeros
the graph never sees the words"""
WORDS = Counter(re.findall(r"\w+", TEXT))
NUMBERS = {word: number for number, (word, _) in enumerate(WORDS.most_common(), 1)}


def tokenize(line: bytes) -> Any:
    """The numbers of a line's words: any Python may stand here."""
    return np.array([NUMBERS[word] for word in re.findall(r"\w+", line.decode())], np.int32)


def main() -> int:
    options = arguments(__doc__)
    lines = tf.data.Dataset.from_tensor_slices(TEXT.splitlines())
    tokens = lines.map(lambda line: tf.numpy_function(tokenize, [line], tf.int32, output_shapes=[None]))
    batch = next(tokens.padded_batch(7).as_numpy_iterator())
    check(f"seven lines are a batch of shape {batch.shape}", batch.shape == (7, 6))
    words = {number: word for word, number in NUMBERS.items()}
    text = [" ".join(words[number] for number in row if number) for row in batch]
    check("the numbers give the lines back", text == TEXT.splitlines())

    chart = Chart("A padded batch of tokens", (0, 1), (0, 1), ("", ""))
    chart.draw.rectangle((0, 32 * chart.SCALE, WIDTH * chart.SCALE, HEIGHT * chart.SCALE), "white")
    width, height = (WIDTH - 32) / batch.shape[1], (HEIGHT - 56) / batch.shape[0]
    for (row, column), number in np.ndenumerate(batch):
        x, y = 16 + column * width, 42 + row * height
        share = 1 - WORDS[words[number]] / max(WORDS.values()) if number else 0
        color = tuple(blend(share, "#bcd9f5", "#fde3c8").astype(int)) if number else "#f3f5f7"
        corners = [edge * chart.SCALE for edge in (x, y, x + width - 3, y + height - 3)]
        chart.draw.rounded_rectangle(corners, 5 * chart.SCALE, color)
        chart.text(x + (width - 3) / 2, y + 6, words.get(number, ""), INK, 11, "ma")
        chart.text(x + (width - 3) / 2, y + 19, str(number), GRAY if number == 0 else BLUE, 10, "ma")
    chart.save(options.out, "tokens")
    return status()


if __name__ == "__main__":
    sys.exit(main())

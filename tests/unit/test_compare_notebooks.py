"""Which cells of a notebook count, and when two texts are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.compare_notebooks import Cell, Tally, compare
from scripts.notebooks import code_cells, same_text


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("loss 0.50001", "loss 0.50002", True),
        ("loss 0.51", "loss 0.5", False),
        ("[1.25 0.6652409 ]", "[1.25   0.66524094]", True),
        ("took 3.5 s", "took 12.25 s", True),
        ("<f at 0x7f00>", "<f at 0x8f11>", True),
        ("a 1 2", "a 1", False),
        ("float32", "float64", False),
    ],
)
def test_texts_are_the_same_if_words_are_equal_and_numbers_near(one: str, other: str, alike: bool) -> None:
    assert same_text(one, other) is alike


def test_a_cell_counts_that_runs_there_twice() -> None:
    texts = ["a = 1", "tf.f()", "a", "broken", "a + 1", "   "]
    there = [Cell(text, "NameError" if text == "broken" else None, str(i)) for i, text in enumerate(texts)]
    here = [there[0], there[1], Cell("a", None, "other"), there[3]]
    tally, lines = compare(there, there, here)
    assert tally == Tally(cells=4, run=3, texts=3, same=2)
    assert lines == ["  cell 2 prints something else", "  cell 4 fails: the process ended"]
    assert (tally + tally).cells == 8


def test_lines_of_the_shell_are_no_source(tmp_path: Path) -> None:
    notebook = tmp_path / "a.ipynb"
    cells = [{"cell_type": "code", "source": ["!pip install x\n", "%matplotlib inline\n", "a = 1"]}]
    notebook.write_text(json.dumps({"cells": [*cells, {"cell_type": "markdown", "source": ["text"]}]}))
    assert [text.strip() for text in code_cells(notebook)] == ["a = 1"]

"""Graphs with datasets whose nodes nothing makes any more are read, with the elements that they had."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import Any

import pytest

import inlay as tf
from tests.golden.make_former_datasets import FILE, FORMER

STORED: dict[str, Any] = json.loads(FILE.read_text())


def test_every_dataset_is_there() -> None:
    assert STORED.keys() == FORMER.keys()


@pytest.mark.parametrize("name", STORED)
def test_a_graph_has_the_elements_that_it_had_and_is_written_again(name: str) -> None:
    message = tf.compat.v1.GraphDef.FromString(base64.b64decode(STORED[name]["graph"]))
    for _ in range(2):
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            tf.import_graph_def(message, name="")
            values = []
            while True:
                try:
                    values.append([int(value) for value in session.run(STORED[name]["names"])])
                except tf.errors.OutOfRangeError:
                    break
            assert values == STORED[name]["elements"]
            message = graph.as_graph_def()


READ = """
import base64, sys
import inlay as tf
with tf.Graph().as_default():
    tf.import_graph_def(tf.compat.v1.GraphDef.FromString(base64.b64decode(sys.stdin.read())))
"""


@pytest.mark.parametrize("name", ["sampled", "resampled"])
def test_a_process_that_made_no_dataset_reads_it(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ], input=STORED[name]["graph"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

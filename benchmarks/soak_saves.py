"""Processes that save over a model, again and again, are killed at random moments: the old or the new one is whole.

Each model has a number in every part that it has: a variable, a large array that a function captured, a small one, a
file. A process says the number of each model that it has saved. After its death the model is loaded: all of its parts
have one number, which is the last one that was said, or the next.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

LARGE = 1 << 16  # elements: an array of its own file
START = 60.0  # seconds that a process may take to its first model


def model_of(number: int, folder: str) -> Any:
    """A model whose parts have a number; its file is written beside."""
    import inlay as tf

    words = Path(folder, f"words-{number}")
    words.write_text(str(number))
    large, small = np.full(LARGE, number, np.int64), np.int64(number)
    model = tf.Module(name="numbered")
    model.number = tf.Variable(number, dtype=tf.int64)
    model.words = tf.saved_model.Asset(str(words))
    model.f = tf.function(
        lambda x: tf.numpy_function(lambda v: v * large[-1] + small, [x], tf.int64),
        input_signature=[tf.TensorSpec([], tf.int64)],
    )
    return model


def save(folder: str, number: int, told: Any) -> None:
    """Saves models from a number on until the process is killed, and tells of each."""
    import inlay as tf

    tf.get_logger().setLevel("ERROR")  # each model is a function traced anew
    while True:
        number += 1
        tf.saved_model.save(model_of(number, folder), f"{folder}/saved/model")
        os.unlink(f"{folder}/words-{number}")
        told.send(number)


def number_of(path: str) -> tuple[int, list[str]]:
    """The number of a saved model, and what is wrong with it."""
    import inlay as tf
    from inlay._src.saved.container import Container

    try:
        loaded = tf.saved_model.load(path, trust=Container(path).digest)
        found = [int(loaded.number), int(loaded.f(tf.constant(1, tf.int64))) // 2, int(Path(loaded.words).read_text())]
    except Exception as error:
        return -1, [f"a model is not whole: {type(error).__name__}: {error}"]
    return found[0], [f"parts of several models: {found}"] if len(set(found)) > 1 else []


def saves(seed: int, count: int, seconds: float) -> dict[str, Any]:
    """Kills saving processes `count` times."""
    import inlay as tf

    rand, end, done, last = random.Random(seed), time.monotonic() + seconds, 0, 0
    faults: list[str] = []
    processes = multiprocessing.get_context("fork")  # what saving needs is loaded by then
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/saved/model"
        for _ in range(2):  # the first loads what saving needs
            began = time.monotonic()
            tf.saved_model.save(model_of(0, folder), path)
        pause = 2 * (time.monotonic() - began)
        while done < count and time.monotonic() < end and not faults:
            here, there = processes.Pipe(duplex=False)
            saving = processes.Process(target=save, args=(folder, last, there))
            saving.start()
            there.close()
            if not here.poll(START):
                faults.append(f"hangs: no model after {START:.0f} s")
            time.sleep(rand.random() * pause)
            saving.kill()
            saving.join()
            try:
                while True:
                    last = here.recv()
            except EOFError:
                here.close()
            number, wrong = number_of(path)
            faults += wrong
            if not wrong and number not in (last, last + 1):
                faults.append(f"the model is number {number}, and {last} was saved")
            last, done = max(last, number), done + 1
        tf.saved_model.save(model_of(last, folder), path)
        left = sorted(os.listdir(f"{folder}/saved"))
        faults += [f"left behind: {left}"] if left != ["model"] else []
    return {"done": done, "wrong": 0, "saved": last, "faults": faults[:5], "start_mb": 0.0, "grown_mb": None}

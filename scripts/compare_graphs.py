"""Compare random functions that one library saves and the other one loads: values and gradients, both ways.

    python -m scripts.compare_graphs --tensorflow .envs/tensorflow/bin/python [--count 500] [--seed 0]

A function is a few steps on random inputs; a second function of the model differentiates it inside. TensorFlow saves
`count` models that are loaded here, and as many are saved here and loaded there. A model is refused if it cannot be
saved, loaded or called; it differs if a value is not the same to 1e-4 of the
largest one beside it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from scripts.graph_steps import STEPS as FIRST_STEPS
from scripts.more_graph_steps import MORE_STEPS

LIMIT = 1e-4
STEPS = {**FIRST_STEPS, **MORE_STEPS}


INPUTS = {
    "x": (1.2 * np.sin(np.arange(1.0, 13.0) ** 2) + 0.1).astype(np.float32).reshape(3, 4),  # differences are unequal
    "y": np.cos(np.arange(9, dtype=np.float32)).reshape(3, 3),
    "i": np.array([4, 1, 3, 0], np.int32),
    "s": np.array([b"ab c", b"", b"bcd"], object),
}


def _fits(kind: str, value: Any) -> bool:
    rank, dtype = value.shape.rank, value.dtype.name
    if kind == "s":
        return bool(dtype == "string")
    if kind == "i":
        return bool(dtype == "int32")
    if dtype != "float32":
        return False
    return bool(rank == 2 and value.shape[0] == 3 and value.shape[1] >= 2) if kind == "m" else rank >= 1


Program = list[tuple[str, list[int]]]
_PLACES = {"f": 0, "m": 0, "i": 2, "s": 3}


def single(number: int) -> Program:
    """A program of one kind of step alone."""
    name = list(STEPS)[number]
    return [(name, [_PLACES[kind] for kind in STEPS[name].takes])]


def drawn(tf: Any, seed: int) -> Program:
    """A random program: the name of each step, and the numbers of the values that it takes."""
    rng = random.Random(seed)
    values = [tf.constant(value) for value in INPUTS.values()]
    program: Program = []
    for _ in range(rng.randint(2, 6)):
        name = rng.choice(list(STEPS))
        step = STEPS[name]
        places = []
        for kind in step.takes:
            fitting = [i for i, value in enumerate(values) if _fits(kind, value)]
            places.append(rng.choice(fitting))
        values.append(step.call(tf, *(values[i] for i in places)))
        program.append((name, places))
    return program


def module_of(tf: Any, program: Program) -> Any:
    """The model of a program: `run` gives its values, and `slopes` the gradients of their sum."""

    def computed(inputs: list[Any]) -> list[Any]:
        values = list(inputs)
        for name, places in program:
            values.append(STEPS[name].call(tf, *(values[i] for i in places)))
        return values[len(inputs) :]

    specs = [tf.TensorSpec(v.shape, tf.string if v.dtype == object else v.dtype, k) for k, v in INPUTS.items()]
    module = tf.Module()

    @tf.function(input_signature=specs)
    def run(x: Any, y: Any, i: Any, s: Any) -> list[Any]:
        return computed([x, y, i, s])

    @tf.function(input_signature=specs)
    def slopes(x: Any, y: Any, i: Any, s: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            total = tf.add_n([tf.reduce_sum(tf.sin(v)) for v in computed([x, y, i, s])])
        return list(tape.gradient(total, [x, y], unconnected_gradients="zero"))

    module.run, module.slopes = run, slopes
    return module


def results_of(tf: Any, module: Any) -> dict[str, np.ndarray]:
    """The values of a model's functions, and the gradients of `run` by a tape around it."""
    inputs = [tf.constant(value) for value in INPUTS.values()]
    out = {f"run {n}": v.numpy() for n, v in enumerate(module.run(*inputs))}
    out |= {f"slopes {n}": v.numpy() for n, v in enumerate(module.slopes(*inputs))}
    with tf.GradientTape() as tape:
        tape.watch(inputs[:2])
        total = tf.add_n([tf.reduce_sum(tf.cos(v)) for v in module.run(*inputs)])
    gradients = tape.gradient(total, inputs[:2], unconnected_gradients="zero")
    return out | {f"tape {n}": tf.convert_to_tensor(g).numpy() for n, g in enumerate(gradients)}


def write(tf: Any, folder: Path, count: int, seed: int | None) -> None:
    """Saves models and what they give; one for each kind of step if there is no seed."""
    notes: dict[str, Any] = {}
    for number in range(count):
        try:
            program = single(number) if seed is None else drawn(tf, seed * 1_000_003 + number)
        except Exception as error:  # a step does not fit what came before: another program
            notes[str(number)] = {"skipped": f"{type(error).__name__}: {error}"[:200]}
            continue
        try:
            module = module_of(tf, program)
            np.savez(folder / f"{number}.npz", **results_of(tf, module))
        except Exception as error:
            notes[str(number)] = {"program": program, "skipped": f"{type(error).__name__}: {error}"[:300]}
            continue
        try:
            tf.saved_model.save(module, str(folder / str(number)))
            notes[str(number)] = {"program": program}
        except Exception as error:
            notes[str(number)] = {"program": program, "refused": f"save: {type(error).__name__}: {error}"[:400]}
    (folder / "notes.json").write_text(json.dumps(notes))


def read(tf: Any, folder: Path) -> None:
    """Loads models and compares what they give."""
    notes = json.loads((folder / "notes.json").read_text())
    outcomes: dict[str, str] = {}
    for number, note in notes.items():
        if "skipped" in note:
            continue
        if "refused" in note:
            outcomes[number] = note["refused"]
            continue
        with np.load(folder / f"{number}.npz") as stored:
            expected = dict(stored)
        try:
            got = results_of(tf, tf.saved_model.load(str(folder / number)))
        except Exception as error:
            outcomes[number] = f"{type(error).__name__}: {error}"[-400:]
            continue
        worst = [name for name, value in expected.items() if not _alike(got.get(name), value)]
        outcomes[number] = f"differs: {worst}" if worst else "ok"
    (folder / "outcomes.json").write_text(json.dumps(outcomes))


def _alike(one: Any, other: np.ndarray) -> bool:
    if one is None or one.shape != other.shape or one.dtype != other.dtype:
        return False
    size = float(np.max(np.abs(other), initial=1.0)) if other.dtype.kind in "fc" else 1.0
    return bool(np.allclose(one, other, rtol=LIMIT, atol=LIMIT * (size if np.isfinite(size) else 1.0), equal_nan=True))


def _report(label: str, folder: Path) -> bool:
    notes = json.loads((folder / "notes.json").read_text())
    outcomes = json.loads((folder / "outcomes.json").read_text())
    kinds = Counter(
        "ok" if o == "ok" else "differ" if o.startswith("differs") else "refused" for o in outcomes.values()
    )
    print(f"{label}: {len(outcomes)} models, {kinds['ok']} alike, {kinds['refused']} refused, {kinds['differ']} differ")
    for number, outcome in outcomes.items():
        if outcome != "ok":
            print(f"  {number} {notes[number]['program']}\n    {outcome[:300]!r}")
    return kinds["refused"] <= len(outcomes) / 100 and not kinds["differ"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", help="a Python with TensorFlow 2.21")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", action="store_true", help="each kind of step alone, instead of random ones")
    parser.add_argument("--only", default="", help="with --each, the names of the steps, divided by commas")
    parser.add_argument("--role", choices=["write", "read"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    seed = None if options.each else options.seed
    for name in set(STEPS) - set(options.only.split(",")) if options.only else ():
        del STEPS[name]
    count = len(STEPS) if options.each else options.count
    if options.role is not None:
        tf = importlib.import_module("tensorflow")
        if options.role == "write":
            write(tf, options.folder, count, seed)
        else:
            read(tf, options.folder)
        return
    ours = importlib.import_module("inlay")

    def theirs(role: str, folder: Path) -> None:
        command = [options.tensorflow, "-m", "scripts.compare_graphs", "--role", role, "--folder", str(folder)]
        command += ["--count", str(options.count), "--seed", str(options.seed)] + ["--each"] * options.each
        command += ["--only", options.only] if options.only else []
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1])

    with tempfile.TemporaryDirectory() as temporary:
        here, there = Path(temporary) / "here", Path(temporary) / "there"
        here.mkdir()
        there.mkdir()
        theirs("write", there)
        read(ours, there)
        fine = _report("saved by TensorFlow, loaded by inlay", there)
        write(ours, here, count, seed)
        theirs("read", here)
        fine = _report("saved by inlay, loaded by TensorFlow", here) and fine
    sys.exit(not fine)


if __name__ == "__main__":
    main()

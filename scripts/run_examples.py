"""Runs the programs in `examples/`, each in a process of its own and an empty folder, and says how long each took.

    python scripts/run_examples.py [--installed] [PROGRAM ...]

They run with the interpreter that runs this, which needs the library and the standard library alone; a program whose
packages are not there is left out. The exit status is 0 if all others find what they expect. `make examples-wheel`
runs it where nothing but a wheel and the packages of an extra are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
SECONDS = 300


class Program(NamedTuple):
    """How an example is run.

    Attributes:
      arguments: what makes it quick; `{out}` stands for the folder that it may save into.
      packages: what it imports besides what the library depends on.
      command: what stands between the interpreter and the program's path.
      saves: the files that are there afterwards; a picture where matplotlib is installed goes without saying.
    """

    arguments: tuple[str, ...] = ("--out", "{out}")
    packages: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    saves: tuple[str, ...] | None = None


SAVES_NOTHING = Program((), saves=())
IMAGES = ("PIL", "scipy", "skimage")


def drawn(name: str, *packages: str) -> Program:
    """A short program, whose picture Pillow draws: docs/start/gallery.md shows it."""
    return Program(packages=("PIL", *packages), saves=(f"{name}.png",))


PROGRAMS: dict[str, Program] = {
    "actor_critic.py": Program(("--episodes", "40", "--out", "{out}")),
    "augmentation.py": drawn("augmentation", "scipy", "skimage"),
    "batch_environment.py": Program(),
    "cluster.py": Program(packages=("ray",)),
    "coins.py": Program(("--crops", "12", "--out", "{out}"), IMAGES),
    "data_guide.py": SAVES_NOTHING,
    "data_performance.py": Program(("--scale", "0.1", "--out", "{out}")),
    "demo.py": Program(packages=IMAGES, saves=("demo.png",)),  # drawn by Pillow
    "detector.py": Program(),
    "environment.py": drawn("environment"),
    "foreign_network.py": Program(),
    "keras_training.py": Program(packages=("jax", "keras")),
    "load_text.py": SAVES_NOTHING,
    "mandelbrot.py": drawn("mandelbrot"),
    "metrics.py": Program(),
    "optax_training.py": Program(packages=("jax", "optax")),
    "patterns.py": drawn("patterns", "scipy"),
    "pendulum.py": drawn("pendulum", "scipy"),
    "records.py": SAVES_NOTHING._replace(packages=("PIL",)),
    "renderer.py": drawn("renderer"),
    "rotated_images.py": Program(packages=IMAGES),
    "scipy_gradients.py": Program(packages=("scipy",)),
    "side_effects.py": SAVES_NOTHING,
    "spirals.py": drawn("spirals"),
    "text_classifier.py": Program(("--epochs", "3", "--out", "{out}")),
    "tokens.py": drawn("tokens"),
    "torch_inside.py": Program(packages=("torch",)),
    "torch_training.py": Program(packages=("torch",)),
    "translation.py": SAVES_NOTHING._replace(arguments=("400",)),
    "unmodified/digits.py": Program(
        ("--out", "{out}/digits.csv"), command=("-m", "inlay", "run"), saves=("digits.csv",)
    ),
}


def missing(name: str) -> list[str]:
    """The packages that a program needs and that are not installed."""
    return [package for package in PROGRAMS[name].packages if importlib.util.find_spec(package) is None]


def saved(name: str) -> set[str]:
    """The files that a program leaves in its folder."""
    program = PROGRAMS[name]
    if program.saves is not None:
        return set(program.saves)
    stem = name.removesuffix(".py")
    return {f"{stem}.csv"} | ({f"{stem}.png"} if importlib.util.find_spec("matplotlib") is not None else set())


def run(name: str, folder: Path, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
    """Runs a program.

    Args:
      name: its path in the folder of examples.
      folder: the folder that it runs in, and saves into.
      seconds: how long it may take.

    Raises:
      subprocess.TimeoutExpired: if it takes longer.
    """
    program = PROGRAMS[name]
    arguments = [argument.format(out=folder) for argument in program.arguments]
    warnings = [] if name == "cluster.py" else ["-W", "error"]  # Ray warns
    command = [sys.executable, *warnings, *program.command, str(EXAMPLES / name), *arguments]
    # Others may run beside it: threads of BLAS that wait for a core then cost more than they save.
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ}
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=folder, env=environment)


def failure(name: str, done: subprocess.CompletedProcess[str], folder: Path) -> str | None:
    """What was wrong with a run; None if nothing was."""
    if done.returncode != 0 or "WRONG" in done.stdout:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    there = {path.name for path in folder.rglob("*.*")}
    return None if there == saved(name) else f"it left {sorted(there)}, not {sorted(saved(name))}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("programs", nargs="*", help="paths in the folder of examples; all if none is given")
    parser.add_argument("--installed", action="store_true", help="refuse to run with the library of this checkout")
    options = parser.parse_args()
    found = importlib.util.find_spec("inlay")
    if found is None or found.origin is None:
        parser.error("inlay is not installed")
    print(f"with {found.origin}")
    if options.installed and Path(found.origin).is_relative_to(ROOT / "src"):
        parser.error("that is this checkout's library, not an installed one")
    wrong, left_out = [], []
    for name in options.programs or PROGRAMS:
        if absent := missing(name):
            left_out.append(name)
            print(f"        {name}: left out, needs {', '.join(absent)}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            text = failure(name, run(name, Path(folder)), Path(folder))
            print(f"{time.perf_counter() - began:6.1f} s {name}{'' if text is None else f': {text}'}", flush=True)
        if text is not None:
            wrong.append(name)
    print(f"wrong: {', '.join(wrong)}" if wrong else "all right")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

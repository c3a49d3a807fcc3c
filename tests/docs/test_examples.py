"""The programs in `examples/` find what they expect, each in a process of its own, as a reader would start it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PROGRAMS: dict[str, tuple[list[str], list[str]]] = {
    # name -> (arguments that make it quick, the packages that it needs besides the library)
    "actor_critic.py": (["--episodes", "50"], []),
    "batch_environment.py": ([], []),
    "data_guide.py": ([], []),
    "data_performance.py": (["--scale", "0.1"], []),
    "demo.py": ([], ["PIL", "scipy", "skimage"]),
    "detector.py": ([], []),
    "foreign_network.py": ([], []),
    "keras_training.py": ([], ["jax", "keras"]),
    "load_text.py": ([], []),
    "metrics.py": ([], []),
    "optax_training.py": ([], ["jax", "optax"]),
    "records.py": ([], ["PIL"]),
    "rotated_images.py": ([], ["PIL", "scipy", "skimage"]),
    "scipy_gradients.py": ([], ["scipy"]),
    "side_effects.py": ([], []),
    "torch_training.py": ([], ["torch"]),
    "translation.py": (["400"], []),
}
SAVES_NOTHING = {"data_guide.py", "load_text.py", "records.py", "side_effects.py", "translation.py"}
ELSEWHERE = {"cluster.py"}  # needs a cluster: tests/conformance/test_local_cluster.py
SHARED = {"boxes.py", "checking.py", "saving.py"}  # what the programs import, not a program


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples_find_what_they_expect(name: str, tmp_path: Path) -> None:
    arguments, packages = PROGRAMS[name]
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    out = [] if name in SAVES_NOTHING else ["--out", str(tmp_path / "out")]
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments, *out]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=55, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WRONG" not in done.stdout and " ok " in done.stdout
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")} == saved(name)


def saved(name: str) -> set[str]:
    """The files that an example saves: a table, and a picture where matplotlib is installed."""
    if name in SAVES_NOTHING:
        return set()
    stem = name.removesuffix(".py")
    if name == "demo.py":  # its picture is Pillow's
        return {f"out/{stem}.png"}
    return {f"out/{stem}.csv"} | ({f"out/{stem}.png"} if importlib.util.find_spec("matplotlib") is not None else set())


def test_a_missing_package_is_told_in_a_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from checking import needs\nwith needs('inlay[absent]'):\n    import absent_package\n")
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=55)
    assert (done.returncode, done.stderr) == (1, "this example needs absent_package: pip install 'inlay[absent]'\n")


def test_wrong_results_are_an_exit_status(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from checking import check, status\ncheck('two is one', 2 == 1)\nraise SystemExit(status())\n")
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=55)
    assert (done.returncode, done.stdout) == (1, "  WRONG two is one\nwrong: two is one\n")


def test_every_example_is_run_and_described() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")} - SHARED
    assert programs == set(PROGRAMS) | ELSEWHERE
    rows = re.findall(r"^\| \[`(.+?)`\]\((.+?)\)", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert {name for name, _ in rows} == programs and all(name == link for name, link in rows)

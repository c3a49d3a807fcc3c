"""CONTRIBUTING.md has recipes: following one, word by word, adds what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "scripts", "tests", "docs", "benchmarks", "pyproject.toml")


def steps(title: str) -> list[tuple[str, str]]:
    """The file each step of a recipe names last, "" if none, and the code it adds there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    parts = re.findall(r"(.*?)^   ```python\n(.*?)^   ```", section, re.M | re.S)
    files = [re.findall(r"`([\w/]+\.py)`", said) for said, _ in parts]
    return [
        (named[-1] if named else "", re.sub("^   ", "", code, flags=re.M))
        for named, (_, code) in zip(files, parts, strict=True)
    ]


def run(copy: Path, *command: str) -> str:
    """What a command prints in the copy, which it imports in place of the checkout."""
    space = os.environ | {"PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}"}
    done = subprocess.run([sys.executable, *command], cwd=copy, env=space, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def append(copy: Path, title: str) -> None:
    """Follows a recipe whose steps each add code to the end of a file."""
    for name, code in steps(title):
        path = copy / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{text}\n\n{code}" if text else code, encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the checkout to add to."""
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    return tmp_path


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_following_the_text_adds_an_op_and_its_alias(copy: Path) -> None:
    (declared_in, declaration), (sampled_in, sample) = steps("To add an op")
    ((_, alias),) = steps("To add an alias")
    declaration = declaration.replace('@export("math.cube")\n', alias)
    with (copy / declared_in).open("a", encoding="utf-8") as file:
        file.write("\n\n" + declaration)
    table = copy / sampled_in
    head = "ELEMENTWISE: dict[str, Row] = {\n"
    assert head in table.read_text(encoding="utf-8")
    table.write_text(table.read_text(encoding="utf-8").replace(head, head + sample), encoding="utf-8")

    run(copy, "scripts/update_generated.py")

    assert "inlay.math.cube\n" in (copy / "tests/architecture/public_names.txt").read_text(encoding="utf-8")
    assert "def cube(x: _TensorLike, name: str | None = None) -> _Tensor:" in (
        copy / "src/inlay/math/__init__.pyi"
    ).read_text(encoding="utf-8")
    program = """
        import inlay as tf
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.cube(x)
        print(float(y), float(tape.gradient(y, x)), tf.compat.v1.math.cube is tf.math.cube)
        print(tf.compat.v1.third_power is tf.math.cube)
    """
    assert run(copy, "-c", textwrap.dedent(program)) == "8.0 12.0 True\nTrue\n"
    tests = ["tests/conformance", "tests/architecture/test_exports.py", "tests/docs/test_generated.py"]
    ran = run(
        copy,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "Cube or samples or exports or up_to_date",
        *tests,
    )
    assert int(re.findall(r"(\d+) passed", ran)[0]) > 10


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_following_the_text_adds_a_metric_an_optimizer_a_transformation_and_an_executor(copy: Path) -> None:
    for title in ("To add a metric", "To add an optimizer", "To add a dataset transformation"):
        append(copy, title)
    ((_, executor),) = steps("To add an executor")

    run(copy, "scripts/update_generated.py")

    assert "def mean_cubed_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections:" in (
        copy / "src/inlay/compat/v1/metrics.pyi"
    ).read_text(encoding="utf-8")
    program = """
        import concurrent.futures
        import inlay as tf

        with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
            value, update = tf.compat.v1.metrics.mean_cubed_error([1.0, 2.0], [3.0, 2.0], weights=[1.0, 3.0])
            sess.run(tf.compat.v1.local_variables_initializer())
            print(sess.run(update), update.op.name)
        variable = tf.Variable([1.0, 2.0])
        tf.train.SignDescentOptimizer(0.5).apply_gradients([(tf.constant([3.0, -4.0]), variable)])
        print(variable.numpy())
        dataset = tf.data.Dataset.range(5).apply(tf.data.experimental.every_other())
        iterator, resumed = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
        next(iterator)
        resumed.restore(iterator.save())
        print([int(n) for n in dataset], [int(n) for n in resumed])
    """
    calls = """
        with Counting(1) as counting:
            print(float(tf.py_function(lambda x: x + 1, [1.0], tf.float32, executor=counting)), counting.calls)
    """
    printed = run(copy, "-c", textwrap.dedent(program) + executor + textwrap.dedent(calls))
    assert printed.splitlines() == [
        "2.0 mean_cubed_error/update_op",
        "[0.5 2.5]",
        "[0, 2, 4] [2, 4]",
        "2.0 1",
    ]

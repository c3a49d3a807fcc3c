"""What works without the extras: all but what says which one it needs."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import inlay as tf
from tests.architecture.sources import ROOT

EXTRAS = ("jax", "jaxlib", "scipy", "PIL", "torch", "ray", "re2", "google_crc32c", "threadpoolctl")
TABLES = ("control", "functions", "gradients", "graphs", "host_functions", "optimizers", "sessions", "variables")
"""Of the programs recorded from TensorFlow."""
NEEDS_JAX = {"gradients: hessians"}  # of an op whose gradient is derived from its kernel


def without_extras(code: str) -> str:
    """What a fresh interpreter prints that cannot import the packages of the extras."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\nimport inlay as tf\n"
    done = subprocess.run(
        [sys.executable, "-c", blocked + textwrap.dedent(code)], capture_output=True, text=True, timeout=55, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_recorded_programs_give_the_same() -> None:
    code = f"""
        from tests.golden.test_programs import DIFFERENT, PROGRAMS, RECORDED, compare
        left_out = {{*DIFFERENT, *{NEEDS_JAX!r}}}
        names = [n for n in PROGRAMS if n.partition(":")[0] in {TABLES!r} and n not in left_out]
        for name in names:
            compare(PROGRAMS[name](tf), RECORDED[name], name)
        print(len(names) > 100)
    """
    assert without_extras(code) == "True\n"


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("tf.function(lambda x: x * 2.0, jit_compile=True)(tf.constant(1.0))", "jax"),
        ("gradients_of(tf.linalg.qr, tf.eye(2))", "jax"),
        ("tf.math.erf(1.0)", "scipy"),
        ("tf.linalg.sqrtm(tf.eye(2))", "scipy"),
        ("tf.io.decode_png(b'text')", "data"),
        ("tf.RayExecutor()", "ray"),
        ("tf.numpy_function(abs, [1], tf.int32, executor='ray')", "ray"),
    ],
)
def test_what_needs_an_extra_names_it(call: str, extra: str) -> None:
    code = f"""
        def gradients_of(function, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)
        try:
            {call}
        except ImportError as error:
            print(error)
    """
    assert f"pip install 'inlay[{extra}]'" in without_extras(code)


def test_a_device_that_is_missing_is_told_with_the_extra_that_brings_it() -> None:
    code = """
        import logging
        logging.basicConfig(stream=sys.stdout, format="%(message)s")
        with tf.device("/GPU:7"):
            print(tf.add(1, 2).numpy())
    """
    assert without_extras(code).splitlines() == [
        "/device:GPU:7 is not there: what asks for it runs on the CPU. Accelerators need JAX: pip install 'inlay[jax]'",
        "3",
    ]


def test_patterns_and_records_do_without_their_packages(tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    code = f"""
        print(tf.strings.regex_replace(["a1b22"], "[[:digit:]]+", "<\\\\0>").numpy().tolist())
        with tf.io.TFRecordWriter({path!r}) as writer:
            writer.write(b"text" * 1000)
        print([len(record.numpy()) for record in tf.data.TFRecordDataset({path!r})])
    """
    assert without_extras(code) == "[b'a<1>b<22>']\n[4000]\n"
    assert [len(record.numpy()) for record in tf.data.TFRecordDataset(path)] == [4000]  # by the package


def test_a_convolution_leaves_the_threads_to_blas() -> None:
    code = "print(tf.nn.conv2d(tf.ones([2, 32, 32, 16]), tf.ones([3, 3, 16, 16]), 1, 'VALID').numpy().max())"
    assert without_extras(code) == "144.0\n"


def test_wishes_for_compilation_are_left_unfulfilled() -> None:
    code = """
        tf.config.optimizer.set_jit(True)
        print(tf.function(lambda x: tf.reduce_sum(tf.exp(x - x) * 2.0 + 1.0))(tf.ones([3])).numpy())
    """
    assert without_extras(code) == "9.0\n"

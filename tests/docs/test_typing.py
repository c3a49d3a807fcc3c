"""Type checkers and editors see every public name, with its signature, though `inlay` loads late."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scripts.update_public_names import LIST
from tests.architecture.sources import PACKAGE

SETTINGS = {"typeCheckingMode": "standard", "reportUnknownMemberType": "error", "reportUnknownVariableType": "error"}
SIGNATURES = {
    "inlay.math.erf": "(x: TensorLike, name: str | None = None) -> Tensor",
    "inlay.compat.v1.nn.relu": "(features: TensorLike, name: str | None = None) -> Tensor",
    "inlay.nn.leaky_relu": "(features: TensorLike, alpha: Any = 0.2, name: str | None = None) -> Tensor",
    "inlay.float32": "DType",
    "inlay.compat.v1.Session": "type[Session]",
    "inlay.linalg.slogdet": "(input: TensorLike, name: str | None = None) -> list[Tensor]",
}

ALIAS = re.compile(r"Tensor \| Composite \| SupportsTensor \| [^,]*Sequence\[Any\]")
"""How pyright writes the alias out."""


@pytest.fixture
def touching(tmp_path: Path) -> Path:
    """A file that uses every public name, tells the types of some, and asks for one that is not there."""
    names = LIST.read_text(encoding="utf-8").split()
    lines = ["import inlay", *(f"v{i} = {name}" for i, name in enumerate(names))]
    lines += [f"reveal_type({name})" for name in SIGNATURES]
    path = tmp_path / "touching.py"
    path.write_text("\n".join([*lines, "inlay.no_such"]) + "\n", encoding="utf-8")
    return path


def _printed(*command: str) -> str:
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=150).stdout


typed_numpy = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0",
    reason="the stubs of NumPy before 2.3 give `ndarray` no default types: a bare `np.ndarray` is partly unknown",
)


@typed_numpy
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_pyright_knows_every_public_name_and_its_type(touching: Path) -> None:
    pytest.importorskip("basedpyright", reason="of the group dev: pyright, with node in the wheel")
    (touching.parent / "pyrightconfig.json").write_text(json.dumps({"include": [touching.name], **SETTINGS}))
    printed = _printed("basedpyright", "--outputjson", "-p", str(touching.parent), "--pythonpath", sys.executable)
    found = json.loads(printed)["generalDiagnostics"]
    told = [ALIAS.sub("TensorLike", d["message"]) for d in found if d["severity"] == "information"]
    assert sorted(d["message"] for d in found if d["severity"] != "information") == [
        '"no_such" is not a known attribute of module "inlay"',
        'Type of "no_such" is unknown',
    ]
    assert told == [f'Type of "{name}" is "{kind}"' for name, kind in SIGNATURES.items()]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_mypy_knows_every_public_name(touching: Path) -> None:
    printed = _printed("mypy", "--cache-dir", str(touching.parent / "cache"), str(touching))
    errors = [line.partition(" error: ")[2] for line in printed.splitlines() if " error: " in line]
    assert errors == ['Module has no attribute "no_such"  [attr-defined]']


PROGRAM = """
import inlay as tf

def double(x: tf.Tensor) -> tf.Tensor:
    return x * 2.0 + tf.math.sin(x)

@tf.function
def traced(x: tf.Tensor, k: float = 1.0) -> tf.Tensor:
    return tf.py_function(double, [x], tf.float32) * k

@tf.function(jit_compile=False)
def other(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x)

@tf.py_function(Tout=tf.float32)
def decorated(x: tf.Tensor) -> tf.Tensor:
    return -x

class Layer(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([1.0, 2.0])

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x + self.w

one, two = tf.numpy_function(lambda a: (a, a), [1.0], [tf.float32, tf.float32])
print(traced(tf.constant(1.0), k=2.0).numpy(), other(one + two), decorated(1.0), Layer()(tf.zeros([2])).shape)
print(tf.sin([1.0, 2.0]), tf.add_n([one, 2.0]), float(tf.constant(1.0).numpy()), tf.float32.is_floating)
variable = tf.Variable([1.0])
print(variable + 1.0, 2.0 - variable, -variable, variable @ [[1.0]], variable[0], tf.ragged.constant([[1]]) * 2)

def described(x: tf.Tensor) -> str:
    x.set_shape([])
    return f"{x.name} of {x.op.type} in {x.graph}: {x.eval()}, {x.numpy()}"

reveal_type(variable > 0.5)
reveal_type(traced)
reveal_type(tf.py_function(double, [1.0], tf.float32))
reveal_type(tf.py_function(double, [1.0], [tf.float32]))
reveal_type(decorated)
reveal_type(tf.float32.size)
reveal_type(Layer().__call__)
reveal_type(tf.reduce_sum(one))
"""
REVEALED = [
    "Tensor",
    "_Function[(x: Tensor, k: float = 1), Tensor]",
    "Tensor",
    "list[Tensor]",
    "(...) -> Tensor",
    "int",
    "_Function[(x: Tensor), Tensor]",
    "Tensor",
]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_misspelt_method_of_a_dataset_is_found(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import inlay as tf\ntf.data.Dataset.range(3).mapp(abs)\n", encoding="utf-8")
    printed = _printed("mypy", "--cache-dir", str(tmp_path / "cache"), str(path))
    assert '"Dataset[Tensor]" has no attribute "mapp"' in printed


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_typed_program_is_clean_under_both_checkers(tmp_path: Path) -> None:
    """ISSUE 10, point 9."""
    pytest.importorskip("basedpyright", reason="of the group dev: pyright, with node in the wheel")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": [path.name], "typeCheckingMode": "standard"}))
    printed = _printed("basedpyright", "--outputjson", "-p", str(tmp_path), "--pythonpath", sys.executable)
    found = json.loads(printed)["generalDiagnostics"]
    assert [d["message"] for d in found if d["severity"] != "information"] == []
    told = [d["message"].partition(" is ")[2].strip('"') for d in found if d["severity"] == "information"]
    assert told == REVEALED
    printed = _printed("mypy", "--cache-dir", str(tmp_path / "cache"), str(path))
    assert [line for line in printed.splitlines() if " error: " in line] == []


@typed_numpy
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_types_of_public_names_are_written_down() -> None:
    """What has no annotation, each checker guesses in its own way. pyright counts all modules but `_these`."""
    pytest.importorskip("basedpyright", reason="of the group dev: pyright, with node in the wheel")
    command = [sys.executable, "-m", "basedpyright", "--verifytypes", "inlay", "--ignoreexternal", "--outputjson"]
    # It looks for packages where the interpreter on the path does, which is another one where none was activated.
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=280, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    )
    counted = json.loads(found.stdout)["typeCompleteness"]
    unknown = [s["name"] for s in counted["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert counted["completenessScore"] >= 0.98, unknown


def test_namespaces_list_their_names() -> None:
    import inlay

    listed = LIST.read_text(encoding="utf-8").split()
    for path, namespace in {"inlay": inlay, "inlay.math": inlay.math, "inlay.contrib": inlay.contrib}.items():
        names = {n.rpartition(".")[2] for n in listed if n.rpartition(".")[0] == path}
        assert names <= set(dir(namespace)), path

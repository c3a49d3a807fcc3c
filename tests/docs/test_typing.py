"""Type checkers and editors see every public name, with its signature, though `inlay` loads late."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.update_public_names import LIST

SETTINGS = {"typeCheckingMode": "standard", "reportUnknownMemberType": "error", "reportUnknownVariableType": "error"}
SIGNATURES = {
    "inlay.math.erf": "(x: Any, name: str | None = None) -> Tensor",
    "inlay.compat.v1.nn.relu": "(features: Any, name: str | None = None) -> Tensor",
    "inlay.nn.leaky_relu": "(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor",
    "inlay.float32": "DType",
    "inlay.compat.v1.Session": "type[Session]",
    "inlay.linalg.slogdet": "(input: Any, name: str | None = None) -> list[Tensor]",
}


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


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_pyright_knows_every_public_name_and_its_type(touching: Path) -> None:
    pytest.importorskip("basedpyright", reason="of the dev extra: pyright, with node in the wheel")
    (touching.parent / "pyrightconfig.json").write_text(json.dumps({"include": [touching.name], **SETTINGS}))
    printed = _printed("basedpyright", "--outputjson", "-p", str(touching.parent), "--pythonpath", sys.executable)
    found = json.loads(printed)["generalDiagnostics"]
    told = [d["message"] for d in found if d["severity"] == "information"]
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


def test_namespaces_list_their_names() -> None:
    import inlay

    listed = LIST.read_text(encoding="utf-8").split()
    for path, namespace in {"inlay": inlay, "inlay.math": inlay.math, "inlay.contrib": inlay.contrib}.items():
        names = {n.rpartition(".")[2] for n in listed if n.rpartition(".")[0] == path}
        assert names <= set(dir(namespace)), path

"""`inlay show`, `call`, `verify` and `sign`: exit status, and errors in words."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import inlay as tf
from inlay._src.saved.container import GRAPH, OBJECTS, Container
from inlay._src.tools.command import main
from tests.unit.saved.fresh import run as run_fresh
from tests.unit.saved.hostile_models import header, sealed


def run(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit status and output of a command."""
    done = CliRunner(env=env).invoke(main, [str(a) for a in arguments])
    assert isinstance(done.exception, (SystemExit, type(None))), done.exception
    return done.exit_code, done.output


def shifted(v: Any) -> Any:
    """What the model calls."""
    return v + np.float32(1)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a Python function, a variable and two signatures."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([2.0, 3.0], name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def f(self, x: Any) -> Any:
            return {"y": tf.numpy_function(shifted, [x], tf.float32) * self.w}

        @tf.function(input_signature=[tf.TensorSpec([], tf.string, name="s")])
        def g(self, s: Any) -> Any:
            return tf.strings.join([s, "!"])

    path = tmp_path_factory.mktemp("commands") / "model"
    model = Model()
    tf.saved_model.save(model, str(path), signatures={"serving_default": model.f, "text": model.g})
    return path


@pytest.fixture
def model(written: Path, tmp_path: Path) -> Path:
    """A copy of the model, which may be changed."""
    return Path(shutil.copytree(written, tmp_path / "model"))


def digest(model: Path) -> str:
    """The digest of a model, as `--trust` takes it."""
    return f"sha256:{Container(str(model)).digest}"


def test_show_says_what_a_model_holds(written: Path) -> None:
    status, said = run("show", str(written))
    assert status == 0
    for part in (digest(written), "signed  by nobody", "serving_default(x: float32 (None, 2)) -> y: float32", "text(s:",
                 "Variables (1)", "w: float32 [2]", "Python functions (1)", "def shifted(v: Any)", "it proves nothing",
                 "PyFunc"):  # fmt: skip
        assert part in said, said


def test_show_and_verify_say_it_as_json(written: Path) -> None:
    report = json.loads(run("show", "--json", str(written))[1])
    assert (report["digest"], report["signers"]) == (digest(written), [])
    assert report["signatures"]["serving_default"]["inputs"] == {"x": "float32 (None, 2)"}
    (variable,) = report["variables"]
    assert (variable["name"], variable["dtype"], variable["shape"]) == ("w", "float32", [2])
    assert report["ops"]["PyFunc"] and report["files"] and report["functions"]
    (body,) = report["python_functions"].values()
    assert "def shifted(v: Any)" in str(body["source"])
    status, said = run("verify", "--json", str(written))
    assert (status, json.loads(said)) == (0, {"model": str(written), "digest": digest(written), "signers": []})


def test_show_passes_nothing_on_that_steers_a_terminal(model: Path) -> None:
    said = json.loads((model / OBJECTS).read_text())
    (variable,) = (o for o in said["objects"] if o["kind"] == "variable")
    variable.update(name="\x1b[2Jw", dtype="\x9b31m", shape="\ud800\x07")
    (model / OBJECTS).write_text(json.dumps(said))
    sealed(model)
    status, shown = run("show", str(model))
    assert status == 0
    assert r"\x1b[2Jw: \x9b31m \ud800\x07" in shown


def test_call_takes_arrays_and_json_and_gives_them(model: Path, tmp_path: Path) -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    y = ((x + 1) * [2.0, 3.0]).tolist()
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "x.json").write_text(json.dumps(x.tolist()))
    trust = ("--trust", digest(model))
    for given in (json.dumps(x.tolist()), f"{tmp_path}/x.npy", f"{tmp_path}/x.json"):
        status, said = run("call", str(model), "--input", f"x={given}", *trust)
        assert (status, json.loads(said)) == (0, {"y": y}), said
    for name, read in (("y.npy", lambda p: np.load(p).tolist()), ("y.json", lambda p: json.loads(p.read_text()))):
        status, said = run("call", str(model), "--input", "x=[[1,2],[3,4]]", "--output", f"y={tmp_path}/{name}", *trust)
        assert (status, said) == (0, "") and read(tmp_path / name) == y
    status, said = run("call", str(model), "--signature", "text", "--input", 's="a"', *trust)
    assert (status, json.loads(said)) == (0, {"output_0": "a!"}), said


def test_call_in_a_fresh_process_with_a_trusted_key(model: Path, tmp_path: Path) -> None:
    """Nothing but the command line is imported there."""
    pytest.importorskip("cryptography")
    status, key = run("sign", str(model), "--key", str(tmp_path / "key.pem"), "--new")
    assert status == 0 and key.startswith("ed25519:")
    np.save(tmp_path / "x.npy", np.ones((1, 2), np.float32))
    arguments = ["inlay", "call", str(model), "--input", f"x={tmp_path}/x.npy", "--trust", key.strip()]
    code = f"import runpy, sys; sys.argv = {arguments}; runpy.run_module('inlay', run_name='__main__')"
    assert json.loads(run_fresh(code, tmp_path, "-I")) == {"y": [[4.0, 6.0]]}


def test_call_runs_nothing_that_is_not_allowed(model: Path) -> None:
    status, said = run("call", str(model), "--input", "x=[[1, 2]]")
    assert status == 1 and "nothing allows to run" in said and "sha256:" in said and "Traceback" not in said


HUGE_ARRAY = header(f"({1 << 40},)")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([], 2, "serving_default takes x, got nothing"),
        (["--input", "y=[1]"], 2, "serving_default takes x, got y"),
        (["--input", "x"], 2, "expected NAME=..., got 'x'"),
        (["--input", "x=[1"], 2, "this is not JSON"),
        (["--input", "x=none.npy"], 1, "FileNotFoundError"),
        (["--input", "x=FOLDER/huge.npy"], 1, "huge.npy"),
        (["--input", "x=FOLDER/objects.npy"], 1, "objects.npy"),
        (["--input", "x=FOLDER/archive.npy"], 1, "archive.npy"),
        (["--input", "x=[[1, 2, 3]]"], 2, "takes x of shape (None, 2), got (1, 3)"),
        (["--input", 'x=["a"]'], 1, "Error: "),
        (["--input", "x=[[1, 2]]", "--output", "z"], 2, "gives y, and no z"),
        (["--input", "x=[[1, 2]]", "--output", "y=FOLDER/none/y.npy"], 1, "FileNotFoundError"),
        (["--signature", "none"], 2, "there is no signature 'none'; there are: serving_default, text"),
        (["--trust", "what I like"], 1, "trust has 'what I like'"),
    ],
)
def test_call_tells_what_is_wrong_in_words(
    written: Path, tmp_path: Path, arguments: list[str], status: int, says: str
) -> None:
    (tmp_path / "huge.npy").write_bytes(HUGE_ARRAY)
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.savez(tmp_path / "archive.npz", x=np.ones(2))
    os.rename(tmp_path / "archive.npz", tmp_path / "archive.npy")
    given = [a.replace("FOLDER", str(tmp_path)) for a in arguments]
    found, said = run("call", str(written), "--trust", digest(written), *given)
    assert (found, says in said) == (status, True), said
    assert "Traceback" not in said


def test_verify_tells_whole_from_damaged_and_who_signed(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    other = "ed25519:" + "2" * 64
    assert run("verify", str(model)) == (0, f"{model} is whole: {digest(model)}\nsigned by nobody\n")
    status, said = run("verify", str(model), "--key", other)
    assert status == 1 and "is whole, but none of these keys signed it" in said
    key = run("sign", str(model), "--key", str(tmp_path / "key.pem"), "--new")[1].strip()
    assert run("sign", str(model), "--key", str(tmp_path / "key.pem")) == (0, f"{key}\n")
    assert run("verify", str(model), "--key", other, "--key", key)[0] == 0
    assert f"signed  by {key}" in run("show", str(model))[1]
    (model / GRAPH).write_bytes(b"x")
    for verb in ("verify", "show", "call"):
        status, said = run(verb, str(model))
        assert status == 1 and f"is damaged at {GRAPH}" in said and "Traceback" not in said
    done = CliRunner().invoke(main, ["--debug", "verify", str(model)])
    assert isinstance(done.exception, tf.errors.DataLossError)


def test_sign_tells_what_is_no_key(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    (tmp_path / "text").write_text("no key")
    for arguments, status in ((["--key", str(tmp_path / "none")], 1), (["--key", str(tmp_path / "text")], 1),
                              (["--key", str(tmp_path / "text"), "--new"], 1), ([], 2)):  # fmt: skip
        found, said = run("sign", str(model), *arguments)
        assert found == status and "Error: " in said and "Traceback" not in said
    assert (tmp_path / "text").read_text() == "no key"


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    for verb in ("show", "verify", "call"):
        assert run(verb, str(tmp_path / "none"))[0] == 2
        status, said = run(verb, str(tmp_path))
        assert status == 1 and "SavedModel file does not exist at" in said and "Traceback" not in said
    assert run("show", "--help")[0] == 0

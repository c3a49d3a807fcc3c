"""`inlay show`, `call`, `verify`, `sign`, `coverage` and `convert` with models that TensorFlow wrote."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.base.protos.schema import parsed
from inlay._src.programs.graph_def.host_functions import BODY
from inlay._src.saved.container import Container
from inlay._src.saved.tensorflow_models.showing import UNPROVEN
from inlay._src.training import npz_checkpoint
from tests.unit.saved.session_models import session_model
from tests.unit.saved.test_commands import run

MODELS = Path(__file__).resolve().parents[2] / "golden" / "tensorflow_models"
CHECKPOINTS = MODELS.parent / "checkpoints"


@pytest.fixture
def of_session(tmp_path: Path) -> Path:
    """A model of TensorFlow 1, with a signature that needs an unknown op."""
    return session_model(tmp_path / "session")


# ---------------------------------------------------------------- show


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("dense", ["written by TensorFlow 2.", "tags serve", "serving_default(x: float32 (None, 2)) -> output_0: float",
                   "__call__: 1 traces", "Variables (2)", "w: float32 [2, 2]", "MatMul", UNPROVEN]),
        ("untrainable", ["still: float32 [], not trainable", "moving: float32 []\n"]),
        ("vocabulary_file", ["words.txt: 15 bytes", "Tables and other resources\n    table\n"]),
        ("host_function", ["Calls of Python (1)", "PyFunc (PyFunc in __inference_call_", "token pyfunc_0",
                           "host_functions="]),
        ("unknown_shape", ["Variable: float32 [None]"]),
    ],
)  # fmt: skip
def test_show_says_what_a_model_of_tensorflow_2_holds(name: str, parts: list[str]) -> None:
    status, said = run("show", str(MODELS / name))
    assert status == 0
    assert [part for part in parts if part not in said] == [], said


def test_show_says_what_a_model_of_tensorflow_1_holds(of_session: Path) -> None:
    status, said = run("show", str(of_session))
    assert status == 0
    for part in ("TensorFlow 1.15.0", "serving_default(numbers: float32 (None,)) -> scaled: float32 (None,)",
                 "Variables (1)", "w: float32 []\n", "1 Fancy"):  # fmt: skip
        assert part in said, said


def test_show_lists_every_graph_of_a_model(tmp_path: Path) -> None:
    path = session_model(tmp_path / "several", ["serve"], ["serve", "gpu"])
    status, said = run("show", str(path))
    assert status == 0 and "with the tags serve," in said and "with the tags gpu, serve," in said
    report = json.loads(run("show", "--json", str(path))[1])
    assert [graph["tags"] for graph in report["graphs"]] == [["serve"], ["gpu", "serve"]]


def test_show_writes_json(of_session: Path) -> None:
    report = json.loads(run("show", "--json", str(MODELS / "host_function"))[1])
    (graph,) = report["graphs"]
    assert (report["digest"], report["note"]) == (None, UNPROVEN) and report["bytes"] > 1000
    (call,) = graph["python_calls"]
    assert (call["node"], call["token"], call["op"]) == ("PyFunc", "pyfunc_0", "PyFunc")
    assert graph["functions"] == {"call": 1, "plain": 1} and graph["ops"]["functions"]["PyFunc"] == 1
    (graph,) = json.loads(run("show", "--json", str(of_session))[1])["graphs"]
    assert graph["variables"] == [{"name": "w", "dtype": "float32", "shape": [], "trainable": None}]
    assert graph["signatures"]["serving_default"]["method"] == "tensorflow/serving/predict"


def test_show_passes_nothing_on_that_steers_a_terminal(of_session: Path) -> None:
    file = of_session / "saved_model.pb"
    message = parsed(SavedModel, file.read_bytes())
    meta = message.meta_graphs[0]
    meta.meta_info_def.tags.append("\x1b[2Jtag")
    meta.meta_info_def.tensorflow_version = "\x9b31m"
    meta.graph_def.node[1].name = "w\x07"
    file.write_bytes(message.SerializeToString())
    status, said = run("show", str(of_session))
    assert status == 0 and r"\x1b[2Jtag" in said and r"\x9b31m" in said and r"w\x07: float32" in said


def test_a_damaged_model_is_reported_in_words(of_session: Path) -> None:
    (of_session / "saved_model.pb").write_bytes(b"\x0a\xff")
    for verb in ("show", "call", "coverage"):
        status, said = run(verb, str(of_session))
        assert status == 1 and "is damaged at saved_model.pb" in said and "Traceback" not in said, said


# ---------------------------------------------------------------- call, verify, sign


def test_call_calls_signatures_of_both_versions(of_session: Path, tmp_path: Path) -> None:
    status, said = run("call", str(of_session), "--input", "numbers=[1, 2]")
    assert (status, json.loads(said)) == (0, {"scaled": [3.0, 6.0]}), said
    status, said = run("call", str(MODELS / "several_signatures"), "--signature", "double", "--input", "x=[1, 2]")
    assert (status, json.loads(said)) == (0, {"doubled": [2.0, 4.0]}), said
    file = tmp_path / "y.npy"
    assert run("call", str(of_session), "--input", "numbers=[4]", "--output", f"scaled={file}") == (0, "")
    assert np.load(file).tolist() == [12.0]


def test_call_takes_the_graph_of_the_tags(tmp_path: Path) -> None:
    path = session_model(tmp_path / "several", ["serve"], ["serve", "gpu"])
    given = ["--input", "numbers=[1]"]
    status, said = run("call", str(path), *given)
    assert status == 1 and "requires a `tags=` argument" in said and "['gpu', 'serve']" in said
    status, said = run("call", str(path), *given, "--tag", "gpu", "--tag", "serve")
    assert (status, json.loads(said)) == (0, {"scaled": [3.0]})
    status, said = run("call", str(path), *given, "--tag", "train")
    assert status == 1 and "could not be found in SavedModel" in said


def test_call_says_why_a_signature_cannot_run(of_session: Path) -> None:
    status, said = run("call", str(of_session), "--signature", "fancy", "--input", "numbers=[1]")
    assert status == 1 and "fancy cannot run here" in said and "Fancy" in said and "Traceback" not in said


def test_verify_and_sign_say_that_there_is_no_manifest(of_session: Path, tmp_path: Path) -> None:
    for verb in (["verify"], ["sign", "--new", "--key", str(tmp_path / "key.pem")]):
        status, said = run(*verb, str(of_session))
        assert status == 1 and "without a manifest" in said and "inlay convert" in said and "Traceback" not in said
    assert not (tmp_path / "key.pem").exists()


# ---------------------------------------------------------------- coverage


def test_coverage_counts_the_ops_of_a_model(of_session: Path) -> None:
    assert run("coverage", str(MODELS / "dense"))[0] == 0
    status, said = run("coverage", str(of_session))
    assert status == 1
    for part in ("unknown op:\n", "1 x Fancy  in the graph; needed by fancy\n", "1 x VariableV2\n",
                 "8 of 9 ops are here"):  # fmt: skip
        assert part in said, said
    (report,) = json.loads(run("coverage", "--json", str(of_session))[1])
    (absent,) = report["absent"]
    assert (report["whole"], report["tags"], report["ops"]["Mul"]) == (False, ["serve"], 1)
    assert absent == {
        "op": "Fancy", "status": "unknown op", "nodes": 1, "functions": [""], "signatures": ["fancy"],
    }  # fmt: skip


def changed(path: Path, op: str, into: str) -> Path:
    """A model whose nodes of one op are of another one, also in functions."""
    file = path / "saved_model.pb"
    message = parsed(SavedModel, file.read_bytes())
    for meta in message.meta_graphs:
        for nodes in (meta.graph_def.node, *(f.node_def for f in meta.graph_def.library.function)):
            for node in nodes:
                node.op = into if node.op == op else node.op
    file.write_bytes(message.SerializeToString())
    return path


def test_coverage_names_the_signatures_that_need_an_op(tmp_path: Path) -> None:
    path = changed(
        Path(shutil.copytree(MODELS / "several_signatures", tmp_path / "m")), "AssignAddVariableOp", "CudnnRNNV2"
    )
    status, said = run("coverage", str(path))
    assert status == 1 and "absent: TensorFlow's op:\n" in said and "needed by count\n" in said, said


def test_coverage_names_nodes_whose_form_is_absent(of_session: Path) -> None:
    file = of_session / "saved_model.pb"
    message = parsed(SavedModel, file.read_bytes())
    nodes = message.meta_graphs[0].graph_def.node
    nodes.add(name="exit", op="Exit", input=["x"]).attr["T"].type = 1
    pool = nodes.add(name="pool", op="MaxPool", input=["image"])
    pool.attr["T"].type = 1
    for name, values in (("ksize", [1, 2, 2, 1]), ("strides", [1, 1, 1, 1])):
        pool.attr[name].list.i.extend(values)
    pool.attr["padding"].s, pool.attr["data_format"].s = b"VALID", b"NCHW_VECT_C"
    image = nodes.add(name="image", op="Placeholder")
    image.attr["dtype"].type = 1
    image.attr["shape"].shape.unknown_rank = True
    file.write_bytes(message.SerializeToString())
    status, said = run("coverage", str(of_session))
    assert status == 1 and "absent form:\n" in said and "exit (Exit): control flow as TensorFlow 1 wrote it" in said
    (report,) = json.loads(run("coverage", "--json", str(of_session))[1])
    assert {form["node"] for form in report["forms"]} >= {"exit"}


def test_coverage_reads_graphs_models_and_checkpoints(tmp_path: Path) -> None:
    graph = frozen(tmp_path)
    text = tmp_path / "graph.pbtxt"
    text.write_text(str(tf.compat.v1.GraphDef.FromString(graph.read_bytes())))
    own = tmp_path / "own"
    tf.saved_model.save(tf.Module(), str(own))
    prefix = str(CHECKPOINTS / "sharded")
    status, said = run("coverage", str(graph), str(text), str(own), prefix, f"{prefix}.index")
    assert status == 0 and said.count("3 of 3 ops are here") == 2 and said.count(f"{prefix}: checkpoint of ") == 2, said
    report = json.loads(run("coverage", "--json", prefix)[1])[0]
    assert report["kind"] == "checkpoint" and report["whole"] and all(v["dtype"] for v in report["values"].values())


def test_coverage_reads_programs_or_models(of_session: Path, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("import tensorflow as tf\ntf.constant(1)\n")
    assert run("coverage", str(program))[0] == 0
    for arguments, says in (
        ([str(program), str(of_session)], "give programs or models, not both"),
        ([str(of_session), "--fail-under", "5"], "are for programs"),
        ([str(program), str(program)], "give one script or folder, or several models"),
        ([str(tmp_path / "none")], "there is no file, folder or checkpoint"),
        ([], "Missing argument"),
    ):
        status, said = run("coverage", *arguments)
        assert (status, says in said) == (2, True), said
    (tmp_path / "no.pb").write_bytes(b"\xff")
    status, said = run("coverage", str(tmp_path / "no.pb"))
    assert status == 1 and "holds no GraphDef" in said and "Traceback" not in said


# ---------------------------------------------------------------- convert


def frozen(folder: Path) -> Path:
    """A file with a graph of `scope/y = x + 1`."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        with tf.name_scope("scope"):
            tf.add(x, 1.0, name="y")
    return Path(tf.io.write_graph(graph, str(folder), "frozen.pb", as_text=False))


@pytest.mark.parametrize(
    "named", [[], ["--input", "x", "--output", "scope/y"], ["--input", "x:0", "--output", "scope/y:0"]]
)
def test_convert_makes_a_model_of_a_frozen_graph(tmp_path: Path, named: list[str]) -> None:
    target = str(tmp_path / "model")
    status, said = run("convert", str(frozen(tmp_path)), target, *named)
    assert (status, said) == (0, f"{target} has the signature serving_default from x to scope_y\n")
    status, said = run("call", target, "--input", "x=[1, 2]")
    assert (status, json.loads(said)) == (0, {"scope_y": [2.0, 3.0]}), said
    assert run("verify", target)[0] == 0


def test_convert_freezes_a_model_of_tensorflow_1(tmp_path: Path) -> None:
    target = str(tmp_path / "converted")
    status, said = run("convert", str(session_model(tmp_path / "session", fancy=False)), target)
    assert status == 0 and "variables of TensorFlow 1 became constants" in said, said
    status, said = run("call", target, "--input", "numbers=[1, 2]")
    assert (status, json.loads(said)) == (0, {"scaled": [3.0, 6.0]}), said


def test_convert_saves_objects_again(tmp_path: Path) -> None:
    target = tmp_path / "converted"
    status, said = run("convert", str(MODELS / "several_signatures"), str(target))
    assert status == 0 and "has the signatures count, double" in said
    loaded: Any = tf.saved_model.load(str(target))
    assert loaded.signatures["double"](x=tf.constant([2.0]))["doubled"].numpy().tolist() == [4.0]
    digest = Container(str(target)).digest
    again = str(tmp_path / "again")
    assert run("convert", str(target), again, "--trust", f"sha256:{digest}")[0] == 0
    assert run("call", again, "--signature", "double", "--input", "x=[1]")[0] == 0


def test_convert_writes_an_old_checkpoint_as_a_tensor_bundle(tmp_path: Path) -> None:
    source, target = str(tmp_path / "old"), str(tmp_path / "new")
    values = {"w": (np.arange(3.0, dtype=np.float32), tf.float32), "s": (np.array([b"a"], object), tf.string)}
    npz_checkpoint.write(source, values, {"objects": [{"children": {}}]})
    assert run("convert", f"{source}.npz", target) == (0, f"{target} has 2 values\n")
    reader = tf.train.load_checkpoint(target)
    assert reader.get_tensor("w").tolist() == [0.0, 1.0, 2.0] and reader.get_tensor("s").tolist() == [b"a"]
    status, said = run("convert", source, target)
    assert status == 1 and "exists" in said
    status, said = run("convert", target, str(tmp_path / "third"))
    assert status == 1 and "is a tensor bundle already" in said


def test_convert_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    graph, occupied = frozen(tmp_path), tmp_path / "occupied"
    occupied.mkdir()
    (occupied / "file").touch()
    status, said = run("convert", str(graph), str(occupied))
    assert status == 1 and "its contents are not a saved model of inlay" in said
    status, said = run("convert", str(tmp_path / "none"), str(tmp_path / "out"))
    assert status == 1 and "there is no saved model, graph or checkpoint" in said
    session = session_model(tmp_path / "session")
    status, said = run("convert", str(session), str(tmp_path / "without"))
    assert status == 0 and "has the signatures serving_default, and lacks those that cannot run: fancy;" in said, said
    message = parsed(SavedModel, (session / "saved_model.pb").read_bytes())
    with_variable = tmp_path / "variable.pb"
    with_variable.write_bytes(message.meta_graphs[0].graph_def.SerializeToString())
    status, said = run("convert", str(with_variable), str(tmp_path / "out"), "--input", "x", "--output", "odd")
    assert status == 1 and "Fancy" in said and "Traceback" not in said
    status, said = run("convert", str(with_variable), str(tmp_path / "out"), "--input", "x", "--output", "y")
    assert status == 1 and "'w' is the state of a variable" in said
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- functions of Python


def model_that_calls(folder: Path, change: Callable[[Any], None]) -> Path:
    """A model of TensorFlow 1 that calls Python, with a change of its `GraphDef`."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        y = tf.ensure_shape(tf.numpy_function(lambda v: v, [x], tf.float32), [None])
        tf.compat.v1.saved_model.simple_save(session, folder / "m", {"x": x}, {"y": y})
    for name in ("manifest.json", "objects.json"):
        (folder / "m" / name).unlink()
    file = folder / "m" / "saved_model.pb"
    message = parsed(SavedModel, file.read_bytes())
    change(message.meta_graphs[0].graph_def)
    file.write_bytes(message.SerializeToString())
    return folder / "m"


@pytest.fixture
def calling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that calls Python by a token, in the current folder beside a module with the function."""

    def forget_body(graph: Any) -> None:
        for node in graph.node:
            if node.op == "PyFunc":
                del node.attr[BODY]
                node.attr["token"].s = b"pyfunc_7"
        del graph.library.function[:]

    (tmp_path / "its_functions.py").write_text("class Here:\n    @staticmethod\n    def double(v): return v * 2\n")
    monkeypatch.chdir(tmp_path)
    return model_that_calls(tmp_path, forget_body)


def test_a_function_that_tensorflow_did_not_save_is_supplied(calling: Path) -> None:
    status, said = run("call", str(calling), "--input", "x=[1, 2]")
    assert status == 1 and "pyfunc_7" in said and "host_functions=" in said
    supplied = ["--host-function", "pyfunc_7=its_functions:Here.double"]
    assert run("call", str(calling), "--input", "x=[1, 2]", *supplied) == (0, '{"y": [2.0, 4.0]}\n')
    status, said = run("convert", str(calling), "written", *supplied)
    assert status == 0, said
    trust = f"sha256:{Container('written').digest}"
    assert run("call", "written", "--input", "x=[3]", "--trust", trust) == (0, '{"y": [6.0]}\n')


@pytest.mark.parametrize(
    "text", ["pyfunc_7", "pyfunc_7=its_functions", "pyfunc_7=no_such:f", "pyfunc_7=its_functions:g"]
)
def test_a_function_that_is_not_there_is_refused(calling: Path, text: str) -> None:
    status, said = run("call", str(calling), "--input", "x=[1]", "--host-function", text)
    assert status == 2 and "--host-function" in said, said


def test_what_is_no_function_is_refused(calling: Path) -> None:
    status, said = run("call", str(calling), "--input", "x=[1]", "--host-function", "pyfunc_7=its_functions:__name__")
    assert (status, said) == (1, "Error: TypeError: host_functions= has a str for 'pyfunc_7', expected a function\n")
    with (
        tf.Graph().as_default(),
        tf.compat.v1.Session() as session,
        pytest.raises(TypeError, match="has a int"),
    ):
        tf.compat.v1.saved_model.load(session, ["serve"], calling, host_functions={"a": 1})


def test_a_model_of_inlay_has_its_own_functions(tmp_path: Path) -> None:
    root = tf.Module()
    tf.saved_model.save(root, tmp_path / "m")
    status, said = run("call", str(tmp_path / "m"), "--host-function", "a=json:dumps")
    assert status == 1 and "host_functions= is for models of TensorFlow" in said


@pytest.mark.parametrize("way", ["call", "convert", "in a session"])
def test_a_function_whose_bytes_were_changed_is_damage(tmp_path: Path, way: str) -> None:
    def rename_body(graph: Any) -> None:
        for function in graph.library.function:
            function.signature.name = f"body_{'0' * 64}"
        for node in graph.node:
            if BODY in node.attr:
                node.attr[BODY].func.name = f"body_{'0' * 64}"

    model_that_calls(tmp_path, rename_body)
    if way == "in a session":
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            with pytest.raises(tf.errors.DataLossError, match="it was changed"):
                tf.compat.v1.saved_model.load(session, ["serve"], tmp_path / "m")
        return
    status, said = run(way, str(tmp_path / "m"), *([str(tmp_path / "out")] if way == "convert" else []))
    assert status == 1 and "DataLossError" in said and "it was changed" in said, said

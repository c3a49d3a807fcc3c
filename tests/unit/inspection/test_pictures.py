"""Pictures as data: the items, wires and decisions of graphs, plans, datasets, saved models and parts of plans."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.pictured import picture_of
from inlay._src.engine.plan import placement
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.partition import Task, parted
from inlay._src.inspection.pictures import models, scene, scripts
from inlay._src.inspection.pictures.graphs import of_graph
from inlay._src.inspection.pictures.plans import of_parts
from inlay._src.inspection.pictures.scene import MOST_CHILDREN, Item, Picture, text, total_times
from inlay._src.inspection.pictures.times import in_words, times_of
from inlay._src.saved.loading import Inspected

v1 = tf.compat.v1


def doubled(x: Any) -> Any:
    """Twice as much."""
    return x * 2


def named(picture: Picture, name: str) -> Item:
    """The only item of a node's name."""
    (item,) = [item for item in picture.items if item.name == name]
    return item


def path(picture: Picture, item: Item) -> list[str]:
    """The labels of the containers around an item, the outermost first."""
    labels: list[str] = []
    while item.parent != -1:
        item = picture.items[item.parent]
        labels.insert(0, item.label)
    return labels


def links(picture: Picture) -> set[tuple[str, str]]:
    """The wires, by the labels of their ends."""
    return {(picture.items[w.tail].label, picture.items[w.head].label) for w in picture.wires}


def test_scopes_contain_their_nodes_and_a_scope_of_one_node_is_part_of_its_name() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        with tf.name_scope("outer"), tf.name_scope("inner"):
            y = tf.add(tf.sqrt(x, name="root"), x, name="sum")
        with tf.name_scope("alone"):
            tf.exp(y, name="grown")
    picture = picture_of(graph)
    assert path(picture, named(picture, "outer/inner/sum")) == ["outer/inner"]
    assert named(picture, "alone/grown").label == "alone/grown"
    assert links(picture) == {("x", "root"), ("root", "sum"), ("x", "sum"), ("sum", "alone/grown")}
    assert named(picture, "x").kind == "input" and named(picture, "x").detail == "float32 [?,2]"


def test_a_host_call_shows_its_function_with_its_source() -> None:
    with tf.Graph().as_default() as graph:
        tf.numpy_function(doubled, [v1.placeholder(tf.float32)], tf.float32, stateful=False, name="call")
    item = named(picture_of(graph), "call")
    assert item.kind == "host" and item.op == "doubled()"
    assert item.source == 'def doubled(x: Any) -> Any:\n    """Twice as much."""\n    return x * 2'
    facts = dict(item.facts)
    assert facts["receives"] == "NumPy arrays" and facts["stateful"].startswith("no")
    assert facts["function"].startswith("doubled (") and facts["defined at"].endswith(f"in {_here()}")


def _here() -> str:
    return "test_a_host_call_shows_its_function_with_its_source"


def test_a_node_that_runs_programs_contains_them() -> None:
    @tf.function
    def counted(n: Any) -> Any:
        return tf.while_loop(
            lambda i: i < n, lambda i: i + tf.py_function(doubled, [i], tf.TensorSpec([], tf.int32)), [0]
        )

    traced = counted.get_concrete_function(tf.TensorSpec([], tf.int32))
    picture = picture_of(traced)
    (host,) = [item for item in picture.items if item.kind == "host"]
    (loop,) = [item for item in picture.items if item.kind == "call"]
    assert path(picture, host) == [loop.label, f"body: {path(picture, host)[1].removeprefix('body: ')}"]
    assert {item.label.partition(":")[0] for item in picture.items if item.kind == "program"} == {"cond", "body"}
    assert [item.label for item in picture.items if item.kind == "output" and item.parent == -1] == ["result 0"]


def test_a_function_of_a_message_that_calls_itself_is_drawn_once() -> None:
    message = v1.GraphDef()
    function = message.library.function.add()
    function.signature.name = "down"
    function.node_def.add(name="again", op="PartitionedCall").attr["f"].func.name = "down"
    message.node.add(name="call", op="PartitionedCall").attr["f"].func.name = "down"
    picture = models.of_graph_def("recursive", message)
    assert [item.label for item in picture.items] == ["graph", "call", "f: down", "again"]
    assert ("runs", "f: down") in picture.items[-1].facts


def test_a_picture_shows_the_decisions_of_a_plan_and_their_reasons() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [100_000], name="x")
        one = tf.sqrt(x, name="one")
        two = tf.sqrt(x, name="two")
        three = tf.add(tf.constant(1.0, name="a"), tf.constant(2.0, name="b"), name="three")
        product = tf.multiply(one, tf.ones([], name="ones"), name="product")
        tf.exp(x, name="unused")
        total = tf.add(tf.add(product, two, name="sum"), three, name="total")
        picture = of_graph(graph, session.plan(total, (x,)))
    decisions = {item.name: dict(item.decisions) for item in picture.items}
    assert "one has the same op" in decisions["two"]["merged"]
    assert "its inputs are constants" in decisions["three"]["folded"]
    assert "multiplies by ones" in decisions["product"]["folded"] and "of one" in decisions["product"]["folded"]
    assert "no fetched result" in decisions["unused"]["not needed"]
    assert "block by block: one, sum, total" in decisions["total"]["fused"]
    idle = {item.name for item in picture.items if item.idle}
    assert {"two", "three", "product", "unused"} <= idle and not {"one", "sum", "total", "x"} & idle


def test_many_unneeded_nodes_are_on_a_shelf() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, name="x")
        for i in range(30):
            tf.exp(x, name=f"scope/unused_{i}")
        picture = of_graph(graph, session.plan(tf.sqrt(x, name="root"), (x,)))
    assert path(picture, named(picture, "scope/unused_7")) == ["not needed", "scope"]
    assert path(picture, named(picture, "root")) == []


def test_a_plan_says_which_nodes_its_passes_removed_and_its_pickle_does_not() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        y = tf.add(tf.sqrt(x, name="one"), tf.sqrt(x, name="two"))
    plan = build(graph, [y], [x])
    assert list(plan.removed) == [("two", "merge", "one")]
    assert list(pickle.loads(pickle.dumps(plan)).removed) == []


def test_a_placed_step_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement.device, "accelerators", lambda: {"/device:GPU:0": None})
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        number = v1.placeholder(tf.int32, name="n")
        with tf.device("/cpu:0"):
            asked = tf.sqrt(x, name="asked")
        fetches = [asked, tf.exp(x, name="free"), tf.add(number, 1, name="whole")]
        fetches.append(tf.numpy_function(doubled, [x], tf.float32, name="call"))
    placed = placement.placed(build(graph, fetches, [x, number]), placement.ANYWHERE)
    reasons = {step.name: (step.device, step.because) for step in placed.steps}
    assert reasons["asked"] == ("/device:CPU:0", "its node asked for the device")
    assert reasons["free"] == ("/device:GPU:0", "it computes with floating-point numbers")
    assert reasons["whole"][0] == "/device:CPU:0" and "no floating-point numbers" in reasons["whole"][1]
    assert reasons["call"][0] == "/device:CPU:0" and "a host function" in reasons["call"][1]
    assert "placed" in dict(named(picture_of(placed), "free").decisions)


def test_an_executable_has_steps_cells_and_host_functions() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        variable = v1.get_variable("v", [2])
        y = tf.numpy_function(doubled, [x], tf.float32, name="call") + variable
        executable = session.executable(y, (x,))
    picture = picture_of(executable)
    assert named(picture, "call").source.startswith("def doubled")
    assert {(item.label, item.kind) for item in picture.items} >= {("x:0", "input"), ("fetch 0", "output")}
    assert "variable" in {item.kind for item in picture.items}
    assert links(picture) >= {("x:0", "call"), ("call", "add"), ("add", "fetch 0")}
    assert {item.kind for item in picture_of(executable.plan).items} == {item.kind for item in picture.items}


def test_a_picture_of_a_function_runs_none_of_its_calls() -> None:
    calls: list[Any] = []

    def noted(x: Any) -> Any:
        calls.append(x)
        return x

    @tf.function
    def pure() -> Any:
        return tf.numpy_function(noted, [1.0], tf.float32, stateful=False)

    picture = picture_of(pure.get_concrete_function())
    assert calls == [] and dict(picture.facts)["plan"] == "none yet: the function was not called"


def test_a_dataset_shows_its_stages_and_the_program_of_its_function() -> None:
    source = tf.data.Dataset.range(10)
    mapped = source.map(lambda x: tf.numpy_function(doubled, [x], tf.int64), num_parallel_calls=2, executor="threads")
    picture = picture_of(mapped.batch(2))
    stages = [item.label for item in picture.items if item.kind == "stage"]
    assert stages == ["Range", "ParallelMap", "Batch"]
    assert links(picture) >= {("Range", "ParallelMap"), ("ParallelMap", "Batch"), ("Batch", "elements")}
    (host,) = [item for item in picture.items if item.kind == "host"]
    assert path(picture, host)[0] == "ParallelMap" and host.source.startswith("def doubled")
    assert "which the program asked for" in dict(named(picture, "ParallelMap").decisions)["placed"]


class Scorer(tf.Module):
    """Two functions, one with a host call."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(2.0, name="weight")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def twice(self, x: Any) -> Any:
        return tf.numpy_function(doubled, [x], tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def scaled(self, x: Any) -> Any:
        return x * self.weight


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("pictures") / "model")
    scorer = Scorer()
    tf.saved_model.save(scorer, folder, signatures={"serving_default": scorer.scaled})
    return folder


def test_a_loaded_model_shows_its_functions_with_saved_sources(model: str) -> None:
    loaded = tf.saved_model.load(model, trust=[f"sha256:{Inspected(model).container.digest}"])
    picture = picture_of(loaded)
    assert {i.label for i in picture.items if i.kind == "program" and i.parent == -1} >= {"twice", "scaled"}
    (host,) = [item for item in picture.items if item.kind == "host"]
    assert host.source.startswith("def doubled(x: Any)")
    assert ("weight:0", "float32 ()") in picture.facts


def test_a_saved_model_is_drawn_without_being_loaded(model: str) -> None:
    picture = models.of_inspected(Inspected(model))
    (host,) = [item for item in picture.items if item.kind == "host"]
    assert host.source.startswith("def doubled(x: Any)") and dict(host.facts)["digest"].startswith("sha256:")
    assert dict(picture.facts)["signature serving_default"] == "x: float32 () → output_0: float32 ()"
    names = {item.op for item in picture.items}
    assert {"Mul", "ReadVariableOp"} <= names


def _task(device: str, step: str) -> Task:
    return "w", int(device.rpartition("task:")[2] or 0)


def test_functions_that_call_one_another_twice_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "MOST_ITEMS", 200)
    message = v1.GraphDef()
    for i in range(20):
        function = message.library.function.add()
        function.signature.name = f"f{i}"
        for call in ("a", "b"):
            function.node_def.add(name=call, op="PartitionedCall").attr["f"].func.name = f"f{i + 1}"
    message.node.add(name="call", op="PartitionedCall").attr["f"].func.name = "f0"
    assert len(models.of_graph_def("doubling", message).items) < 400


def test_parts_of_a_plan_contain_the_steps_of_their_task() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        with tf.device("/job:w/task:0"):
            first = tf.sqrt(x, name="first")
        with tf.device("/job:w/task:1"):
            second = tf.exp(first, name="second")
    plan = build(graph, [second], [x])
    picture = of_parts(plan, parted(plan, _task, {}))
    assert path(picture, named(picture, "first")) == ["part 0 on /job:w/task:0"]
    assert path(picture, named(picture, "second")) == ["part 1 on /job:w/task:1"]
    assert ("first", "second") in links(picture)
    assert "its node asked for /job:w/task:1" in dict(named(picture, "second").decisions)["placed"]


def test_a_crowded_container_is_divided() -> None:
    picture = Picture("crowded")
    for i in range(MOST_CHILDREN**2 + 1):
        picture.add(f"n{i}", "op")
    picture.finished()
    inside = picture.children()
    assert all(len(own) <= MOST_CHILDREN for own in inside.values())
    assert sum(1 for _ in picture.leaves()) == MOST_CHILDREN**2 + 1
    assert picture.items[inside[-1][0]].label.startswith("n0 … ")


def test_pictures_within_a_picture_keep_their_wires() -> None:
    inner = Picture("inner")
    inner.wire(inner.add("a", "op"), inner.add("b", "op"), "value")
    whole = Picture("whole")
    whole.include("first", inner.finished())
    other = Picture("other")
    other.wire(other.add("c", "op"), other.add("d", "op"))
    whole.include("second", other)
    assert links(whole) == {("a", "b"), ("c", "d")}
    assert path(whole, whole.items[-1]) == ["second"]


def test_the_time_of_a_container_is_that_of_its_items_and_a_call_includes_its_program() -> None:
    picture = Picture("times")
    scope = picture.add("scope", "scope")
    picture.add("a", "op", scope, "a")
    picture.add("b", "op", scope, "b")
    call = picture.add("call", "call", -1, "call")
    picture.add("c", "op", call, "c")
    assert total_times(picture, {"a": 1, "b": 2, "call": 10, "c": 4}) == [3, 1, 2, 10, 4]


def test_times_are_a_mapping_or_the_step_stats_of_a_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        report = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(
            tf.numpy_function(doubled, [tf.constant(1.0)], tf.float32, name="call"),
            options=options,
            run_metadata=report,
        )
    assert times_of(report)["call"] > 0 and times_of(report.step_stats) == times_of(report)
    assert times_of({"a": np.float32(2.0)}) == {"a": 2.0} and times_of(None) == {}
    with pytest.raises(TypeError, match="step_stats of a RunMetadata, or map step names to microseconds; got a list"):
        times_of([1])
    for wrong in (-1, float("nan"), "soon"):
        with pytest.raises(ValueError, match=r"the time of 'a' must be a number of microseconds"):
            times_of({"a": wrong})


@pytest.mark.parametrize(("time", "words"), [(0.5, "0.5 us"), (1234.0, "1.23 ms"), (2.5e6, "2.5 s")])
def test_a_time_has_three_figures(time: float, words: str) -> None:
    assert in_words(time) == words


def test_texts_show_the_characters_that_steer() -> None:
    assert text("a\x1b[31mred\u202eder\x00\n") == r"a\x1b[31mred\u202eder\x00\n"
    assert text("line\n\tnext\x07", lines=True) == "line\n\tnext\\x07"
    assert text("\uffff\ud800") == "\ufffd\\ud800"
    assert len(text("x" * 10_000)) == 401


def test_names_nested_deeper_than_any_program_are_drawn() -> None:
    picture = Picture("deep")
    scope, label = picture.scope("/".join("a" * 5000), -1)
    picture.add(label, "op", scope)
    picture.add("other", "op", scope)
    assert total_times(picture.finished(), {}) and len(picture.items) < 50


def test_a_script_shows_what_its_module_holds() -> None:
    graph = tf.Graph()
    with graph.as_default():
        v1.placeholder(tf.float32, name="x")
    picture = scripts.of_script("train.py", {"graph": graph, "again": graph, "data": tf.data.Dataset.range(3), "n": 1})
    labels = [item.label for item in picture.items if item.parent == -1]
    assert labels[:2] == ["graph", "data"]


def test_files_are_written(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(3).batch(2)
    dataset.to_svg(tmp_path / "data.svg")
    dataset.to_html(tmp_path / "data.html", times={"Batch": 12})
    assert (tmp_path / "data.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert "12" in (tmp_path / "data.html").read_text(encoding="utf-8")

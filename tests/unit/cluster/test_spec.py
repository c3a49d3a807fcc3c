"""`ClusterSpec` and the resolvers answer as TensorFlow's do (recorded from 2.21)."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf
from inlay._src.cluster.spec import ClusterSpec, ServerDef
from inlay._src.programs.session.options import ClusterDef

JOBS = {"worker": ["localhost:1", "localhost:2"], "ps": {3: "a:1"}}
resolvers = tf.distribute.cluster_resolver


def test_a_specification_says_what_there_is() -> None:
    spec = tf.train.ClusterSpec(JOBS)
    assert spec.as_dict() == JOBS
    assert spec.jobs == ["worker", "ps"]
    assert (spec.num_tasks("worker"), spec.task_indices("ps"), spec.task_address("worker", 1)) == (
        2,
        [3],
        "localhost:2",
    )
    assert spec.job_tasks("ps") == [None, None, None, "a:1"]
    assert repr(spec) == str(spec) == "ClusterSpec({'ps': {3: 'a:1'}, 'worker': ['localhost:1', 'localhost:2']})"
    assert spec and not tf.train.ClusterSpec({})


def test_equal_specifications_are_equal_and_messages_give_them_back() -> None:
    spec = ClusterSpec(JOBS)
    assert spec == ClusterSpec(spec) == ClusterSpec(spec.as_dict()) == ClusterSpec(spec.as_cluster_def())
    assert spec != JOBS and spec != ClusterSpec({"worker": ["localhost:1"]})
    assert hash(spec) == hash(ClusterSpec({"ps": {3: "a:1"}, "worker": {1: "localhost:2", 0: "localhost:1"}}))
    assert [job.name for job in spec.as_cluster_def().job] == ["ps", "worker"]
    assert isinstance(spec.as_cluster_def(), ClusterDef)
    assert repr(ServerDef(job_name="ps", task_index=3)) == 'job_name: "ps"\ntask_index: 3\n'


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s: s.num_tasks("x"), "No such job in cluster: 'x'"),
        (lambda s: s.task_indices("x"), "No such job in cluster: 'x'"),
        (lambda s: s.job_tasks("x"), "No such job in cluster: 'x'"),
        (lambda s: s.task_address("worker", 5), "No task with index 5 in job 'worker'"),
    ],
)
def test_what_there_is_not_is_told(ask: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ask(ClusterSpec(JOBS))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("x", "`cluster` must be a dictionary"),
        ({"a": 5}, "The tasks for job 'a' must be a list or a dictionary from integers to strings."),
        ({"a": [5]}, "Task address 5 must be bytes or unicode"),
        ({5: ["a"]}, "Job name 5 must be bytes or unicode"),
    ],
)
def test_what_is_no_specification_is_refused(given: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        ClusterSpec(given)


def test_bytes_are_text() -> None:
    assert ClusterSpec({b"w": [b"a:1"]}) == ClusterSpec({"w": ["a:1"]})


def test_a_resolver_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    config = '{"cluster":{"worker":["h:1","h:2"],"ps":["p:1"]},"task":{"type":"worker","index":"1"},"rpc_layer":"grpc"}'
    monkeypatch.setenv("TF_CONFIG", config)
    found = resolvers.TFConfigClusterResolver()
    assert found.cluster_spec() == ClusterSpec({"worker": ["h:1", "h:2"], "ps": ["p:1"]})
    assert (found.task_type, found.task_id, found.rpc_layer) == ("worker", 1, "grpc")
    assert (found.master(), found.master("ps", 0), found.master("ps", 0, "x")) == (
        "grpc://h:2",
        "grpc://p:1",
        "x://p:1",
    )
    other = resolvers.TFConfigClusterResolver("ps", 0, "q", "e")
    assert (other.master(), other.task_type, other.task_id, other.environment) == ("q://p:1", "ps", 0, "e")


def test_an_empty_environment_is_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    found = resolvers.TFConfigClusterResolver()
    assert (found.cluster_spec(), found.task_type, found.task_id, found.master()) == (ClusterSpec({}), None, None, "")


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_an_environment_that_says_nothing_is_told(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match="the environment variable TF_CONFIG"):
        resolvers.TFConfigClusterResolver()


def test_a_simple_resolver_says_what_it_was_told() -> None:
    spec = ClusterSpec(JOBS)
    found = resolvers.SimpleClusterResolver(spec, "m:1", "worker", 1, "e", {"GPU": 2}, "grpc")
    assert found.cluster_spec() is spec
    assert (found.master(), found.master("worker", 0)) == ("grpc://m:1", "grpc://localhost:1")
    assert found.master("worker", 0, rpc_layer="q") == "q://localhost:1"
    assert (found.task_type, found.task_id, found.environment, found.rpc_layer) == ("worker", 1, "e", "grpc")
    assert found.num_accelerators(config_proto=None) == {"GPU": 2}
    with pytest.raises(TypeError, match="cluster_spec must be a"):
        resolvers.SimpleClusterResolver(JOBS)

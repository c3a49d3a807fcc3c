"""A node of a cluster is killed while calls, and functions of elements, run on it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.conftest import RayCluster

RUNS, CALLS = 4, 120
BOUND = 30.0


def acts(path: bytes) -> int:
    """Says that it runs, and goes on for longer than its node."""
    with Path(path.decode()).open("a") as file:
        file.write("x")
    time.sleep(10 * BOUND)
    return 0


def squares(x: Any, where: bytes) -> Any:
    """In all but the first run some calls say on which node they run, and wait until they may go on."""
    import ray

    folder = Path(where.decode())
    if x >= CALLS and x % 10 == 0:
        (folder / ray.get_runtime_context().get_node_id()).touch()
        wait_for(folder / "go on")
    return x * x


def wait_for(path: Path) -> None:
    end = time.monotonic() + 2 * BOUND
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_killed_node_loses_no_stateless_call_and_a_stateful_one_is_reported_once(
    ray_cluster: RayCluster, tmp_path: Path
) -> None:
    log, nodes = tmp_path / "log", tmp_path / "nodes"
    nodes.mkdir()
    everywhere = tf.RayExecutor(ray_cluster.address)
    second = tf.RayExecutor(ray_cluster.address, num_cpus=0, resources={"second": 1})
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.int64, [])
        acting = tf.numpy_function(acts, [str(log)], tf.int64, name="acting", executor=second)
        calls = [
            tf.numpy_function(squares, [x + i, str(nodes)], tf.int64, stateful=False, executor=everywhere)
            for i in range(CALLS)
        ]
    with tf.compat.v1.Session(graph=graph) as session, ThreadPoolExecutor(2) as threads:
        single = threads.submit(session.run, acting)
        every = threads.submit(lambda: [session.run(calls, {x: run * CALLS}) for run in range(RUNS)])
        end = time.monotonic() + BOUND
        while not log.exists() or len(list(nodes.iterdir())) < 3:  # every node holds a call
            assert time.monotonic() < end, "the calls do not reach all nodes"
            time.sleep(0.02)
        assert not every.done()
        ray_cluster.kill_and_replace("second")
        (nodes / "go on").touch()
        with pytest.raises(
            tf.errors.UnavailableError, match="worker that ran acts .*was lost.*it was not run again"
        ) as e:
            single.result(BOUND)
        assert e.value.op is acting.op
        found = every.result(4 * BOUND)
    np.testing.assert_array_equal(np.ravel(found), np.arange(RUNS * CALLS) ** 2)
    assert log.read_text() == "x"


ELEMENTS, HELD = 600, 300


def squares_held(x: Any, where: bytes) -> Any:
    """Says on which node it began; from an element on it waits until it may go on."""
    import ray

    folder = Path(where.decode())
    time.sleep(0.001)  # so that a few elements are a task
    if x >= HELD:
        with (folder / f"{x}").open("a") as file:
            file.write(ray.get_runtime_context().get_node_id() + "\n")
        wait_for(folder / "go on")
    return x * x


def acts_first(x: Any, path: bytes) -> Any:
    return x if x else acts(path)


def begun(folder: Path) -> dict[int, list[str]]:
    """The nodes on which each element began."""
    return {int(path.name): path.read_text().split() for path in folder.iterdir() if path.name.isdigit()}


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_killed_node_loses_no_element_of_a_stateless_map_and_one_of_a_stateful_map_is_reported(
    ray_cluster: RayCluster, tmp_path: Path
) -> None:
    log, folder = tmp_path / "log", tmp_path / "begun"
    folder.mkdir()
    second = tf.RayExecutor(ray_cluster.address, num_cpus=0, resources={"second": 1})
    acting = tf.data.Dataset.range(6).map(
        lambda x: tf.numpy_function(acts_first, [x, str(log)], tf.int64), num_parallel_calls=1, executor=second
    )
    mapped = tf.data.Dataset.range(ELEMENTS).map(
        lambda x: tf.numpy_function(squares_held, [x, str(folder)], tf.int64, stateful=False),
        num_parallel_calls=8,
        executor=tf.RayExecutor(ray_cluster.address),
    )
    elements, actions = iter(mapped), iter(acting)
    with ThreadPoolExecutor(2) as threads:
        action = threads.submit(next, actions)
        every = threads.submit(lambda: [int(value) for value in elements])
        end = time.monotonic() + BOUND
        while not log.exists() or len({node for nodes in begun(folder).values() for node in nodes}) < 3:
            assert time.monotonic() < end, "the elements do not reach all nodes"
            time.sleep(0.02)
        ray_cluster.kill_and_replace("second")
        (folder / "go on").touch()
        with pytest.raises(
            tf.errors.UnavailableError,
            match=r"(?s)worker that ran this element was lost; it is not run again.*element 0 of ParallelMapDataset:1",
        ):
            action.result(2 * BOUND)
        assert every.result(2 * BOUND) == [x * x for x in range(ELEMENTS)]
    assert max(map(len, begun(folder).values())) == 2  # what ran on the node that was killed
    assert [int(value) for value in actions] == [1, 2, 3, 4, 5]
    assert log.read_text() == "x"

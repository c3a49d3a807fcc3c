"""Strategies of one replica do what TensorFlow's do with one device."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import inlay as tf

STRATEGIES: dict[str, Any] = {
    "default": tf.distribute.get_strategy,
    "one device": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    "mirrored": lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
    "mirrored, device found": tf.distribute.MirroredStrategy,
}


def where() -> tuple[bool, bool, bool]:
    d = tf.distribute
    return d.has_strategy(), d.in_cross_replica_context(), d.get_replica_context() is not None


def test_outside_there_is_one_replica() -> None:
    strategy = tf.distribute.get_strategy()
    assert where() == (False, False, True)
    with strategy.scope():
        assert where() == (False, False, True)
    assert strategy.num_replicas_in_sync == 1 and tf.distribute.get_replica_context().strategy is strategy


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "default"])
def test_a_scope_has_no_replica_and_run_has_one(name: str) -> None:
    strategy = STRATEGIES[name]()
    found: list[Any] = []

    def step(x: Any, y: float = 0.0) -> Any:
        replica = tf.distribute.get_replica_context()
        found.append((where(), replica.replica_id_in_sync_group, tf.distribute.get_strategy() is strategy))
        found.append(replica.merge_call(lambda merging, v: (merging is strategy, where(), float(v)), args=(x,)))
        return replica.all_reduce("sum", x) + y

    with strategy.scope() as entered:
        assert entered is strategy and where() == (True, True, False)
        variable = tf.Variable(1.0)
    assert strategy.run(step, args=(tf.constant(2.0),), kwargs={"y": 3.0}) == 5.0
    assert found == [((True, False, True), 0, True), (True, (True, True, False), 2.0)]
    assert where() == (False, False, True) and "CPU:0" in variable.device


@pytest.mark.parametrize("name", STRATEGIES)
def test_one_replica_has_nothing_to_reduce_but_its_batch(name: str) -> None:
    strategy = STRATEGIES[name]()
    value = tf.constant([1.0, 3.0])
    assert strategy.reduce(tf.distribute.ReduceOp.SUM, value, axis=None) is value
    assert strategy.reduce("MEAN", value, axis=0) == 2.0 and strategy.reduce("sum", value, axis=0) == 4.0
    mean = strategy.reduce("mean", tf.constant([1, 4]), axis=0)
    assert (mean.dtype, float(mean)) == (tf.float64, 2.5)
    assert {"a": 4.0} == strategy.reduce("sum", {"a": value}, axis=0)
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.reduce("max", value, axis=0)
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("max", value))
    assert strategy.experimental_local_results(value) == (value,)
    np.testing.assert_array_equal(strategy.gather(value, axis=0), [1.0, 3.0])


def test_datasets_and_values_are_those_of_the_only_replica() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    dataset = tf.data.Dataset.range(4).batch(2)
    assert [b.tolist() for b in strategy.experimental_distribute_dataset(dataset).as_numpy_iterator()] == [
        [0, 1],
        [2, 3],
    ]
    made = strategy.distribute_datasets_from_function(
        lambda c: (
            tf.data.Dataset.range(8)
            .shard(c.num_input_pipelines, c.input_pipeline_id)
            .batch(c.get_per_replica_batch_size(4))
        )
    )
    assert len(list(made)) == 2
    assert strategy.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group) == 0
    with pytest.raises(ValueError, match="The `global_batch_size` 5 is not divisible by `num_replicas_in_sync` 2"):
        tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(5)


def test_a_step_in_a_function_is_converted_and_trains() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        w = tf.Variable(4.0)

    def step(x: Any) -> Any:
        if x > 0:  # converted: x is a tensor of the graph
            w.assign_sub(x)
        return w.read_value()

    @tf.function
    def train(x: Any) -> Any:
        return strategy.reduce("sum", strategy.run(step, args=(x,)), axis=None)

    assert [float(train(tf.constant(x))) for x in (1.0, -1.0, 2.0)] == [3.0, 3.0, 1.0]


def test_graphs_place_what_runs_in_the_replica() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default():
        y = strategy.run(lambda: tf.constant(2.0) * 3)
        assert "CPU:0" in y.op.device
        with tf.compat.v1.Session() as sess:
            assert sess.run(y) == 6.0


def test_strategies_do_not_mix() -> None:
    one, two = (tf.distribute.OneDeviceStrategy("/cpu:0") for _ in range(2))
    with one.scope(), one.scope():
        with pytest.raises(RuntimeError, match="Mixing different tf.distribute.Strategy objects: <OneDeviceStrategy"):
            two.scope().__enter__()
    assert where() == (False, False, True)


def test_more_devices_are_refused_with_a_way_out() -> None:
    with pytest.raises(NotImplementedError, match=r"over 2 devices .* is not here: pass one, devices=\['/cpu:0'\]"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with pytest.raises(NotImplementedError, match="no TPU runtime. OneDeviceStrategy runs the same program"):
        tf.distribute.TPUStrategy()
    strategy = tf.distribute.get_strategy()
    for name in ("ParameterServerStrategy", "TPUStrategy"):
        refused = getattr(tf.distribute.experimental, name)
        assert not isinstance(strategy, refused)
        with pytest.raises(NotImplementedError, match=f"{name} is not supported"):
            refused()


def test_a_strategy_of_several_workers_runs_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    options = tf.distribute.experimental.CommunicationOptions(
        bytes_per_pack=8, implementation=tf.distribute.experimental.CommunicationImplementation.RING
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    assert isinstance(strategy, tf.distribute.experimental.MultiWorkerMirroredStrategy)
    assert strategy.num_replicas_in_sync == 1 and float(strategy.run(lambda: tf.constant(2.0) * 3)) == 6.0
    one = tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1", "c:1"]})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(one)
    assert tf.distribute.MultiWorkerMirroredStrategy(resolver).cluster_resolver is resolver


def test_several_workers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]}}))
    with pytest.raises(NotImplementedError, match="over 3 workers is not here: .* place parts of a graph on servers"):
        tf.distribute.MultiWorkerMirroredStrategy()
    two = tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
    with pytest.raises(NotImplementedError, match="over 2 workers"):
        tf.distribute.MultiWorkerMirroredStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(two))


def test_variables_of_central_storage_lie_where_it_computes() -> None:
    strategy = tf.distribute.experimental.CentralStorageStrategy(parameter_device="/cpu:0")
    with strategy.scope():
        assert tf.Variable(1.0).device.endswith("CPU:0")
    with pytest.raises(NotImplementedError, match="over 2 devices"):
        tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"], "/cpu:1")


def test_how_devices_reduce_is_accepted() -> None:
    for ops in (tf.distribute.HierarchicalCopyAllReduce(2), tf.distribute.NcclAllReduce()):
        strategy = tf.distribute.MirroredStrategy(cross_device_ops=ops)
        assert strategy.num_replicas_in_sync == 1
    one = tf.distribute.ReductionToOneDevice("/cpu:0")
    value = tf.constant([1.0, 2.0])
    assert one.reduce(tf.distribute.ReduceOp.SUM, value, "/cpu:0") is value
    assert one.batch_reduce(tf.distribute.ReduceOp.MEAN, [(value, None), (3.0, None)]) == [value, 3.0]
    assert one.broadcast(value, None) is value and isinstance(one, tf.distribute.CrossDeviceOps)
    with pytest.raises(ValueError, match="NcclAllReduce requires num_packs >= 0, but -1"):
        tf.distribute.NcclAllReduce(-1)
    with pytest.raises(ValueError, match="`bytes_per_pack` must be >=0"):
        tf.distribute.experimental.CommunicationOptions(-1)
    with pytest.raises(ValueError, match="not a valid CommunicationImplementation"):
        tf.distribute.experimental.CommunicationOptions(implementation="SMOKE")
    assert repr(tf.distribute.experimental.CommunicationOptions(5, 2.0)) == (
        "Options(bytes_per_pack=5,timeout_seconds=2.0, implementation=CommunicationImplementation.AUTO)"
    )


def test_a_replica_gets_sparse_gradients_as_they_are() -> None:
    def step() -> object:
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), tf.constant([4, 1]))
        return tf.distribute.get_replica_context().all_reduce("SUM", [slices, 2.0])

    slices, number = tf.distribute.OneDeviceStrategy("/cpu:0").run(step)
    assert isinstance(slices, tf.IndexedSlices) and slices.indices.numpy().tolist() == [2] and number.numpy() == 2.0


def test_a_strategy_runs_and_reduces_for_libraries_that_distribute() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    extended = strategy.extended
    variable = tf.Variable(1.0)
    with strategy.scope():
        assert float(extended.call_for_each_replica(lambda x: x * 2, args=(tf.constant(3.0),))) == 6.0
        assert float(extended.reduce_to("SUM", tf.constant(2.0), destinations=variable)) == 2.0
        assert extended.update(variable, lambda v, x: v.assign_add(x), args=(4.0,), group=False)[0].numpy() == 5.0
        assert float(strategy.experimental_run(lambda: variable + 1.0)) == 6.0
        assert int(strategy.experimental_run(lambda x: x, iter_of(7))) == 7


def iter_of(value: int) -> Any:
    return tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(value))


def test_a_variable_knows_the_strategy_in_whose_scope_it_was_created() -> None:
    outside = tf.Variable(1.0)
    one, mirrored = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy(["/cpu:0"])
    with one.scope():
        of_one = tf.Variable(1.0)
    with mirrored.scope():
        of_mirrored = tf.Variable(1.0)
    default = tf.distribute.get_strategy()
    created = {
        s: [s.extended.variable_created_in_scope(v) for v in (outside, of_one, of_mirrored)]
        for s in (default, one, mirrored)
    }
    assert created == {default: [True, False, False], one: [False, True, False], mirrored: [False, False, True]}

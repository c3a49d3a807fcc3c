"""Options of sessions and runs as messages: their fields and types, what is refused, how they print and compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

_KINDS = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RunOptions")


@rows(*_KINDS)
def misspelt_fields_are_refused(tf: Any, kind: str) -> Any:
    made = getattr(tf.compat.v1, kind)()
    return [
        refused(lambda: getattr(tf.compat.v1, kind)(no_such_field=1)),
        refused(lambda: setattr(made, "no_such_field", 1)),
        refused(lambda: made.no_such_field),
        refused(lambda: made.HasField("no_such_field")),
    ]


@rows(
    {"allow_soft_placement": "yes"}, {"inter_op_parallelism_threads": 1.5}, {"gpu_options": 3}, {"device_filters": [3]},
    {"gpu_options": {"no_such": 1}}, {"device_count": {"CPU": "x"}}, {"operation_timeout_in_ms": None},
    {"gpu_options": {"per_process_gpu_memory_fraction": "x"}}, {"gpu_options": {"visible_device_list": 3}},
)  # fmt: skip
def values_of_other_types(tf: Any, fields: Any) -> Any:
    made = refused(lambda: tf.compat.v1.ConfigProto(**fields))
    return made if type(made).__name__ == "Refused" else str(made)


def what_is_set_prints_and_compares(tf: Any) -> Any:
    v1 = tf.compat.v1
    config = v1.ConfigProto(
        device_count={"CPU": 2}, device_filters=["/job:a", "/job:b"], allow_soft_placement=True,
        gpu_options=v1.GPUOptions(allow_growth=True, allocator_type="BFC", per_process_gpu_memory_fraction=0.25),
    )  # fmt: skip
    config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
    config.session_inter_op_thread_pool.add(num_threads=3)
    other = v1.ConfigProto()
    before = [other.HasField("gpu_options"), other.gpu_options.allow_growth, other.HasField("gpu_options")]
    other.CopyFrom(config)
    same = other == config
    other.gpu_options.ClearField("allow_growth")
    other.device_count["GPU"] = 0
    merged = v1.ConfigProto(log_device_placement=True, device_filters=["/job:c"])
    merged.MergeFrom(config)
    return [
        before, same, other == config, other.gpu_options.allow_growth, config.gpu_options.allow_growth,
        sorted(other.device_count), list(merged.device_filters), merged.log_device_placement,
        [line for line in str(v1.ConfigProto(gpu_options={"allow_growth": True}, placement_period=3)).splitlines()],
        config.session_inter_op_thread_pool[0].num_threads, config.HasField("graph_options"),
    ]  # fmt: skip


def messages_are_not_assigned(tf: Any) -> Any:
    config = tf.compat.v1.ConfigProto()
    wrong = [("gpu_options", tf.compat.v1.GPUOptions()), ("device_count", {}), ("device_filters", [])]
    return [refused(lambda n=n, v=v: setattr(config, n, v)) for n, v in wrong] + [refused(lambda: hash(config))]


@rows("random_normal_initializer", "random_uniform_initializer")
def initialisers_with_a_seed_repeat(tf: Any, name: str) -> Any:
    made = getattr(tf, name)(1.0, 2.0, seed=3)
    whole = made([4, 2])
    part = made([4, 2], partition_shape=[2, 2], partition_offset=[0, 0])
    return [
        whole,
        made([4, 2]),
        part,
        refused(lambda: made([2], wrong=1)),
        tf.constant([bool(tf.reduce_all(part == whole[:2]))]),
    ]


@rows("zeros_initializer", "ones_initializer", "constant_initializer")
def parts_of_what_is_all_the_same(tf: Any, name: str) -> Any:
    made = getattr(tf, name)()
    return [made([4, 2]), refused(lambda: made([4, 2], partition_shape=[2, 2])), refused(lambda: made([4, 2], shard=1))]


def gradients_that_compute_again(tf: Any) -> Any:
    calls = []

    def body(x: Any, y: Any) -> Any:
        calls.append(1)
        return tf.sin(x) * y * v, x + y

    v, x, y = tf.Variable(2.0), tf.constant([1.0, 2.0]), tf.constant(3.0)
    again = tf.recompute_grad(body)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        first, second = again(x, y)
        total = tf.reduce_sum(first * first) + tf.reduce_sum(second)
    made = len(calls)
    return [first, second, *tape.gradient(total, [x, y, v]), made, len(calls), again.__wrapped__ is body]


_TYPES = "float32 float64 float16 bfloat16 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool complex64 complex128"


@rows(*_TYPES.split())
def a_single_element_has_a_field_of_its_type(tf: Any, dtype: str) -> Any:
    kind = tf.as_dtype(dtype)
    values = [3, [1], [[0]], [1, 2], []]
    protos = [tf.make_tensor_proto(np.array(value).astype(kind.as_numpy_dtype)) for value in values]
    return [" ".join(str(proto).split()) for proto in protos], [tf.make_ndarray(p).tolist() for p in protos[:3]]

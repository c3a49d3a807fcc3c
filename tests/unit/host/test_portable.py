"""Host functions as they are saved: the record comes back as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.site import without_folder
from inlay._src.host import portable
from inlay._src.host.bodies.portable import PortableBody
from inlay._src.host.executors.event_loop import EventLoop
from inlay._src.host.record import HostFunction


class Pair(NamedTuple):
    first: Any
    second: Any


def host_of(*args: Any, **kwargs: Any) -> HostFunction:
    """The record that a call of `py_function` in a graph makes."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        tf.py_function(args[0], [x], *args[1:], **kwargs)
    (host,) = graph.host_functions.values()
    return host  # type: ignore[no-any-return]


def again(host: HostFunction) -> HostFunction:
    body = portable.packed(host)
    return portable.opened(body, body.digest, body.variables)


@pytest.mark.parametrize(
    ("tout", "options"),
    [
        (tf.float32, {}),
        ([tf.float32, tf.int32], {"stateful": False}),
        ({"a": tf.float32, "b": (tf.string, [tf.TensorSpec([2, None], tf.int64, "n")])}, {"stateful": False}),
        (Pair(tf.float32, tf.float32), {"kwargs": {"k": [1, 2]}}),
        (tf.float32, {"output_shapes": [3], "executor": "threads"}),
        (tf.RaggedTensorSpec([None, None], tf.float32), {}),
    ],
)
def test_the_record_comes_back(tout: Any, options: dict[str, Any]) -> None:
    host = host_of(lambda x, k=None: x, tout, **options)
    got = again(host)
    assert got.outputs == host.outputs and got.executor is host.executor
    for name in ("mode", "effect", "copy"):
        assert getattr(got, name) == getattr(host, name)
    assert got.label == without_folder(host.label) != host.label and got.site == host.site.without_folder()
    assert (got.template is None) == (host.template is None)
    if host.template is not None:
        assert repr(got.template.structure) == repr(host.template.structure)  # type: ignore[union-attr]


def test_gradients_and_rules_of_shapes_travel_with_the_function() -> None:
    host = host_of(
        lambda x: x,
        tf.float32,
        grad=lambda x, y, g: [g * 7.0],
        output_shapes=lambda s: s,
        executor=tf.Threads(workers=2),
    )
    got = again(host)
    assert got.grad is not None and got.grad(0.0, 0.0, 1.0) == [7.0]
    assert got.shape_of is not None and repr(got.executor) == "Threads(workers=2)"


def test_a_coroutine_function_comes_back_on_its_loop() -> None:
    async def wait(x: Any) -> Any:
        return x

    host = host_of(wait, tf.float32)
    got = again(host)
    assert isinstance(got.executor, EventLoop) and got.executor is host.executor and type(got.fn) is type(host.fn)


def test_a_function_of_a_package_is_saved_by_name_whatever_it_declares_as_data() -> None:
    body = portable.packed(host_of(np.linalg.norm, {"a": tf.float32}))
    assert body.manifest.names == ("numpy.linalg:norm",)
    assert portable.opened(body, "numpy").fn is np.linalg.norm


def test_the_declaration_is_read_without_opening_and_damage_is_told() -> None:
    body = portable.packed(host_of(lambda x: x, tf.float32))
    said = portable.declared(body)
    assert said["mode"] == "eager"
    later = PortableBody(replace(body.manifest, declared=json.dumps({**said, "version": 99})), body.data)
    with pytest.raises(tf.errors.UnimplementedError, match="version 99"):
        portable.declared(later)
    for damaged in ("1", "{}", json.dumps({**said, "mode": "x"}), json.dumps({**said, "leaves": [1]}),
                    json.dumps({**said, "grad": 9}), json.dumps({**said, "structure": ["part", 4]})):  # fmt: skip
        changed = PortableBody(replace(body.manifest, declared=damaged), body.data)
        with pytest.raises(tf.errors.DataLossError, match="declaration of the saved function"):
            portable.opened(changed, changed.digest)

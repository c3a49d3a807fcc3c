"""Names of PyTorch, NumPy, JAX and other TensorFlows say what to use instead."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.export import lookup
from inlay._src.base.foreign_names import FOREIGN
from inlay._src.core.tensor import EagerTensor

with tf.Graph().as_default() as GRAPH:
    SYMBOLIC = tf.compat.v1.placeholder(tf.float32, [2])
    SESSION = tf.compat.v1.Session()
OBJECTS: dict[str, Any] = {
    "Tensor": SYMBOLIC,
    "Variable": tf.Variable([1.0]),
    "data.Dataset": tf.data.Dataset.range(3),
    "Session": SESSION,
    "Graph": GRAPH,
}


def advice(owner: Any, name: str) -> str:
    """The message of a lookup that fails."""
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    printed = "".join(traceback.format_exception_only(caught.value))
    assert "Did you mean" not in printed
    return str(caught.value)


@pytest.mark.parametrize(
    ("owner", "name", "way"),
    [
        (tf, "tensor", "module 'inlay' has no attribute 'tensor': tf.constant"),
        (tf, "array", "tf.constant"),
        (tf, "randn", "tf.random.normal"),
        (tf, "no_grad", "tf.GradientTape"),
        (tf, "sum", "tf.reduce_sum"),
        (tf.compat.v1, "cat", "tf.concat"),
        (tf.math, "mean", "tf.reduce_mean"),
        (tf.random, "randn", "tf.random.normal"),
        (tf.nn, "Module", "tf.Module"),
        (
            tf.data.Dataset,
            "from_list",
            "type object 'Dataset' has no attribute 'from_list': Dataset.from_tensor_slices",
        ),
        (OBJECTS["data.Dataset"], "to_list", "'Dataset' object has no attribute 'to_list': list(dataset"),
        (OBJECTS["data.Dataset"], "len", "dataset.cardinality()"),
        (tf.constant(1.0), "detach", "'EagerTensor' object has no attribute 'detach': tf.stop_gradient(x)"),
        (tf.constant(1.0), "view", "tf.reshape(x, shape)"),
        (SYMBOLIC, "numpy", "session.run(x)"),
        (SYMBOLIC, "item", "An eager tensor's array has it"),
        (OBJECTS["Variable"], "data", "An eager variable's array has it: .numpy().data"),
        (OBJECTS["Variable"], "cpu", "tf.device"),
        (SESSION, "evaluate", "session.run"),
        (GRAPH, "operations", "graph.get_operations()"),
    ],
)
def test_a_foreign_name_says_what_to_use(owner: Any, name: str, way: str) -> None:
    assert way in advice(owner, name)


def rows() -> Iterator[tuple[str, str, str]]:
    for path, names in FOREIGN.items():
        yield from ((path, name, text) for name, text in names.items())


@pytest.mark.parametrize("path", FOREIGN)
def test_no_foreign_name_is_here(path: str) -> None:
    owner = OBJECTS[path] if path in OBJECTS else lookup(path) if path else tf
    for name, text in FOREIGN[path].items():
        assert advice(owner, name).endswith(text)


def test_the_equivalents_exist() -> None:
    holders = {"dataset": "data.Dataset", "Dataset": "data.Dataset", "variable": "Variable", "graph": "Graph"}
    for path, name, text in rows():
        for public in re.findall(r"\btf\.([\w.]*\w)", text):
            parts = public.rpartition(".")
            assert hasattr(lookup(parts[0]) if parts[0] else tf, parts[2]), (path, name, public)
        for holder, member in re.findall(r"\b(dataset|Dataset|variable|graph|session)\.(\w+)\(", text):
            cls = SESSION if holder == "session" else OBJECTS[holders[holder]]
            assert hasattr(cls, member), (path, name, member)


@pytest.mark.parametrize("holder", [*OBJECTS.values(), tf.constant(1.0)])
def test_a_foreign_name_is_not_listed(holder: Any) -> None:
    assert not {"detach", "item", "from_list", "evaluate", "operations"} & set(dir(holder))
    assert not hasattr(holder, "detach")
    assert set(vars(type(holder))) & set(dir(holder))


def test_a_derived_class_may_have_a_foreign_name() -> None:
    class Mine(tf.compat.v1.Session):
        def evaluate(self) -> int:
            return 7

    assert Mine(graph=GRAPH).evaluate() == 7
    assert "evaluate" in dir(Mine(graph=GRAPH))


def test_an_attribute_may_have_a_foreign_name() -> None:
    x = tf.constant(1.0)
    x.grad = 5  # type: ignore[attr-defined]
    assert x.grad == 5  # type: ignore[attr-defined]
    assert "grad" in dir(x)


def test_no_class_of_tensors_computes_attributes() -> None:
    """CPython specializes lookups of a class that has neither method."""
    for cls in (tf.Tensor, EagerTensor, tf.Variable, tf.compat.v1.Session, tf.Graph, tf.data.Dataset):
        assert not hasattr(cls, "__getattr__")
        assert cls.__getattribute__ is object.__getattribute__

"""Messages that are the first ones of a process, beside those of a process that has loaded everything.

Modules say how nodes are written and read, and load when they are needed: none may matter that is not asked for.
"""

from __future__ import annotations

import itertools
import os
import pickle
from typing import Any

import inlay as tf
from inlay._src.base.export import load_all
from inlay._src.core.eager.building import build
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, declared


def built(case: Case) -> Any:
    """The graph of a call."""
    with tf.Graph().as_default() as graph:
        inputs = [
            [tf.constant(v) for v in value] if arg.variadic else tf.constant(value)
            for arg, value in zip(case.op.args, case.inputs, strict=True)
        ]
        build(case.op, tuple(inputs), dict(case.attrs), None, graph)
    return graph


def written_and_read(graph: Any) -> tuple[bytes, list[str]]:
    """A graph as a message, and the types of the nodes of the graph that is read from it."""
    data: bytes = graph.as_graph_def().SerializeToString(deterministic=True)
    with tf.Graph().as_default() as again:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(data), name="")
    return data, [node.type for node in again.get_operations()]


def first(graph: Any) -> Any:
    """The result of `written_and_read` in a child of this process, or the text of its error."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "wb") as out:
            try:
                pickle.dump(written_and_read(graph), out)
            except Exception as error:
                pickle.dump(repr(error), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as results:
        result = pickle.load(results)
    os.waitpid(child, 0)
    return result


def differing() -> list[str]:
    """The ops whose nodes are written or read in another way once every module is loaded."""
    graphs = {name: built(next(itertools.islice(cases(declared(name), SAMPLES[name]), 1))) for name in SAMPLES}
    early = {name: first(graph) for name, graph in graphs.items()}
    load_all()
    return [name for name, graph in graphs.items() if written_and_read(graph) != early[name]]

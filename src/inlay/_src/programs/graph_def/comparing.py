"""Comparison of graphs as messages, for tests."""

from __future__ import annotations

import re
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.graph import GraphDef

_SHARDED = re.compile(rb"_temp_[0-9a-z]{32}/part")
_TABLE = re.compile(rb"hash_table_[0-9a-z\-]+")


@export("test.assert_equal_graph_def")
def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Checks that two graphs have equal nodes, in any order; names of temporary files and of tables may differ.

    Args:
      expected: a `GraphDef`.
      actual: a `GraphDef`.

    Raises:
      AssertionError: if they differ; it names the first difference.
      TypeError: for anything else than a `GraphDef`.
    """
    _compare(actual, expected, True, True)


@export("compat.v1.test.assert_equal_graph_def")
def assert_equal_graph_def_v1(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Checks that two graphs have equal nodes, in any order.

    Args:
      actual: a `GraphDef`.
      expected: a `GraphDef`.
      checkpoint_v2: whether names of temporary files of checkpoints may differ.
      hash_table_shared_name: whether names of tables may differ.

    Raises:
      AssertionError: if they differ; it names the first difference.
      TypeError: for anything else than a `GraphDef`.
    """
    _compare(actual, expected, checkpoint_v2, hash_table_shared_name)


def _compare(actual: Any, expected: Any, temporary_files: bool, tables: bool) -> None:
    for which, graph in (("actual", actual), ("expected", expected)):
        if not isinstance(graph, GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {which}, got {type(graph).__name__}")
    there = {node.name: node for node in actual.node}
    wanted = {node.name: node for node in expected.node}
    for name, node in wanted.items():
        if name not in there:
            raise AssertionError(f"Did not find expected node {name!r}, of type {node.op}")
        _compare_nodes(there[name], node, temporary_files, tables)
    for name, node in there.items():
        if name not in wanted:
            raise AssertionError(f"Found unexpected node {name!r}, of type {node.op}")


def _compare_nodes(actual: Any, expected: Any, temporary_files: bool, tables: bool) -> None:
    where = f"Node named {expected.name!r} has"
    for field in ("op", "device"):
        if getattr(actual, field) != getattr(expected, field):
            raise AssertionError(f"{where} {field} {getattr(actual, field)!r}, expected {getattr(expected, field)!r}")
    inputs, wanted = _inputs(actual), _inputs(expected)
    if inputs != wanted:
        raise AssertionError(f"{where} inputs {inputs}, expected {wanted}")
    present, listed = (_attributes(node, temporary_files, tables) for node in (actual, expected))
    for name in sorted({*present, *listed}):
        if name not in present:
            raise AssertionError(f"{where} no attr {name!r}, expected {listed[name]}")
        if name not in listed:
            raise AssertionError(f"{where} unexpected attr {name!r} with value: {present[name]}")
        if present[name] != listed[name]:
            raise AssertionError(
                f"{where} attr {name!r} with value: {present[name]} that does not match expected: {listed[name]}"
            )


def _inputs(node: Any) -> tuple[list[str], list[str]]:
    """The data inputs in their order, and the control inputs, which have none."""
    data = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    return data, sorted(name for name in node.input if name.startswith("^"))


def _attributes(node: Any, temporary_files: bool, tables: bool) -> dict[str, Any]:
    """The attributes to compare: without names that differ from run to run."""
    relevant = {}
    for name, value in node.attr.items():
        texts = list(value.tensor.string_val)
        if temporary_files and len(texts) == 1 and _SHARDED.match(texts[0]):
            continue
        if tables and node.op == "HashTableV2" and name == "shared_name" and _TABLE.match(value.s):
            continue
        relevant[name] = value
    return relevant

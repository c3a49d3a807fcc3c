"""`write_graph`: a graph as a file."""

from __future__ import annotations

import os
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.files.replacing import replacing
from inlay._src.core.graph import Graph


@export("io.write_graph", "train.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file: readers see the old file, or the whole new one.

    Args:
      graph_or_graph_def: a `tf.Graph` or a `GraphDef`; any other message, such as a `MetaGraphDef`, is written alike.
      logdir: the folder; it is made if it is not there.
      name: the file's name.
      as_text: whether it is written as text (protobuf's), and not as bytes on the wire.

    Returns:
      The path of the file.

    Raises:
      TypeError: if it is neither a graph nor a message.
    """
    graph = graph_or_graph_def
    message = graph.as_graph_def() if isinstance(graph, Graph) else graph
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"write_graph takes a graph or a protobuf message, got {type(message).__name__}")
    data = str(message).encode() if as_text else message.SerializeToString(deterministic=True)
    folder = path_of(logdir)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with replacing(path) as file:
        file.write(data)
    return path

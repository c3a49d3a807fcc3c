"""The order in which the nodes of a message are read: each behind those that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def in_order(messages: Mapping[str, Any], needs: Callable[[str], Iterator[str]]) -> list[Any]:
    """The nodes, each behind those that it takes, and else as they stand.

    Args:
      messages: name -> node.
      needs: gives the names of the nodes that a node takes or follows.

    Raises:
      ValueError: if a node takes its own result.
    """
    done: set[str] = set()
    ordered: list[Any] = []
    for start in messages:
        path: list[str] = [start] if start not in done else []
        on_path = set(path)
        todo = [needs(start)] if path else []
        while path:
            following = next((n for n in todo[-1] if n not in done), None)
            if following is None:
                name = path.pop()
                todo.pop()
                on_path.discard(name)
                done.add(name)
                ordered.append(messages[name])
            elif following in on_path:
                circle = [*path[path.index(following) :], following]
                shown = " -> ".join(circle[:4]) + (" -> …" if len(circle) > 4 else "")
                raise ValueError(f"Node '{following}' takes its own result: {shown}: the graph has a circle")
            else:
                path.append(following)
                on_path.add(following)
                todo.append(needs(following))
    return ordered

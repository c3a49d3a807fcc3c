"""What the methods of datasets work on: a node with the options it runs with."""

from __future__ import annotations

from typing import Any

from inlay._src.data.node import Node
from inlay._src.data.options import Options


class Chain:
    """A node and its options. The classes whose methods make one dataset of others derive from it: see `Dataset`."""

    _node: Node
    _options: Options

    @property
    def element_spec(self) -> Any:
        """A nest like the elements, of specs."""
        return self._node.element.spec

    @classmethod
    def _of(cls, node: Node, options: Options | None = None) -> Any:
        """A dataset of a node."""
        raise NotImplementedError

    def _with(self, node: Node) -> Any:
        """A dataset of another node that runs with the same options."""
        return self._of(node, self._options)

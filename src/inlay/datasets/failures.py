"""Failures of functions of elements: which element of which stage it was.

The text is TensorFlow's up to the exception's own; see `tensorflow/core/kernels/data/map_dataset_op.cc`. Below that
stand the element's index, counted from 0 at the stage, and the function's site.
"""

from __future__ import annotations

from inlay import errors
from inlay.datasets.node import Cursor, Iteration, Node


class Blame:
    """Says of an exception which element it belongs to.

    Args:
      node: the stage.
      iteration: the one that it belongs to.
      label: of the function.
    """

    __slots__ = ("_iteration", "_label", "_node")

    def __init__(self, node: Node, iteration: Iteration, label: str) -> None:
        self._node, self._iteration, self._label = node, iteration, label

    def __call__(self, error: BaseException, index: int, cursor: Cursor, before: int = 0) -> BaseException:
        """What the user sees of an exception.

        Args:
          error: what the function raised.
          index: of the element, counted at this stage.
          cursor: the stage's.
          before: how many stages come before it that have the same cursor.
        """
        if isinstance(error, errors.PASS_THROUGH):
            return error
        stage = f"{self._node.name.lstrip('_')}:{sum(1 for _ in self._node.walk()) - 1}"
        found = errors.framed(
            error,
            f"Error in user-defined function passed to {stage} transformation with iterator: "
            f"{self._iteration.path(cursor, before)}: ",
            f"  element {index} of {stage}, function {self._label}",
        )
        if isinstance(found, errors.OutOfRangeError):  # it would be taken for the end of the dataset
            made = errors.InvalidArgumentError(None, None, f"Function invocation produced OutOfRangeError: {found}")
            made.__cause__ = error
            return made
        return found

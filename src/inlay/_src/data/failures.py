"""Errors of functions of elements, with the stage and the element that they belong to.

The text is TensorFlow's up to the exception's own; see `tensorflow/core/kernels/data/map_dataset_op.cc`. The lines
below it have the index of the element, counted from 0 at the stage, and the site of the function.
"""

from __future__ import annotations

from collections.abc import Callable

from inlay._src.base import errors
from inlay._src.data.element import Values
from inlay._src.data.node import Cursor, Iteration, Node


class Blame:
    """Says of an exception which element it belongs to.

    Args:
      node: the stage.
      iteration: the one that it belongs to.
      label: of the function.
      ended: the class of error for an OutOfRangeError, which would be taken for the end of the dataset. TensorFlow's
        maps and scans have InvalidArgumentError.
    """

    __slots__ = ("_ended", "_iteration", "_label", "_node")

    def __init__(
        self, node: Node, iteration: Iteration, label: str, ended: type[errors.OpError] = errors.InternalError
    ) -> None:
        self._node, self._iteration, self._label, self._ended = node, iteration, label, ended

    def __call__(self, error: BaseException, index: int, cursor: Cursor, before: int = 0) -> BaseException:
        """The exception as the user sees it.

        Args:
          error: the error of the function.
          index: of the element, counted at this stage.
          cursor: the stage's.
          before: the number of stages before it that share its cursor.
        """
        if isinstance(error, errors.PASS_THROUGH):
            return error
        stage = f"{self._node.name.lstrip('_')}:{sum(1 for _ in self._node.walk()) - 1}"
        framed = errors.framed(
            error,
            f"Error in user-defined function passed to {stage} transformation with iterator: "
            f"{self._iteration.path(cursor, before)}: ",
            f"  element {index} of {stage}, function {self._label}",
        )
        if isinstance(framed, errors.OutOfRangeError):
            refused = self._ended(None, None, f"Function invocation produced OutOfRangeError: {framed}")
            refused.__cause__ = error
            return refused
        return framed


def code_name(error: errors.OpError) -> str:
    """The name of the canonical code of an error, such as `INVALID_ARGUMENT`."""
    return errors.CODE_NAMES[error.error_code]


class BlamedFunction:
    """A function besides that of a cursor's elements, whose failures are worded.

    Args:
      run: the function of values.
      blame: words its failures.
    """

    __slots__ = ("_blame", "_run")

    def __init__(self, run: Callable[[Values], Values], blame: Blame) -> None:
        self._run, self._blame = run, blame

    def __call__(self, values: Values, index: int, cursor: Cursor) -> Values:
        """The results for values.

        Args:
          values: the function's arguments.
          index: of the element that they belong to.
          cursor: the stage's.
        """
        try:
            return self._run(values)
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raised = self._blame(error, index, cursor)
            try:
                raise raised from raised.__cause__
            finally:
                del raised  # its traceback has this frame

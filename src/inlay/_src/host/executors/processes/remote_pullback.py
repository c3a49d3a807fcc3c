"""Remote handles of pullbacks that stay in the worker that ran the forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.core.executor import ExecutionPullback


class PullbackLost(Exception):
    """A worker has the pullback no longer; the text says why."""


class RemotePullback:
    """The remote handle of a pullback; the worker releases the pullback when the handle is deleted.

    Args:
      pull: runs a pull there: `pull(seeds, keep)`; raises `PullbackLost` if it cannot.
      forget: lets the worker forget it.
      again: makes another pullback of the same execution, by running that again; None if that may do harm.
      label: the function's name, for messages.
    """

    __slots__ = ("__weakref__", "_again", "_forget", "_label", "_pull")

    def __init__(
        self,
        pull: Callable[[Sequence[Any], bool], Any],
        forget: Callable[[], None],
        again: Callable[[], ExecutionPullback] | None,
        label: str,
    ) -> None:
        self._pull, self._forget, self._again, self._label = pull, forget, again, label

    def pull(self, seeds: Sequence[Any], keep: bool) -> tuple[list[Any], ExecutionPullback | None]:
        try:
            gradients, nested = self._pull(seeds, keep)
        except PullbackLost as gone:
            if self._again is None:
                raise errors.UnavailableError(
                    None,
                    None,
                    f"the pullback of {self._label} is lost: {gone}. It is stateful, so it is not run again. If a "
                    "second run does no harm say stateful=False",
                ) from None
            return self._again().pull(seeds, keep)
        return gradients, nested

    def __del__(self) -> None:
        self._forget()

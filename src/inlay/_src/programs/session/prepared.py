"""A run of a session that was prepared for some fetches and feeds: converted feeds in, values of the fetches out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from inlay._src.base import errors
from inlay._src.base.tracebacks import boundary
from inlay._src.core import context
from inlay._src.core.state import CellStore
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.programs.session.feeds import copying, feed_converter, returned_feed
from inlay._src.programs.session.fetches import Fetched, leaving

_rank: Callable[[Any], Any] = operator.attrgetter("ndim")
"""Of an array or NumPy scalar. Ranks are read by the hundred, without a Python frame each."""
_set_state: Callable[..., Any] = context.set_state
_reset_state: Callable[..., None] = context.reset
EAGER_RUN = context.State(host="a host function").lasting()
"""The state that host functions of a run find: they execute eagerly."""


def cancelled() -> errors.OpError:
    return errors.CancelledError(None, None, "Run call was cancelled: its session was closed while it ran.")


class Owner(Protocol):
    """A session, as its prepared runs see it."""

    _store: CellStore
    _closed: bool

    def describe(self, error: errors.OpError) -> None:
        """Adds the place where the failed op was defined."""


class Prepared:
    """An executable with what a session needs to run it.

    Attributes:
      executable: the executable.
      version: of the graph the plan was built for.
      reports: the number of its runs with a `RunMetadata`.
      elements: the fetched and fed objects. They must outlive the cache entry: identities are part of its key.
    """

    __slots__ = (
        "_cells", "_converters", "_feed", "_feeds", "_fetches", "_pack", "_single", "_values", "executable", "reports",
        "elements", "version",
    )  # fmt: skip

    def __init__(
        self, executable: Executable, fetched: Fetched, keys: tuple[SymbolicTensor, ...], version: int, elements: Any
    ) -> None:
        self.executable, self.version, self.elements = executable, version, elements
        plan = executable.plan
        self._converters = tuple(map(feed_converter, keys))
        self._feeds = tuple(
            (f.slot, copying(convert) if f.escapes else convert)
            for f, convert in zip(plan.feeds, self._converters, strict=True)
        )
        self._feed = self._feeds[0] if len(self._feeds) == 1 else None
        tensors = [e for e in fetched.elements if isinstance(e, SymbolicTensor)]
        position = {id(k): i for i, k in enumerate(keys)}
        self._fetches = tuple(
            (slot, t.dtype, position.get(id(t))) for slot, t in zip(plan.fetches, tensors, strict=True)
        )
        self._values = operator.itemgetter(*plan.fetches) if len(plan.fetches) > 1 else None
        self._pack = fetched.pack
        alone = fetched.single and len(self._fetches) == 1 and self._fetches[0][2] is None
        self._single = self._fetches[0][:2] if alone else None
        self._cells: list[Any] | None = None
        self.reports = 0

    def _first_cells(self, session: Owner) -> list[Any]:
        """The cells before a run: constants, and the session's state, which stays the same until that is closed."""
        cells = self.executable.template.copy()
        for slot, key in self.executable.resources:
            cells[slot] = session._store.cell(key)
        self._cells = cells
        return cells

    @boundary
    def run(self, session: Owner, fed: Iterable[Any], stop: work_stealing.Stop | None) -> Any:
        """One run: feeds in, steps, fetches out."""
        executable = self.executable
        cells = (self._cells or self._first_cells(session)).copy()
        if self._feed is not None:
            slot, convert = self._feed
            (value,) = fed
            cells[slot] = convert(value)
        else:
            for (slot, convert), value in zip(self._feeds, fed):  # noqa: B905 - the plan is looked up by the keys
                cells[slot] = convert(value)
        token = _set_state(EAGER_RUN)
        try:
            if executable.alone is not None and stop is None:
                executable.alone(cells)
            else:
                executable.execute(cells, stop)
        except errors.OpError as error:
            session.describe(error)
            raise
        finally:
            _reset_state(token)
        if session._closed:
            raise cancelled()
        if self._single is None:
            return self._several(cells, fed)
        slot, dtype = self._single
        return cells[slot] if slot in executable.private and cells[slot].ndim else leaving(cells, slot, dtype)

    def _several(self, cells: list[Any], fed: Iterable[Any]) -> Any:
        """The results of a run as they were asked for."""
        private = self.executable.private
        if len(private) == len(self._fetches) and self._values is not None:
            values = self._values(cells)
            if 0 not in map(_rank, values):
                return self._pack(values)
            del values
        fed = tuple(fed)
        return self._pack([
            (cells[slot] if slot in private and cells[slot].ndim else leaving(cells, slot, dtype))
            if at is None
            else returned_feed(self._converters[at](fed[at]), fed[at])
            for slot, dtype, at in self._fetches
        ])  # fmt: skip

"""The executor of a parallel stage, from the arguments of `map`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.tuning import TUNING
from inlay._src.core.executor import Executor
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.draws import draws_of
from inlay._src.data.element import values_of
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Iteration
from inlay._src.data.sent import Elsewhere, Sent, SentChain, sent
from inlay._src.data.tuning import Tuned, cores
from inlay._src.data.working import Begun, Inline, Pooled, Way
from inlay._src.engine.run.scheduling.work_stealing import run_inline
from inlay._src.host import observing
from inlay._src.host.executors.selection import resolve_executor

AUTOTUNE: int = export("data.AUTOTUNE", "data.experimental.AUTOTUNE")(-1)

AUTO = "auto"
_REPEATABLE = (Effect.PURE, Effect.RANDOM, Effect.READS)


class Placing:
    """Where the function of a stage runs.

    Args:
      executor: the argument of the call: None, a name, an executor; "auto" lets AUTOTUNE leave the process.
      mapped: the function.
      what: the transformation, for messages.

    Raises:
      TypeError, ValueError: if it is no executor, or the function cannot run there.
    """

    __slots__ = ("_chain", "_mapped", "_sent", "automatic", "executor", "inline")

    def __init__(self, executor: Any, mapped: Mapped, what: str) -> None:
        self.automatic: Any = executor == AUTO
        requested = None if self.automatic else executor
        self.executor = resolved = None if requested is None else resolve_executor(requested, what)
        self.inline: bool = requested is not None and resolved is None
        self._mapped = mapped
        self._sent: Sent | None = None
        self._chain: SentChain | None = None
        if resolved is None or resolved.here:
            return
        if resolved.may_repeat and not self.repeatable:
            raise ValueError(
                f"{what}: {mapped.label} may have effects, and {resolved!r} runs a call again if its worker is lost: "
                "what the function does could happen twice. If a second run does no harm say stateful=False where its "
                "host functions are called, else take another executor"
            )
        if not mapped.plain:
            raise TypeError(f"{what}: {mapped.label} makes datasets, which stay in this process: leave executor out")
        if all(isinstance(t, EagerTensor) for t in mapped.captures):
            self._sent = sent(mapped.program, mapped.label, values_of(mapped.captures))

    def __setstate__(self, state: Any) -> None:
        """Its fields; those that were saved before there were chains have none."""
        self._chain = None
        for name, value in state[1].items():
            setattr(self, name, value)

    @property
    def repeatable(self) -> bool:
        """Whether a second run of the function does no harm."""
        return self._mapped.program.effect in _REPEATABLE

    def way(self, iteration: Iteration, calls: int) -> Way:
        """The execution strategy of one iteration.

        Args:
          iteration: the iteration.
          calls: the number of concurrent calls, or AUTOTUNE.

        Raises:
          InvalidArgumentError: if that is not positive.
        """
        mapped, executor = self._mapped, self.executor
        if run_inline.on:
            return Inline(mapped.opened(iteration))
        if executor is None and not self.inline and calls == AUTOTUNE:
            return self._tuned(iteration)
        calls = positive_calls(calls, iteration, executor)
        if executor is not None and not executor.here:
            if observing.meets_executors():  # it stands around host functions of this process
                return Pooled(mapped.opened(iteration), calls, mapped.label, None)
            return self._elsewhere(executor, iteration, calls)
        if self.inline:
            return Inline(mapped.opened(iteration))
        if executor is None and mapped.begins:
            return Begun(*mapped.begun(iteration), calls)
        return Pooled(mapped.opened(iteration), calls, mapped.label, executor)

    def _tuned(self, iteration: Iteration) -> Way:
        """The meaning of AUTOTUNE."""
        mapped = self._mapped
        autotune: Any = iteration.options.autotune  # type: ignore[attr-defined]
        if autotune.enabled is False:
            return Inline(mapped.opened(iteration))
        if mapped.begins:
            return Begun(*mapped.begun(iteration), TUNING.calls_in_flight)
        run, usable = mapped.opened(iteration), cores(autotune.cpu_budget)

        def pooled(calls: int) -> Way:
            return Pooled(run, calls, mapped.label, None)

        hosts = bool(mapped.program.graph.host_functions)  # all of them stateless, if the program may leave
        return Tuned(run, pooled, self._leaving(iteration, usable) if self.automatic or hosts else None, usable)

    def _leaving(self, iteration: Iteration, usable: int) -> Callable[[], Way | None] | None:
        """A function that makes the way in other processes, or returns None if the mapped function captures something
        that stays here; None if it may not run there."""
        mapped = self._mapped
        if not mapped.plain or mapped.program.effect not in (Effect.PURE, Effect.RANDOM):
            return None

        def leave() -> Way | None:
            if observing.meets_executors():
                return None
            executor = resolve_executor("processes", "AUTOTUNE")
            assert executor is not None
            try:
                return self._elsewhere(executor, iteration, executor.workers or usable)
            except (errors.InvalidArgumentError, TypeError):
                return None

        return leave

    def joins(self, below: Placing, iteration: Iteration, calls: Sequence[int]) -> bool:
        """Whether this function and that of the stage below run as one call.

        The workers must be the only limit: where a stage allows fewer calls than there are workers, or runs on threads
        that may wait, each stage has calls of its own in flight.

        Args:
          below: of the stage below.
          iteration: the iteration.
          calls: the number of concurrent calls of both stages, or AUTOTUNE.
        """
        executor = self.executor
        if executor is None or executor.here or below.executor is not executor:
            return False
        if run_inline.on or observing.meets_executors():
            return False
        workers = executor.workers
        return workers is not None and all(positive_calls(n, iteration, executor) >= workers for n in calls)

    def joined_way(self, below: Sequence[Placing], iteration: Iteration, calls: Sequence[int]) -> Way:
        """The execution strategy of one iteration of several stages.

        Args:
          below: those that it joins, the first one first.
          iteration: the iteration.
          calls: the number of concurrent calls of all stages, or AUTOTUNE.
        """
        assert self.executor is not None
        most = max(positive_calls(n, iteration, self.executor) for n in calls)
        return self._elsewhere(self.executor, iteration, most, below)

    def _elsewhere(self, executor: Executor, iteration: Iteration, calls: int, below: Sequence[Placing] = ()) -> Way:
        placings = (*below, self)
        parts = [placing._part(iteration) for placing in placings]
        chain = self._chain  # other threads may iterate, too, with other values
        if chain is None or [*map(id, chain.parts)] != [*map(id, parts)]:  # the digest of one is computed once
            chain = self._chain = SentChain(parts)
        draws = [draws_of(p._mapped.program, iteration.values(p._mapped.captures)) for p in placings]
        return Elsewhere(executor, chain, draws, calls, all(p.repeatable for p in placings))

    def _part(self, iteration: Iteration) -> Sent:
        """The function with the values that it captures in an iteration; kept if they are the same in all."""
        if self._sent is not None:
            return self._sent
        mapped = self._mapped
        part = sent(mapped.program, mapped.label, iteration.values(mapped.captures))
        if all(isinstance(t, EagerTensor) for t in mapped.captures):
            self._sent = part
        return part


def positive_calls(calls: int, iteration: Iteration, executor: Executor | None = None) -> int:
    """The number of concurrent calls; AUTOTUNE takes as many as the executor runs, or as there are cores.

    Raises:
      InvalidArgumentError: if that is not positive.
    """
    if calls == AUTOTUNE:
        workers = None if executor is None else executor.workers
        return workers or cores(iteration.options.autotune.cpu_budget)  # type: ignore[attr-defined]
    if calls < 1:
        raise errors.InvalidArgumentError(None, None, f"num_parallel_calls must be greater than zero, got {calls}.")
    return calls

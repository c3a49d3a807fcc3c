"""Hooks that end a loop, wait, feed, or compute something at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.types import dtypes
from inlay._src.core import graph as graphs
from inlay._src.ops.variables import initializers
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import AUTO_REUSE, get_variable, variable_scope
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.training.global_step import get_or_create_global_step

_WAIT_SECONDS = 0.5
_STEPS_PER_RUN = "steps_per_run"
_HOOKS = "hooks"


@export("train.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Ends the loop at a step.

    Args:
      num_steps: after how many steps.
      last_step: at which global step; one of the two is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        self._step = get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = int(session.run(self._step)) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`: the step that was read may be the one before the run."""
        if self._last_step is None:
            raise RuntimeError("StopAtStepHook.after_run() comes before after_create_session(), which reads the step.")
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


@export("train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


@export("train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Ends the loop when a loss is not a number.

    Args:
      loss_tensor: the loss, a scalar.
      fail_on_nan_loss: whether that is an error, `NanLossDuringTrainingError`.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if np.isnan(run_values.results):
            text = "Model diverged with loss = NaN."
            if self._fail:
                messages.error(text)
                raise NanLossDuringTrainingError
            messages.warning(text)
            run_context.request_stop()


@export("train.GlobalStepWaiterHook")
class GlobalStepWaiterHook(SessionRunHook):
    """Waits before the first run until others have taken so many steps.

    Args:
      wait_until_step: the global step that is waited for.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        self._started = self._wait_until_step <= 0
        self._step = get_or_create_global_step()

    def before_run(self, run_context: SessionRunContext) -> None:
        if self._started:
            return
        messages.info("Waiting for global step %d before starting training.", self._wait_until_step)
        while run_context.session.run(self._step) < self._wait_until_step:
            time.sleep(_WAIT_SECONDS)
        self._started = True


@export("train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Runs something at the end.

    Args:
      final_ops: the fetches: a tensor, operation, name, or a nest of them.
      final_ops_feed_dict: its feeds.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Mapping[Any, Any] | None = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The fetched values; None before the end."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            messages.warning(
                "FinalOpsHook: what is fetched at the end takes another element of an input that is at its end. It "
                "should read variables alone, as the value of a metric does; its update takes elements"
            )
            raise


@export("train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds each run what a function returns.

    Args:
      feed_fn: gives a feed dictionary.
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self.feed_fn: Callable[[], Mapping[Any, Any]] = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(None, self.feed_fn())


def get_or_create_steps_per_run_variable() -> Variable:
    """A local variable of the default graph that says how many steps one run takes, 1 at first."""
    key = f"{_HOOKS}_{_STEPS_PER_RUN}"
    variables = graphs.default_graph().get_collection(key)
    if len(variables) > 1:
        raise RuntimeError("Multiple steps_per_run_var in collection.")
    if variables:
        return variables[0]  # type: ignore[no-any-return]
    with variable_scope(_HOOKS, reuse=AUTO_REUSE):
        return get_variable(  # type: ignore[no-any-return]
            _STEPS_PER_RUN,
            shape=[],
            dtype=dtypes.int32,
            initializer=initializers.Ones(),
            trainable=False,
            collections=[key, GraphKeys.LOCAL_VARIABLES],
        )

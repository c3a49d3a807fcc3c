"""Decorators for tests that say in which modes they run: those of `tensorflow.python.framework.test_util`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.core import context
from inlay._src.core.devices.listing import gpu_device_name, is_gpu_available
from inlay._src.core.graph import Graph
from inlay._src.core.modes import eager_mode, graph_mode
from inlay._src.programs.functions.function import function

Test = Callable[..., Any]
Decorator = Callable[[Any], Any]
_NO_TESTS = ("testSkipEager", "test_skip_eager", "test_session")


def _of_tests(decorate: Decorator) -> Decorator:
    """`decorate` for a test, and for each test of a class."""

    @functools.wraps(decorate)
    def decorated(tested: Any) -> Any:
        return for_all_test_methods(decorate)(tested) if inspect.isclass(tested) else decorate(tested)

    return decorated


def for_all_test_methods(decorator: Decorator, *args: Any, **kwargs: Any) -> Decorator:
    """A decorator of classes that decorates each of their tests.

    Args:
      decorator: a function of a test and the other arguments.
      *args, **kwargs: them.
    """

    def decorated(cls: Any) -> Any:
        for name in dir(cls):
            value = getattr(cls, name)
            if name.startswith("test") and callable(value) and name not in _NO_TESTS:
                setattr(cls, name, decorator(value, *args, **kwargs))
        return cls

    return decorated


@export("contrib.eager.run_test_in_graph_and_eager_modes")
def run_in_graph_and_eager_modes(
    func: Test | None = None, config: Any = None, use_gpu: bool = True, assert_no_eager_garbage: bool = False
) -> Any:
    """Decorator: the test runs twice, in a graph with a session, then eagerly, with `setUp` before each.

    Args:
      func: a method of a `TestCase`.
      config: options of the session.
      use_gpu: whether a GPU may be used.
      assert_no_eager_garbage: has no effect.

    Raises:
      ValueError: for a class.
    """
    if inspect.isclass(func):
        raise ValueError(
            "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
            "`run_all_in_graph_and_eager_modes`?"
        )

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def both(self: Any, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default(), self.test_session(use_gpu=use_gpu, config=config):
                test(self, *args, **kwargs)
            self.tearDown()
            with Graph().as_default(), eager_mode():
                self.setUp()
                with context.device(None if use_gpu else "/device:CPU:0"):
                    test(self, *args, **kwargs)

        return both

    return decorate if func is None else decorate(func)


@export("contrib.eager.run_all_tests_in_graph_and_eager_modes")
def run_all_in_graph_and_eager_modes(cls: Any) -> Any:
    """Decorator: every test of a class runs as `run_in_graph_and_eager_modes` says."""
    return for_all_test_methods(run_in_graph_and_eager_modes)(cls)


@_of_tests
def deprecated_graph_mode_only(test: Test) -> Test:
    """Decorator of a test, or of a class of them: it runs in a graph."""

    @functools.wraps(test)
    def in_graph(self: Any, *args: Any, **kwargs: Any) -> Any:
        with graph_mode():
            return test(self, *args, **kwargs)

    return in_graph


run_deprecated_v1 = deprecated_graph_mode_only


def _skipping(tested: Any, skip: Callable[[], bool], reason: str) -> Any:
    """The test, or the tests of the class, skipped for `reason` if `skip()`."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def skipped(self: Any, *args: Any, **kwargs: Any) -> Any:
            if skip():
                self.skipTest(reason)
            return test(self, *args, **kwargs)

        return skipped

    return _of_tests(decorate)(tested)


def _first_behavior() -> bool:
    return context.base().graph is not None


def run_v1_only(reason: str | None = None, func: Any = None) -> Any:
    """Decorator: the tests are skipped unless the program runs under 1.x behavior.

    Args:
      reason: why.
      func: a test, or a class of them.
    """

    def decorate(tested: Any) -> Any:
        return _skipping(tested, lambda: not _first_behavior(), reason or "Test is only compatible with v1")

    if callable(reason):  # the decorator was not called
        tested, reason = reason, None
        return decorate(tested)
    return decorate if func is None else decorate(func)


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Decorator: the tests are skipped while the program runs under 1.x behavior; arguments as for `run_v1_only`."""

    def decorate(tested: Any) -> Any:
        return _skipping(tested, _first_behavior, reason or "Test is only compatible with v2")

    return decorate if func is None else decorate(func)


def run_gpu_only(func: Any) -> Any:
    """Decorator: the test is skipped where there is no GPU."""
    return _skipping(func, lambda: not is_gpu_available(), "Test requires GPU")


run_cuda_only = run_gpu_only


def skip_if(condition: Any) -> Decorator:
    """Decorator: the test is skipped if `condition`, a bool or a function that returns one, is true."""

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def unless(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not (condition() if callable(condition) else condition):
                return test(self, *args, **kwargs)
            return None

        return unless

    return _of_tests(decorate)


def also_run_as_tf_function(f: Test) -> Test:
    """Decorator: the test runs eagerly, and once more as a `function`."""

    @functools.wraps(f)
    def both(*args: Any, **kwargs: Any) -> None:
        def run() -> None:
            f(*args, **kwargs)

        with eager_mode():
            run()
            function(run)()

    return both


def build_as_function_and_v1_graph(func: Test) -> Test:
    """Decorator: the test runs in a graph, and in a `function`."""
    if inspect.isclass(func):
        raise ValueError("`run_in_graph_mode_and_function` only supports test methods.")

    @functools.wraps(func)
    def both(self: Any, *args: Any, **kwargs: Any) -> None:
        with Graph().as_default():
            func(self, *args, **kwargs)

        @function(autograph=False)
        def run() -> None:
            func(self, *args, **kwargs)

        with eager_mode():
            run()

    return both


def _as_it_is(*explained: Any) -> Any:
    """A decorator without effect, for modes that are absent or always on. It may be called with a reason."""
    if len(explained) == 1 and callable(explained[0]):
        return explained[0]
    return lambda tested: tested


disable_xla = disable_mlir_bridge = disable_tfrt = disable_eager_op_as_function = _as_it_is
run_without_tensor_float_32 = run_all_without_tensor_float_32 = disable_cudnn_autotune = _as_it_is
with_control_flow_v2 = enable_control_flow_v2 = disable_control_flow_v2 = enable_output_all_intermediates = _as_it_is
with_eager_op_as_function = assert_no_garbage_created = assert_no_new_tensors = _as_it_is
assert_no_new_pyobjects_executing_eagerly = _as_it_is


@contextmanager
def _placed(use_gpu: bool) -> Iterator[None]:
    """Ops of the block are placed on the GPU, if there is one and it may be used, else on the CPU."""
    with context.device((gpu_device_name() if use_gpu else "") or "/device:CPU:0"):
        yield


def use_gpu() -> Any:
    """Ops of the block are placed on the GPU if there is one."""
    return _placed(True)


def force_cpu() -> Any:
    """Ops of the block are placed on the CPU."""
    return context.device("/device:CPU:0")


def force_gpu() -> Any:
    """Ops of the block are placed on the GPU."""
    return context.device(gpu_device_name() or "/device:GPU:0")


def IsMklEnabled() -> bool:
    """Whether TensorFlow's build uses MKL: it does not."""
    return False


def is_xla_enabled() -> bool:
    """Whether everything is compiled: only what asks for it is."""
    return False

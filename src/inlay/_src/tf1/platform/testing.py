"""Tests of programs: `tf.test.TestCase`, absl's with sessions, values of tensors, and comparisons of them."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from absl.testing import absltest

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core import context
from inlay._src.core.graph import Graph, reset_default_graph
from inlay._src.ops.composite.indexed_slices import IndexedSlices, IndexedSlicesValue
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue
from inlay._src.ops.seeds import set_seed
from inlay._src.programs.session.options import ConfigProto
from inlay._src.programs.session.session import Session, get_default_session
from inlay._src.tf1.platform.assertions import Assertions, is_tensor
from inlay._src.tf1.platform.benchmark import run_benchmarks, selected

SEED = 87654321
"""The random seed of tests, which is TensorFlow's."""


@export("test.main")
def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the module `__main__`, or with `--benchmarks=REGEX` its benchmarks, and ends the program.

    Args:
      argv: the command line; None is `sys.argv`.
    """
    pattern = selected(sys.argv if argv is None else argv)
    if pattern is not None:
        run_benchmarks(pattern)
        sys.exit(0)
    absltest.main(argv=None if argv is None else list(argv))


@export("compat.v1.test.get_temp_dir")
def get_temp_dir() -> str:
    """A folder for files of tests, the same for all of a program; nobody removes it."""
    folder = os.environ.get("TEST_TMPDIR") or os.path.join(tempfile.gettempdir(), f"inlay_tests_{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    return folder


@export("compat.v1.test.test_src_dir_path")
def test_src_dir_path(relative_path: str) -> str:
    """The full name of a file of the program.

    Args:
      relative_path: its name from the folder in which tests are run.
    """
    return os.path.join(os.environ.get("TEST_SRCDIR", os.getcwd()), relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]  # its name is that of a test for pytest


class _EagerSession:
    """The session of eager code: a run returns the values of eager tensors."""

    graph = None

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of fetches."""
        if feed_dict:
            raise NotImplementedError("nothing can be fed in eager code")
        return self._case.evaluate(fetches)


@export("test.TestCase")
class TestCase(Assertions):
    """A test case with what tests of tensors need; absl's, which is the standard library's with more.

    Every test starts with an empty default graph, and with the same random numbers.

    Args:
      methodName: the test.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Session | None = None
        self._folder: str | None = None

    def setUp(self) -> None:
        """Begins a test."""
        super().setUp()
        if self._testMethodName == "test_session":  # a runner takes it for a test, by its name
            self.skipTest("Not a test.")
        self._close()
        random.seed(SEED)
        np.random.seed(SEED)
        reset_default_graph()
        set_seed(SEED)

    def tearDown(self) -> None:
        """Ends a test."""
        self._close()
        super().tearDown()

    def _close(self) -> None:
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    def get_temp_dir(self) -> str:
        """A folder of this test's own."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=get_temp_dir())
        return self._folder

    # ------------------------------------------------------------ sessions and values

    @contextlib.contextmanager
    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Session | None]:
        """A session for a block, the default one there; None in eager code.

        Args:
          graph: the graph; None takes the default one.
          config: a ConfigProto.
          use_gpu: has no effect: a graph says where its parts run.
          force_gpu: whether everything should run on a GPU.
        """
        if context.executing_eagerly():
            yield None
            return
        with Session(graph=graph, config=config or _placing(force_gpu)) as sess, _on_gpu(force_gpu):
            yield sess

    @contextlib.contextmanager
    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """The one session of a test, the default one in a block; in eager code, something whose `run` gives values.

        Args:
          graph, config, use_gpu, force_gpu: see `session`; those of the first block of a test count.

        Raises:
          ValueError: for another graph than that of the first block.
        """
        if context.executing_eagerly():
            yield _EagerSession(self)
            return
        if self._cached is None:
            self._cached = Session(graph=graph, config=config or _placing(force_gpu))
        elif graph is not None and graph is not self._cached.graph:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used to create it"
            )
        with self._cached.graph.as_default(), self._cached.as_default(), _on_gpu(force_gpu):
            yield self._cached

    def test_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> contextlib.AbstractContextManager[Any]:
        """`cached_session`, or `session` where a graph is given."""
        return (self.cached_session if graph is None else self.session)(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, in eager code and in graphs.

        Args:
          tensors: a structure of tensors and functions that make some.

        Returns:
          The structure with arrays; of composite tensors, their values.
        """
        if context.executing_eagerly():
            return _values(tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as own:
            return own.run(tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The values of two tensors; anything else as it is."""
        both = is_tensor(a) and is_tensor(b)
        return (self.evaluate(a), self.evaluate(b)) if both else (a, b)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        """A thread whose exceptions fail the test where it is joined.

        Args:
          target: the function that it calls.
          args, kwargs: with which arguments.
        """
        return CheckedThread(self, target, args or (), kwargs or {})

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """Captures the output that is written to a stream in a block, by C code too.

        Args:
          stream: `sys.stdout`, `sys.stderr`, or another file of the system.
        """
        stream.flush()
        number = stream.fileno()
        duplicate = os.dup(number)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), number)
            captured = CapturedWrites(stream, file)
            try:
                yield captured
            finally:
                captured.contents()
                os.dup2(duplicate, number)
                os.close(duplicate)


class CheckedThread:
    """A thread that keeps the exception of its function; see `TestCase.checkedThread`."""

    def __init__(
        self, case: TestCase, target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        self._case, self._target, self._args, self._kwargs = case, target, args, kwargs
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:
            self._error = error

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end, and fails the test if it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._case.failureException(f"Error in checkedThread: {self._error}") from self._error

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()


class CapturedWrites:
    """The captured output of a stream; see `TestCase.captureWritesToStream`."""

    def __init__(self, stream: Any, file: Any) -> None:
        self._stream, self._file, self._text = stream, file, ""

    def contents(self) -> str:
        """The text up to now."""
        if not self._file.closed:
            self._stream.flush()
            self._file.flush()
            self._file.seek(0)
            self._text = self._file.read().decode(errors="replace")
        return self._text


# ---------------------------------------------------------------- values


def _values(tensors: Any) -> Any:
    return nest.map_structure(_value, tensors)


def _value(tensor: Any) -> Any:
    """The value of an eager tensor, or of what a function makes."""
    if callable(tensor) and not is_tensor(tensor):
        return _values(tensor())
    if isinstance(tensor, SparseTensor):
        return SparseTensorValue(*map(_value, (tensor.indices, tensor.values, tensor.dense_shape)))
    if isinstance(tensor, RaggedTensor):
        return RaggedTensorValue(_value(tensor.values), _value(tensor.row_splits))
    if isinstance(tensor, IndexedSlices):
        return IndexedSlicesValue(_value(tensor.values), _value(tensor.indices), _value(tensor.dense_shape))
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor


def _placing(force_gpu: bool) -> Any:
    return ConfigProto(allow_soft_placement=not force_gpu)


def _on_gpu(force: bool) -> contextlib.AbstractContextManager[Any]:
    return context.device("/device:GPU:0") if force else contextlib.nullcontext()

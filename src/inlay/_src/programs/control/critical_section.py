"""`CriticalSection`: functions of which one at a time runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import new_lock, new_rlock
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.graph import Operation
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.run.executable import Executable
from inlay._src.programs.control.tracing import add_running, trace
from inlay._src.programs.program import FunctionCall, call_vjp, program_op


class Mutex:
    """A lock that the executions of a critical section share. One of a given name is the same in the whole process.

    Args:
      name: the shared name.
    """

    def __init__(self, name: str) -> None:
        self.name, self.lock = name, new_rlock()

    def __reduce__(self) -> Any:
        return shared_mutex, (self.name,)


_MUTEXES: weakref.WeakValueDictionary[str, Mutex] = weakref.WeakValueDictionary()
_ACCESS = new_lock()


def shared_mutex(name: str) -> Mutex:
    """The process's mutex of that name."""
    with _ACCESS:
        mutex = _MUTEXES.get(name)
        if mutex is None:
            mutex = _MUTEXES[name] = Mutex(name)
        return mutex


class _LockedCall(FunctionCall):
    """The step of a `MutexLockCall` node: it holds the mutex while its program runs."""

    __slots__ = ("mutex",)

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables)
        self.mutex: Mutex = step.attrs["mutex"]

    @property
    def executables(self) -> Sequence[Executable]:
        """Nothing: the program is called, so that one block holds the lock."""
        return ()

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        with self.mutex.lock:
            return super().on_values(values)

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        with self.mutex.lock:
            return super().on_tensors(tensors)


LOCKED_CALL = program_op("MutexLockCall", _LockedCall, "Calls a traced function under a lock.", vjp=call_vjp)


class _Execution(NamedTuple):
    """An execution in a graph, in the collection "critical_section_executions"."""

    op: Operation
    section: CriticalSection
    resources: tuple[Any, ...]
    exclusive_resource_access: bool


class _HeldMutexes(threading.local):
    """The mutexes whose functions this thread is tracing or running."""

    def __init__(self) -> None:
        self.mutexes: list[Mutex] = []


_entered = _HeldMutexes()


@export("CriticalSection", "compat.v1.CriticalSection")
class CriticalSection:
    """Runs functions one at a time: no two executions of one section overlap, in any thread, session or function.

    ```python
    v, section = tf.Variable(0.0), tf.CriticalSection()

    def count():
        value = v.read_value()
        with tf.control_dependencies([v.assign_add(1)]):
            return tf.identity(value)

    section.execute(count)
    ```

    Args:
      name: the section's name.
      shared_name: sections of one shared name are one section; without it, a section stands alone.
      critical_section_def, import_scope: not supported, as in TensorFlow.

    Attributes:
      name: its name.

    Raises:
      ValueError: if `critical_section_def` is given.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def and name is not None:
            raise ValueError(
                f"Arguments critical_section_def={critical_section_def} and shared_name={shared_name} are mutually "
                "exclusive. Please only specify one of them."
            )
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with name_scope(name or "CriticalSection") as scope:
            self.name: str = scope.rstrip("/")
        self._mutex = Mutex(self.name) if shared_name is None else shared_mutex(shared_name)
        graph = context.current().graph
        if graph is not None:
            graph.add_to_collection("critical_sections", self)

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """`fn()`, which no other execution of this section overlaps.

        Args:
          fn: a function without arguments that returns a nest of tensors, or an operation.
          exclusive_resource_access: whether no other section of the graph may use the variables and tables of `fn`.
          name: the node's name.

        Returns:
          The result of `fn`.

        Raises:
          ValueError: if `fn` executes something in this section again, or if it uses a resource that another section
            uses and one of the two asked for exclusive access.
        """
        graph = context.current().graph
        with self._inside():
            if graph is None:
                with self._mutex.lock:
                    return fn()
            traced = trace(fn, name or "critical_section_execute")
        resources = tuple(c for c in traced.graph.external_captures if c.dtype is dtypes.resource)
        self._check_access(graph.get_collection("critical_section_executions"), resources, exclusive_resource_access)
        node = add_running(
            graph,
            LOCKED_CALL,
            [],
            {"f": traced.graph},
            [t._dims for t in traced.graph.outputs],
            name or "critical_section_execute",
            {"mutex": self._mutex},
        )
        graph.add_to_collection(
            "critical_section_executions", _Execution(node, self, resources, exclusive_resource_access)
        )
        return traced.pack(node.outputs, node)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Ops that are traced or run in the block belong to this section."""
        if self._mutex in _entered.mutexes:
            raise ValueError(
                f"Attempting to lock a CriticalSection (signature={self._mutex.name}) in which we are already "
                "running. This is illegal and may cause deadlocks."
            )
        _entered.mutexes.append(self._mutex)
        try:
            yield
        finally:
            _entered.mutexes.remove(self._mutex)

    def _check_access(self, executions: Sequence[_Execution], resources: Sequence[Any], exclusive: bool) -> None:
        for other in executions:
            if other.section._mutex is self._mutex or not (exclusive or other.exclusive_resource_access):
                continue
            shared = [r for r in resources if any(r is taken for taken in other.resources)]
            if shared:
                raise ValueError(
                    f"This execution would access resources: {shared}. Either this lock (CriticalSection: {self.name}) "
                    f"or lock '{other.section.name}' requested exclusive resource access of this resource. Did you "
                    "mean to call execute with keyword argument exclusive_resource_access=False?"
                )

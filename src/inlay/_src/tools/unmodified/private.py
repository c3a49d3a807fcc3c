"""Names of TensorFlow's private modules that programs use although no public namespace has them.

`names` finds it here by its name.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from inlay._src.base.interpreter import messages
from inlay._src.core import context as places
from inlay._src.core import device
from inlay._src.core.device_spec import DeviceSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import scatter, seeds
from inlay._src.ops.array import expand_dims, identity, reshape
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.control import control_dependencies

# ---------------------------------------------------------------- behavior, devices, control


def enabled() -> bool:
    """Whether ops run at once where nothing says more, as in 2.x."""
    return places.base().graph is None


class Context:
    """The place in a program at which ops are made: `tensorflow.python.eager.context.context()`."""

    def executing_eagerly(self) -> bool:
        """Whether ops run at once here."""
        return places.current().graph is None

    @property
    def device_name(self) -> str:
        """The device string in force, "" without one."""
        return places.current().device

    @property
    def device_spec(self) -> DeviceSpec:
        """The parts of `device_name`."""
        return DeviceSpec.from_string(self.device_name)

    def clear_kernel_cache(self) -> None:
        """Forgets kernels that ops were compiled for: an op has none of its own."""

    def num_gpus(self) -> int:
        """The number of GPUs that ops can be placed on."""
        return len(device.available()) - len(device.cpu_names())


def context() -> Context:
    """The context of the calling thread."""
    return Context()


def async_wait() -> None:
    """Waits for ops that run on other threads: ops run where they are called."""


def _reset_context() -> None:
    """Forgets the devices and functions of the process: there is nothing that a new context would make anew."""


def is_op_determinism_enabled() -> bool:
    """Whether `tf.config.experimental.enable_op_determinism` was called."""
    return seeds.is_deterministic()


def disable_op_determinism() -> None:
    """Takes back `tf.config.experimental.enable_op_determinism`."""
    seeds.disable_op_determinism()


def should_record_backprop(tensors: Sequence[Any]) -> bool:
    """Whether a gradient tape records what is computed from some tensors.

    Args:
      tensors: eager tensors.
    """
    return any(tape.follows(tensors) for tape in places.current().tapes)


should_record = should_record_backprop


class LocalDevice(NamedTuple):
    """A device of this process, as `device_lib` tells it.

    Attributes:
      name: "/device:CPU:0".
      device_type: "CPU" or "GPU".
      memory_limit: bytes that may be used there; 0, as nothing is set aside.
      incarnation: of the device; it is the same as long as the process lives.
      physical_device_desc: "".
    """

    name: str
    device_type: str
    memory_limit: int = 0
    incarnation: int = 1
    physical_device_desc: str = ""


def list_local_devices(session_config: Any = None) -> list[LocalDevice]:
    """The devices that ops can be placed on.

    Args:
      session_config: accepted.
    """
    return [LocalDevice(name, name.split(":")[1]) for name in device.available()]


def with_dependencies(dependencies: Sequence[Any], output_tensor: Any, name: str | None = None) -> Any:
    """A tensor that has its value once some operations have run.

    Args:
      dependencies: the operations, or tensors of them.
      output_tensor: a tensor or `IndexedSlices`.
      name: the node's name.

    Returns:
      The same value.
    """
    with control_dependencies(list(dependencies)):
        if isinstance(output_tensor, IndexedSlices):
            values = identity(output_tensor.values, name=name or "control_dependency")
            return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
        return identity(convert_to_tensor(output_tensor), name=name or "control_dependency")


# ---------------------------------------------------------------- functions


def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of a function's positional parameters.

    Args:
      fn: a function, a method (without the object it is bound to), a partial (without what it binds), or a callable
        object.
    """
    if isinstance(fn, functools.partial):
        names = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in names if name not in (fn.keywords or {}))
    called = fn if inspect.isroutine(fn) else type(fn).__call__
    names = tuple(inspect.getfullargspec(called).args)
    return names[1:] if inspect.ismethod(fn) or called is not fn else names


contextmanager = contextlib.contextmanager


def make_decorator(target: Any, decorator_func: Any, *args: Any, **kwargs: Any) -> Any:
    """A decorator's function with the name, the documentation and the signature of the function that it calls.

    Args:
      target: the function that is decorated.
      decorator_func: the function in its place.
      *args, **kwargs: accepted: the decorator's own name and documentation.
    """
    return functools.wraps(target)(decorator_func)


# ---------------------------------------------------------------- rows written over


def _rows(how: Callable[..., Tensor]) -> Callable[[Any, Any, Any], Tensor]:
    """A function that changes rows of a tensor; here it gives another one, and leaves its argument as it is."""

    def changed(x: Any, i: Any, v: Any) -> Tensor:
        whole = convert_to_tensor(x)
        values = convert_to_tensor(v, whole.dtype)
        if i is None:  # all of them
            return how(expand_dims(whole, 0), [[0]], expand_dims(values, 0))[0]
        rows = convert_to_tensor(i)
        values = expand_dims(values, 0) if rows.shape.rank == 0 else values
        return how(whole, reshape(rows, [-1, 1]), values)

    return changed


inplace_update = alias_inplace_update = _rows(scatter.tensor_scatter_nd_update)
inplace_add = alias_inplace_add = _rows(scatter.tensor_scatter_nd_add)
inplace_sub = alias_inplace_sub = _rows(scatter.tensor_scatter_nd_sub)


# ---------------------------------------------------------------- deprecation


_silent = False
_warned: set[Any] = set()


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """A decorator: the first call, or each, says that the function is deprecated.

    Args:
      date: when it goes, "2026-01-31"; None for "a future version".
      instructions: the alternative.
      warn_once: whether only the first call warns.
    """

    def decorated(function: Any) -> Any:
        @functools.wraps(function)
        def warning(*args: Any, **kwargs: Any) -> Any:
            if not _silent and not (warn_once and function in _warned):
                _warned.add(function)
                when = f"after {date}" if date else "in a future version"
                name = getattr(function, "__qualname__", repr(function))
                messages.warning("%s is deprecated and will be removed %s. %s", name, when, instructions)
            return function(*args, **kwargs)

        return warning

    return decorated


def deprecated_args(date: str | None, instructions: str, *names: Any, **options: Any) -> Callable[[Any], Any]:
    """A decorator for functions with deprecated arguments; nothing is said of them here.

    Args:
      date, instructions: accepted.
      *names, **options: accepted.
    """
    return lambda function: function


deprecated_arg_values = deprecated_args


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """No function says that it is deprecated in the block."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before

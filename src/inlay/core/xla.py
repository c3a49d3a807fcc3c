"""JAX on first use, for kernels that need more than `jax.numpy` has, and 64-bit types kept without the global flag."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any


def jnp() -> ModuleType:
    """`jax.numpy`, the other namespace of kernels."""
    return importlib.import_module("jax.numpy")


def lax() -> ModuleType:
    """`jax.lax`."""
    return importlib.import_module("jax.lax")


def special() -> ModuleType:
    """`jax.scipy.special`."""
    return importlib.import_module("jax.scipy.special")


def wide_types() -> AbstractContextManager[Any]:
    """A context in which JAX keeps 64-bit types, in this thread; the process-wide flag is untouched."""
    import jax

    return jax.enable_x64(True)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled, once per shapes and types of its arguments; call it within `wide_types`."""
    import jax

    return jax.jit(function)  # type: ignore[no-any-return]


def is_traced(value: Any) -> bool:
    """Whether a value is known only when compiled code runs."""
    import jax

    return isinstance(value, jax.core.Tracer)


def transposed(linear: Callable[[Any], Any], shape: Sequence[int], cotangent: Any) -> Any:
    """The transpose of a linear function of an array of `shape`, applied to a cotangent of its result."""
    import jax

    return jax.linear_transpose(linear, jax.ShapeDtypeStruct(tuple(shape), cotangent.dtype))(cotangent)[0]

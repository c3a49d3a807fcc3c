"""`Defun`: functions of 1.x, whose argument types and gradients are declared; thin over `function`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops.variables.scope import AUTO_REUSE, get_variable_scope, variable_scope
from inlay._src.programs.control.custom_gradient import custom_gradient
from inlay._src.programs.functions.function import function


class Applied(NamedTuple):
    """One application, as a gradient function of 1.x reads it.

    Attributes:
      inputs: the arguments, as tensors.
      outputs: the results.
    """

    inputs: Sequence[Any]
    outputs: Sequence[Any]


class Defun:
    """Decorator for functions of tensors: `tensorflow.python.framework.function.Defun`.

    Args:
      *input_types: the dtype of each argument; none, and arguments are of the types they have.
      func_name: a name for the function; its own if None.
      grad_func: a function, such as a `Defun`, of the arguments and the cotangents of the results that returns the
        cotangents of the arguments.
      python_grad_func: a function of the application, which has `inputs` and `outputs`, and the cotangents of the
        results; instead of `grad_func`.
      out_names: accepted; results have no names of their own.
      shape_func: a function of the application that returns the shapes of the results.
      **options: accepted and ignored: options of TensorFlow 1's compiler.

    Raises:
      ValueError: if both gradients are given.
    """

    def __init__(
        self,
        *input_types: Any,
        func_name: str | None = None,
        grad_func: Callable[..., Any] | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        if grad_func is not None and python_grad_func is not None:
            raise ValueError("Gradient defined twice: give `grad_func` or `python_grad_func`")
        self._types = [dtypes.as_dtype(t) for t in input_types]
        self._name, self._shapes = func_name, shape_func
        if grad_func is not None:
            self._gradient: Any = lambda op, *grads: grad_func(*op.inputs, *grads)
        else:
            self._gradient = python_grad_func

    def __call__(self, func: Callable[..., Any]) -> DefinedFunction:
        """The function, made one of tensors.

        Raises:
          ValueError: if it takes another number of arguments than there are types, or keyword arguments.
        """
        parameters = inspect.signature(func).parameters.values()
        if any(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) or p.default is not p.empty for p in parameters):
            raise ValueError("Functions with argument defaults or keywords arguments are not supported.")
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        if self._types and not variadic and len(parameters) != len(self._types):
            raise ValueError(
                f"The function {func.__name__} takes {len(parameters)} arguments, but {len(self._types)} types are "
                "given"
            )
        return DefinedFunction(func, self._types, self._name or func.__name__, self._gradient, self._shapes)


class DefinedFunction:
    """A function that `Defun` has defined.

    Attributes:
      name: its name.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        types: Sequence[dtypes.DType],
        name: str,
        gradient: Callable[..., Any] | None,
        shape_func: Callable[..., Any] | None,
    ) -> None:
        functools.update_wrapper(self, func)
        self.name, self._types, self._shapes = name, types, shape_func
        self._run: Callable[..., Any] = function(_sharing(func), autograph=False)
        if gradient is not None:
            self._run = _with_gradient(self._run, gradient)

    def __call__(self, *args: Any, name: str | None = None, **options: Any) -> Any:
        """Applies it.

        Args:
          *args: tensors, or what turns into them.
          name: accepted; an application has no node of its own here.
          **options: accepted and ignored.

        Returns:
          A tensor, or a tuple of them.

        Raises:
          ValueError: for another number of arguments than there are types.
        """
        if self._types and len(args) != len(self._types):
            raise ValueError(f"Expected number of arguments: {len(self._types)}, received: {len(args)}")
        tensors = [convert_to_tensor(a, self._types[i] if self._types else None) for i, a in enumerate(args)]
        result = self._run(*tensors)
        outputs = _flat(result)
        if self._shapes is not None:
            for output, shape in zip(outputs, self._shapes(Applied(tensors, outputs)), strict=True):
                output.set_shape(shape)
        return tuple(result) if isinstance(result, (list, tuple)) else result


def _sharing(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func`, which finds the variables that it made when it is traced again."""

    @functools.wraps(func)
    def sharing(*args: Any) -> Any:
        with variable_scope(get_variable_scope(), reuse=AUTO_REUSE):
            return func(*args)

    return sharing


def _flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]


def _with_gradient(run: Callable[..., Any], gradient: Callable[..., Any]) -> Callable[..., Any]:
    @custom_gradient
    def applied(*inputs: Any) -> Any:
        result = run(*inputs)

        def grad(*cotangents: Any, variables: Sequence[Any] = ()) -> Any:
            gradients = _flat(gradient(Applied(inputs, _flat(result)), *cotangents))
            return (gradients, [None] * len(variables)) if variables else gradients

        return result, grad

    return applied  # type: ignore[no-any-return]

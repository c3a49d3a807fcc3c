"""PyTorch: `torch.library.custom_op`, and eager operations where a row has no host function."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import shapes
from benchmarks.timing import Timed, control, loop


def load() -> Any:
    """The module that the programs call `torch`."""
    import torch

    return torch


def _unchanged(torch: Any) -> Any:
    def unchanged(x: torch.Tensor) -> torch.Tensor:
        return x.clone()  # an op may not return its input

    unchanged.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    return torch.library.custom_op("benchmarks::unchanged", unchanged, mutates_args=())


def session_py_func(torch: Any) -> Timed:
    unchanged, x = _unchanged(torch), torch.ones(4)
    return loop(lambda: unchanged(x))


def session_py_func_chain(torch: Any) -> Timed:
    unchanged, x = _unchanged(torch), torch.ones(4)

    def call() -> Any:
        y = x
        for _ in range(50):
            y = unchanged(y)
        return y

    return loop(call)


def session_py_func_wide(torch: Any) -> Timed:
    unchanged, x = _unchanged(torch), torch.ones(4)
    return loop(lambda: [unchanged(x) for _ in range(100)])


def session_py_function_gradient(torch: Any) -> Timed:
    def square(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.square(x.detach().numpy()))

    square.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    op = torch.library.custom_op("benchmarks::square", square, mutates_args=())

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])

    def backward(ctx: Any, g: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * g

    op.register_autograd(backward, setup_context=setup)
    x, ones = torch.ones(4, requires_grad=True), torch.ones(4)

    def call() -> Any:
        y = op(x)
        return y, torch.autograd.grad(y, x, ones)

    return loop(call)


def eager_add(torch: Any) -> Timed:
    x, y = torch.ones(4), torch.ones(4)
    return loop(lambda: x + y)


def eager_tape_multiply(torch: Any) -> Timed:
    x, ones = torch.ones(4, requires_grad=True), torch.ones(4)
    return loop(lambda: torch.autograd.grad(x * x, x, ones))


def new_shapes_gradient(torch: Any) -> Timed:
    arrays = shapes.distinct()
    m = torch.tensor(2.0)

    def call() -> Any:
        x = torch.from_numpy(next(arrays)).requires_grad_()
        outside = m**2 * (1 - 2 * torch.log(m) + torch.log(x**2 + 1e-6))
        y = torch.where(torch.abs(x) <= m, x**2, outside)
        return torch.autograd.grad(y, x, torch.ones_like(y))

    return loop(call)


def _sine_chain(torch: Any, size: int) -> Timed:
    x = torch.linspace(0, 1, size)

    def call() -> Any:
        y = x
        for _ in range(50):
            y = torch.sin(y) + 1.0
        return y

    return loop(call)


def sine_chain_4(torch: Any) -> Timed:
    return _sine_chain(torch, 4)


def sine_chain_1e6(torch: Any) -> Timed:
    return _sine_chain(torch, 1_000_000)


CASES = {
    builder.__name__: builder
    for builder in (
        control,
        session_py_func,
        session_py_func_chain,
        session_py_func_wide,
        session_py_function_gradient,
        eager_add,
        eager_tape_multiply,
        new_shapes_gradient,
        sine_chain_4,
        sine_chain_1e6,
    )
}

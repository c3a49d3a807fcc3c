"""A PyTorch model inside of a graph: gradients pass through it, and both sides are trained at once.

    pip install 'inlay[torch]'
    python examples/torch_inside.py [--steps 300] [--out FOLDER]

A model of PyTorch is an op: a function that calls it, and with `grad=` one that calls PyTorch's `backward`. In front of
it stand variables of the graph. The exit status is 0 only if the gradient is PyTorch's own and that of finite
differences, and if the whole learns a curve that the PyTorch model alone does not.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

with needs("inlay[torch]"):
    import torch

X = np.linspace(-1, 1, 200, dtype=np.float32)[:, None]
Y = np.sin(12 * X) * X


class TorchOp:
    """A PyTorch module as an op of one input and one output.

    Attributes:
      module: the module; what `backward` adds to its parameters' `grad` is for an optimizer of PyTorch.
    """

    def __init__(self, module: Any) -> None:
        self.module = module

    def __call__(self, x: Any) -> Any:
        return tf.numpy_function(self._forward, [x], tf.float32, output_shapes=[None, 1], grad=self._gradient)

    def _gradient(self, x: Any, y: Any, slope: Any) -> Any:
        return tf.numpy_function(self._backward, [x, slope], tf.float32, output_shapes=x.shape)

    def _forward(self, x: Any) -> Any:
        with torch.no_grad():
            return self.module(torch.from_numpy(x)).numpy()

    def _backward(self, x: Any, slope: Any) -> Any:
        leaf = torch.from_numpy(x).requires_grad_()
        self.module(leaf).backward(torch.from_numpy(slope))
        return leaf.grad.numpy()


def network(width: int) -> Any:
    return torch.nn.Sequential(torch.nn.Linear(width, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))


def show_gradient() -> None:
    op = TorchOp(network(3))
    points = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        found = session.run(tf.gradients(tf.reduce_sum(op(x) ** 2), x)[0], {x: points})
    leaf = torch.from_numpy(points).requires_grad_()
    (op.module(leaf) ** 2).sum().backward()
    check("in a graph the gradient is PyTorch's own", np.allclose(found, leaf.grad.numpy(), atol=1e-6))
    exact, measured = tf.test.compute_gradient(op, [points], delta=1e-2)
    check("and that of finite differences", np.allclose(exact, measured, atol=1e-3))


def trained_alone(steps: int) -> float:
    """The error of the same PyTorch model without variables in front of it."""
    module, x, y = network(1), torch.from_numpy(X), torch.from_numpy(Y)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(module(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def main() -> int:
    options = arguments(__doc__, steps=300)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    show_gradient()
    alone = trained_alone(options.steps)

    inside = TorchOp(network(16))
    waves = tf.Variable(np.random.default_rng(1).normal(0, 8, (1, 8)).astype(np.float32))
    ours = tf.compat.v1.train.AdamOptimizer(0.01)
    theirs = torch.optim.Adam(inside.module.parameters(), lr=0.01)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            angles = tf.matmul(x, waves)
            found = inside(tf.concat([tf.sin(angles), tf.cos(angles)], axis=1))
            loss = tf.reduce_mean(tf.square(found - y))
        ours.apply_gradients([(tape.gradient(loss, waves), waves)])
        return loss, found

    start, losses = waves.numpy(), []
    for _ in range(options.steps):
        theirs.zero_grad()
        loss, found = step(tf.constant(X), tf.constant(Y))
        theirs.step()  # the gradients came with those of the graph
        losses.append(float(loss))
    check(f"together they are off by {losses[-1]:.5f}, PyTorch alone by {alone:.5f}", losses[-1] < alone / 2)
    check("the variables of the graph have learned too", np.abs(waves.numpy() - start).max() > 0.1)

    columns = {"x": X[:, 0], "y": Y[:, 0], "found": found.numpy()[:, 0]}
    save(options.out, "torch_inside", columns)
    return status()


if __name__ == "__main__":
    sys.exit(main())

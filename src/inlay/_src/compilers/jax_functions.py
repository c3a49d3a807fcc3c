"""`inlay.jax.from_jax`: a function of JAX arrays as an op of tensors, whose gradient is JAX's, of every order."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.site import of_function
from inlay._src.core.tensor import Tensor
from inlay._src.host.api import numpy_function
from inlay._src.host.declare import checked_callable


@export("jax.from_jax")
def from_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of JAX arrays as an op of tensors, eagerly, in graphs and in datasets.

    It is compiled by `jax.jit` for each combination of shapes and dtypes. Its gradient is that of `jax.vjp`, of every
    order. 64-bit types are kept.

    ```python
    import jax.numpy as jnp

    distance = tf.jax.from_jax(lambda x, y: jnp.sqrt(((x - y) ** 2).sum()))

    x, y = tf.constant([3.0, 0.0]), tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        d = distance(x, y)
    tape.gradient(d, x)
    ```

    Args:
      function: a pure function of arrays, or nests of arrays, that returns a nest of arrays; it may be jitted.

    Returns:
      A function of tensors, or nests of tensors, that returns a nest of tensors.

    Raises:
      ValueError: if it is not callable.
    """
    checked_callable(function)
    ops: dict[Any, _FlatOp] = {}  # by the structure of the arguments

    @functools.wraps(function)
    def as_op(*args: Any) -> Any:
        tree = xla.jax().tree
        leaves, taken = tree.flatten(args)
        op = ops.get(taken)
        if op is None:
            op = ops[taken] = _FlatOp(lambda *arrays: function(*taken.unflatten(arrays)), of_function(function))
        tensors = [convert_to_tensor(leaf) for leaf in leaves]
        structure = tree.structure(op.results([t.shape for t in tensors], [t.dtype for t in tensors]))
        return tree.unflatten(structure, op(tensors))

    return as_op


class _FlatOp:
    """A function of flat arrays that returns a nest, as an op.

    Args:
      function: the function.
      label: its name and definition, for messages.
    """

    def __init__(self, function: Callable[..., Any], label: str) -> None:
        self._function, self.label = function, label
        self._compiled = xla.jax().jit(function)
        self._results: dict[Any, Any] = {}
        self._pullbacks: dict[Any, _FlatOp] = {}

    def __call__(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The flat results."""
        kinds = [t.dtype for t in tensors]
        gives = [dtypes.FROM_NUMPY[np.dtype(leaf.dtype)] for leaf in self._leaves([t.shape for t in tensors], kinds)]

        def run(*arrays: Any) -> list[np.ndarray]:
            with xla.wide_types():
                return [np.asarray(value) for value in xla.jax().tree.leaves(self._compiled(*arrays))]

        def shapes_of(*shapes: TensorShape) -> list[Any]:
            if not all(shape.is_fully_defined() for shape in shapes):
                raise ValueError("the shapes of results follow from those of the inputs, which are unknown")
            return [list(leaf.shape) for leaf in self._leaves(shapes, kinds)]

        def grad(*values: Any) -> list[Any]:
            inputs, grads = values[: len(tensors)], values[len(tensors) + len(gives) :]
            trainable = tuple(i for i, kind in enumerate(kinds) if kind.is_trainable)
            seeded = tuple(j for j, kind in enumerate(gives) if kind.is_trainable)
            pulled = iter(self._pullback(trainable, seeded)([*inputs, *[grads[j] for j in seeded]]))
            return [next(pulled) if i in trainable else None for i in range(len(inputs))]

        run.__name__ = run.__qualname__ = self.label.split(" ", 1)[0]
        return numpy_function(  # type: ignore[no-any-return]
            run, list(tensors), gives, stateful=False, output_shapes=shapes_of, grad=grad, copy=False
        )

    def results(self, shapes: Sequence[TensorShape], kinds: Sequence[DType]) -> Any:
        """The nest of results, as shapes and dtypes; an unknown size of an input is 2, as dtypes do not depend on it.

        Raises:
          ValueError: if the rank of an input is unknown.
        """
        for place, shape in enumerate(shapes):
            if shape.rank is None:
                raise ValueError(f"{self.label} needs the rank of its input {place}: use tf.ensure_shape")
        sizes = [tuple([2 if size is None else size for size in shape.as_list()]) for shape in shapes]
        key = tuple(sizes), tuple(kinds)
        if key not in self._results:
            jax = xla.jax()
            with xla.wide_types():
                structs = [jax.ShapeDtypeStruct(size, kind.np) for size, kind in zip(sizes, kinds, strict=True)]
                self._results[key] = jax.eval_shape(self._function, *structs)
        return self._results[key]

    def _leaves(self, shapes: Sequence[TensorShape], kinds: Sequence[DType]) -> list[Any]:
        return xla.jax().tree.leaves(self.results(shapes, kinds))  # type: ignore[no-any-return]

    def _pullback(self, trainable: tuple[int, ...], seeded: tuple[int, ...]) -> _FlatOp:
        """From inputs and cotangents of results to the cotangents of inputs; these are the conjugates of JAX's."""
        op = self._pullbacks.get((trainable, seeded))
        if op is None:
            function = functools.partial(self._pulled, trainable, seeded)
            op = self._pullbacks[trainable, seeded] = _FlatOp(function, f"gradient_of_{self.label}")
        return op

    def _pulled(self, trainable: Sequence[int], seeded: Sequence[int], *arrays: Any) -> list[Any]:
        jax, jnp = xla.jax(), xla.jnp()
        count = len(arrays) - len(seeded)
        inputs = list(arrays[:count])

        def outputs(*variables: Any) -> list[Any]:
            for place, value in zip(trainable, variables, strict=True):
                inputs[place] = value
            leaves = jax.tree.leaves(self._function(*inputs))
            return [leaves[j] for j in seeded]

        _, pull = jax.vjp(outputs, *[arrays[i] for i in trainable])
        return [jnp.conj(g) for g in pull([jnp.conj(c) for c in arrays[count:]])]

"""Host functions of flat tensors as ops of PyTorch, with their gradients and batching rules.

    binding(*tensors) ─┬─ no gradient ─▶ op `inlay::f_1` ─▶ order.values
                       └─ gradient ────▶ `torch.autograd.Function`
                                          ├ forward  ─▶ op `inlay::f_1_with_token` ─▶ order.with_token
                                          ├ backward ─▶ binding of the next order
                                          ├ jvp      ─▶ bindings of the next two orders
                                          └ vmap     ─▶ one call, or one per element

The ops are those of `torch.library`: they have fake kernels, gradients and batching rules of their own, so exported
programs, which contain the ops alone, differentiate too. Calls go through a `torch.autograd.Function`, because the
gradients of `torch.library.register_autograd` do not work under `torch.func.grad`.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import bracketed
from inlay._src.compilers.derivatives import Order
from inlay._src.core.opdef import Effect
from inlay._src.host.record import Mode

_SHAPES = 256
"""The number of argument shapes for which an op remembers the shapes of its results."""


class _Dtype(NamedTuple):
    """A dtype in PyTorch.

    Attributes:
      torch: PyTorch's dtype.
      bits: the PyTorch dtype of integers of the same size if PyTorch and NumPy do not exchange this one, else None.
      numpy_bits: the same of NumPy.
    """

    torch: Any
    bits: Any
    numpy_bits: Any


@functools.cache
def torch_dtypes() -> dict[dtypes.DType, _Dtype]:
    """The dtypes that PyTorch and inlay share."""
    torch = torch_module()
    table: dict[dtypes.DType, _Dtype] = {}
    for dtype in dict.fromkeys(dtypes.FROM_NUMPY.values()):
        kind = getattr(torch, dtype.name, None)
        if isinstance(kind, torch.dtype):
            foreign = dtype.np.isbuiltin != 1  # a dtype of ml_dtypes
            size = dtype.np.itemsize
            bits = (torch.uint8, np.uint8) if size == 1 else (torch.int16, np.int16)
            table[dtype] = _Dtype(kind, *(bits if foreign else (None, None)))
    return table


@functools.cache
def _by_torch_dtype() -> dict[Any, dtypes.DType]:
    return {entry.torch: dtype for dtype, entry in torch_dtypes().items()}


def dtype_of(dtype: Any, what: str, label: str) -> dtypes.DType:
    """The dtype for one of PyTorch, NumPy or inlay."""
    if isinstance(dtype, torch_module().dtype):
        equivalent = _by_torch_dtype().get(dtype)
    else:
        try:
            equivalent = dtypes.as_dtype(dtype)
        except TypeError:
            equivalent = None
    if equivalent is None or equivalent not in torch_dtypes():
        raise TypeError(f"{what} of {label} is of {dtype}, which PyTorch and NumPy do not share; pass its numbers")
    return equivalent


# ---------------------------------------------------------------- bindings


class TorchBinding:
    """A function of flat PyTorch tensors that returns flat ones: one order of derivative.

    Args:
      order: the order.
      vmap: as in `op`.
      shapes_of: the shapes of the results for those of the arguments.
      checked: whether each call compares the shapes of its results with these.
      axes: the number of axes that all arrays have in front, as batches are computed at once.
      sources: for each result of a pullback the position of the argument whose cotangent it is.
    """

    def __init__(
        self,
        order: Order,
        vmap: str,
        shapes_of: Callable[[Sequence[Any]], list[Any]],
        checked: bool,
        axes: int = 0,
        sources: Sequence[int] = (),
    ) -> None:
        torch = torch_module()
        self._order, self._vmap, self._rule, self._checked, self._axes = order, vmap, shapes_of, checked, axes
        self._label, self._sources = order.host.label, sources
        self._shapes: dict[Any, Any] = {}
        host, primal = order.host, not order.tokens
        eager = host.mode is Mode.EAGER
        self._copies = primal and eager and host.copy  # the function may keep its tensors
        self._owned = primal and not eager  # the call has seen to it
        self._from_numpy = torch.from_numpy
        self._recordable = eager or host.grad is not None
        self._takes = [torch_dtypes()[a.dtype] for a in order.takes]
        self._gives = [torch_dtypes()[a.dtype] for a in order.gives]
        self._integers = [j for j, a in enumerate(order.gives) if not a.dtype.is_trainable]
        self._differentiable = bool(order.differentiable)
        self._grad_enabled, self._forward_mode = torch.is_grad_enabled, torch.autograd.forward_ad
        self._transformed = torch._C._are_functorch_transforms_active
        self._below_autograd = torch._C._AutoDispatchBelowAutograd
        number, count = next(_numbers), len(order.gives)
        name = f"{re.sub(r'[^A-Za-z0-9_]', '_', order.host.name).strip('_') or 'function'}_{number}"
        self._single = count == 1
        self.plain = self._define(name, self._values, False)
        self.with_token = self._define(f"{name}_with_token", self._recorded_values, True)
        self._function, self._mapped = self._autograd_function(True), self._autograd_function(False)

    def __call__(self, *tensors: Any) -> Sequence[Any]:
        """The results."""
        if self._differentiable:
            if self._grad_enabled():
                for t in tensors:
                    if t.requires_grad:
                        return self.recorded(*tensors)[:-1]
            if self._forward_mode._current_level >= 0:
                return self.recorded(*tensors)[:-1]
        if self._transformed():  # a rule of an op cannot differentiate what is in the batch, that of a function can
            return _as_tuple(self._mapped.apply(*tensors))
        with self._below_autograd():  # no tensor requires a gradient; PyTorch takes a third of a call to see that
            results = self.plain(*tensors)
        return (results,) if self._single else results or ()  # type: ignore[no-any-return]

    def recorded(self, *tensors: Any) -> tuple[Any, ...]:
        """The results and the token of the recording, as functions that all of PyTorch differentiates."""
        return _as_tuple(self._function.apply(*tensors))

    @functools.cached_property
    def next(self) -> TorchBinding:
        """The pullback."""
        order = self._order.next()
        asked = self._order.differentiable
        return TorchBinding(order, self._vmap, lambda shapes: [shapes[i] for i in asked], False, self._axes, asked)

    @functools.cached_property
    def _batched(self) -> TorchBinding:
        """The same with one more axis in front of all arrays."""
        return TorchBinding(self._order, self._vmap, self._rule, self._checked, self._axes + 1, self._sources)

    # ------------------------------------------------------------ what PyTorch calls

    def _define(self, name: str, kernel: Callable[..., Any], records: bool) -> Any:
        """An op of `torch.library` with the kernels, the gradient and the batching rule.

        Args:
          name: its name.
          kernel: computes it.
          records: whether it keeps a recording, and returns its token.
        """
        torch, library = torch_module(), _library()
        count = len(self._gives) + records
        results = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        arguments = ", ".join(f"Tensor a{i}" for i in range(len(self._takes)))
        library.define(f"{name}({arguments}) -> {results}", tags=(torch.Tag.pt2_compliant_tag,))
        path = f"inlay::{name}"
        library.impl(name, kernel, "CompositeExplicitAutograd")
        torch.library.register_fake(path, functools.partial(self._fake, records), lib=library)
        overload = getattr(torch.ops.inlay, name).default
        if self._differentiable and count:
            setup = functools.partial(self._setup, records)
            torch.library.register_autograd(path, self._backward, setup_context=setup, lib=library)
        if hasattr(torch.library, "register_vmap"):  # since PyTorch 2.5

            def call(binding: TorchBinding, *tensors: Any) -> tuple[Any, ...]:
                return _as_tuple((binding.with_token if records else binding.plain)(*tensors))

            def batch(info: Any, in_dims: Sequence[int | None], *tensors: Any) -> Any:
                outputs, out_dims = self._vmapped(call, records, info.batch_size, in_dims, tensors)
                return (outputs[0], out_dims[0]) if count == 1 else (outputs, out_dims)

            torch.library.register_vmap(path, batch, lib=library)
        if self._order.host.effect is Effect.STATEFUL:
            _keep(path, overload, library)
        return overload

    def _autograd_function(self, records: bool) -> Any:
        """The call as a `torch.autograd.Function`; if `records`, it keeps a recording and returns its token."""
        call = TorchBinding.recorded if records else TorchBinding.__call__

        def forward(*tensors: Any) -> tuple[Any, ...]:
            with self._below_autograd():
                return _as_tuple((self.with_token if records else self.plain)(*tensors))

        def jvp(ctx: Any, *tangents: Any) -> tuple[Any, ...]:
            return (*self._pushed(ctx.saved_tensors, tangents), *([None] if records else []))

        def vmap(info: Any, in_dims: Sequence[int | None], *tensors: Any) -> Any:
            return self._vmapped(call, records, info.batch_size, in_dims, tensors)

        methods: dict[str, Callable[..., Any]] = {
            "forward": forward,
            "setup_context": functools.partial(self._setup, records),
            "backward": self._backward,
            "jvp": jvp,
            "vmap": vmap,
        }
        name = re.sub(r"\W", "_", self._order.host.name)
        return type(name, (torch_module().autograd.Function,), {k: staticmethod(m) for k, m in methods.items()})

    def _setup(self, records: bool, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Saves what the backward pass needs; the op that keeps no recording leaves a token of none."""
        outputs = _as_tuple(output)
        token = outputs[-1] if records else torch_module().zeros((), dtype=torch_module().int64)
        ctx.save_for_backward(*inputs, token)
        if hasattr(ctx, "save_for_forward"):
            ctx.save_for_forward(*inputs, token)
        ctx.mark_non_differentiable(*[outputs[j] for j in self._integers], *([token] if records else []))

    def _backward(self, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        self._refuse_without_gradient()
        seeds = [c for c, a in zip(cotangents, self._order.gives, strict=False) if a.dtype.is_trainable]
        grads = iter(self.next(*ctx.saved_tensors, *seeds))
        asked = set(self._order.differentiable)
        return tuple([next(grads) if i in asked else None for i in range(len(self._takes))])

    def _pushed(self, saved: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """The tangents of the results: the pullback is linear in cotangents, and its transpose is the derivative."""
        self._refuse_without_gradient()
        torch = torch_module()
        *inputs, _ = saved
        seeded = [j for j in range(len(self._gives)) if j not in self._integers]
        if not seeded:
            return (None,) * len(self._gives)
        shapes, devices = self._expected(inputs), self._devices(inputs)
        zeros = [torch.zeros(shapes[j], dtype=self._gives[j].torch, device=devices[j]) for j in seeded]
        token = self.next.recorded(*saved, *zeros)[-1]
        asked = self._order.differentiable
        vectors = [torch.zeros_like(inputs[i]) if tangents[i] is None else tangents[i] for i in asked]
        pushed = iter(self.next.next(*saved, *zeros, token, *vectors)[-len(seeded) :])
        return tuple([None if j in self._integers else next(pushed) for j in range(len(self._gives))])

    def _refuse_without_gradient(self) -> None:
        if not self._recordable:
            raise TypeError(
                f"{self._label} takes NumPy arrays, through which no gradient flows: give it one with grad=, or take "
                "tensors (mode='eager')"
            )

    def _vmapped(
        self, call: Callable[..., Any], records: bool, size: int, in_dims: Sequence[int | None], tensors: Sequence[Any]
    ) -> tuple[tuple[Any, ...], tuple[int | None, ...]]:
        """The results of a batch and their axes.

        Args:
          call: gives the results of a binding for tensors without the axis of the batch; if `records`, the token too.
          records: whether the results include the token.
          size: the number of elements of the batch.
          in_dims: the axis of the batch in each tensor, or None.
          tensors: the arguments.
        """
        torch = torch_module()
        pairs = list(zip(tensors, in_dims, strict=True))
        if self._at_once(in_dims):
            moved = [
                t.movedim(axis, 0) if axis is not None else t if i in self._order.tokens else t.expand(size, *t.shape)
                for i, (t, axis) in enumerate(pairs)
            ]
            return tuple(call(self._batched, *moved)), (*[0] * len(self._gives), *([None] if records else []))
        each = [call(self, *[t if axis is None else t.select(axis, k) for t, axis in pairs]) for k in range(size)]
        if each:
            stacked = [torch.stack(parts) for parts in zip(*each, strict=True)]
        else:
            shapes = self._shapes_for([t.shape if d is None else (*t.shape[:d], *t.shape[d + 1 :]) for t, d in pairs])
            stacked = [
                torch.empty((0, *shape), dtype=kind.torch, device=device)
                for shape, kind, device in zip(shapes, self._gives, self._devices(tensors), strict=True)
            ]
            if records:
                stacked.append(torch.empty((0,), dtype=torch.int64))
        return tuple(stacked), (0,) * len(stacked)

    def _at_once(self, in_dims: Sequence[int | None]) -> bool:
        """Whether one call computes a batch. A pullback does so if the call that it pulls back did."""
        tokens = self._order.tokens
        if self._vmap != "batched" or any(in_dims[i] is not None for i in tokens):
            return False
        below = in_dims[: max(tokens)] if tokens else in_dims
        return any(axis is not None for axis in below)

    # ------------------------------------------------------------ kernels

    def _fake(self, records: bool, *tensors: Any) -> Any:
        """The results as compilers see them, without memory."""
        torch = torch_module()
        results = [
            torch.empty(shape, dtype=kind.torch, device=device)
            for shape, kind, device in zip(self._expected(tensors), self._gives, self._devices(tensors), strict=True)
        ]
        if records:
            results.append(torch.empty((), dtype=torch.int64))
        return _as_results(results)

    def _devices(self, tensors: Sequence[Any]) -> list[Any]:
        """The devices of the results: that of the first argument that is not on the CPU; of cotangents, their own."""
        if self._sources:
            return [tensors[i].device for i in self._sources]
        others = [t.device for t in tensors if t.device.type != "cpu"]
        return [others[0] if others else "cpu"] * len(self._gives)

    def _expected(self, tensors: Sequence[Any]) -> Sequence[Any]:
        """The shapes of the results."""
        key = tuple([t.shape for t in tensors])
        try:
            shapes = self._shapes.get(key)
        except TypeError:  # sizes that a compiler leaves open have no hash
            return self._shapes_for(key)
        if shapes is None:
            shapes = self._shapes_for(key)
            if all(type(size) is int for shape in (*key, *shapes) for size in shape):
                if len(self._shapes) >= _SHAPES:
                    self._shapes.clear()
                self._shapes[key] = shapes
        return shapes  # type: ignore[no-any-return]

    def _shapes_for(self, shapes: Sequence[Any]) -> list[Any]:
        if not self._axes or self._order.tokens:
            return [tuple(shape) for shape in self._rule(shapes)]
        batch = tuple(shapes[0][: self._axes])
        return [(*batch, *shape) for shape in self._rule([shape[self._axes :] for shape in shapes])]

    def _values(self, *tensors: Any) -> Any:
        """The results of a call."""
        values = self._order.values(self._arrays(tensors))
        return _as_results(self._results(values, tensors))

    def _recorded_values(self, *tensors: Any) -> Any:
        """The results of a call and its token."""
        torch, arrays = torch_module(), self._arrays(tensors)
        if self._recordable:
            values = self._order.with_token(arrays)
            token = int(values.pop())
        else:
            values, token = self._order.values(arrays), 0  # the backward pass raises an error
        return _as_results([*self._results(values, tensors), torch.tensor(token, dtype=torch.int64)])

    def _arrays(self, tensors: Sequence[Any]) -> list[Any]:
        """The arguments as runtime values: views of the memory of tensors."""
        arrays = []
        for i, t in enumerate(tensors):
            try:
                array = (t.detach() if t.requires_grad else t).numpy()
            except (TypeError, RuntimeError):  # it lies on another device, is a conjugate, or NumPy lacks its dtype
                array = self._on_host(t, i)
            if not array.flags.c_contiguous:
                array = ownership.copied(array)
            arrays.append(array if array.ndim else array[()])
        if self._copies:
            return [a.copy() if a.__class__ is np.ndarray else a for a in arrays]
        return arrays

    def _on_host(self, tensor: Any, place: int) -> Any:
        kind = self._takes[place]
        try:
            tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
            if kind.bits is None:
                return tensor.numpy()
            return tensor.contiguous().view(kind.bits).numpy().view(self._order.takes[place].dtype.np)
        except (TypeError, RuntimeError, NotImplementedError) as error:
            raise TypeError(
                f"argument {place} of {self._label} is a {type(tensor).__name__} on {tensor.device} whose memory the "
                f"host cannot read: {error}"
            ) from error

    def _results(self, box: list[Any], tensors: Sequence[Any]) -> list[Any]:
        """The results as tensors, in the memory of arrays that nobody else holds; the box alone holds these."""
        if self._checked:
            for j, shape in enumerate(self._expected(tensors)):
                if box[j].shape != shape:
                    self._refuse_shape(j, box[j].shape, shape)
        results = []
        for j, (kind, bits, numpy_bits) in enumerate(self._gives):
            array = box[j] if self._owned else ownership.own(box, j)
            if array.__class__ is not np.ndarray:
                array = np.asarray(array)
            elif not array.flags.writeable:
                array = array.copy()
            if bits is None:
                results.append(self._from_numpy(array))
            else:
                results.append(self._from_numpy(array.view(numpy_bits)).view(kind))
        for t in tensors:
            if not t.is_cpu:
                return [r.to(device) for r, device in zip(results, self._devices(tensors), strict=True)]
        return results

    def _refuse_shape(self, place: int, shape: Sequence[int], declared: Sequence[int]) -> None:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"result {place} of {self._label} has shape {bracketed(tuple(shape))}, and `result` declares "
            f"{bracketed(tuple(declared))}",
        )


_numbers = itertools.count(1)


def _as_tuple(results: Any) -> tuple[Any, ...]:
    """The results of an op as a tuple."""
    return () if results is None else tuple(results) if isinstance(results, (tuple, list)) else (results,)


def _as_results(tensors: list[Any]) -> Any:
    """Tensors as an op returns them."""
    return tensors[0] if len(tensors) == 1 else tuple(tensors) or None


def _keep(path: str, overload: Any, library: Any) -> None:
    """Tells compilers that calls of an op have an effect: they keep them, and their order."""
    torch = torch_module()
    try:
        effects = importlib.import_module("torch._library.effects")
        torch.library._register_effectful_op(path, effects.EffectType.ORDERED, lib=library)
    except (ImportError, AttributeError):  # an older PyTorch
        importlib.import_module("torch.fx").node.has_side_effect(overload)


@functools.cache
def torch_module() -> Any:
    """PyTorch, which is an extra."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":  # it is there, and lacks something itself
            raise
        raise ImportError("inlay.torch needs PyTorch: pip install 'inlay[torch]'") from error


@functools.cache
def _library() -> Any:
    """The library of PyTorch that contains the ops; it lives as long as the process, as compiled programs may."""
    return torch_module().library.Library("inlay", "FRAGMENT")

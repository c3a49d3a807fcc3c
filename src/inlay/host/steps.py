"""Host calls as steps of plans: written into generated plans, recorded by tapes, on the CPU or on a device.

ArrayStep     a function of NumPy arrays
TensorStep    a function of eager tensors
RecordedStep  the same, which also leaves its pullback
OnDevice      either of the last two on an accelerator
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay import errors
from inlay.core import context
from inlay.core.opdef import OPS
from inlay.core.tensor import EagerTensor
from inlay.devices.device_tensor import sent, tensor_of, value_of
from inlay.host import source, taped
from inlay.host.call import HostCall
from inlay.host.records import Mode
from inlay.interpreter import ownership
from inlay.run.generated import Cells


def bound(call: HostCall, wants_pullback: bool, kinds: Sequence[Any]) -> Any:
    """What a plan's step calls: runtime values in, runtime values (and the pullback if wanted) out.

    Args:
      call: the host call.
      wants_pullback: whether the step leaves its pullback as a last result.
      kinds: the dtypes of its inputs.
    """
    if call.host.mode is Mode.NUMPY:
        return ArrayStep(call, kinds)
    return RecordedStep(call, kinds) if wants_pullback else TensorStep(call, kinds)


class _Step:
    """The step of a host call.

    Attributes:
      call: the call.
      kinds: the dtypes of its inputs.
    """

    __slots__ = ("call", "kinds")

    def __init__(self, call: HostCall, kinds: Sequence[Any]) -> None:
        self.call, self.kinds = call, tuple(kinds)

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """What a generated plan raises for an error of this call."""
        if isinstance(error, errors.OpError) and f"{{{{node {self.call.name}}}}}" in error.message:
            return error
        return self.call.explain(error, inputs)

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape."""
        return taped.heard(self.call, tensors)  # type: ignore[return-value]

    def _written(self, k: int) -> source.CallSource:
        call = self.call
        written = source.CallSource(call.host, call.declared, f"e{k}", k)
        written.names |= {f"f{k}": call.host.fn, f"e{k}": call, **source.NAMES}
        return written

    def _variables(self, outs: Sequence[int], cells: Cells) -> tuple[str, list[str]]:
        """The variable that takes what the function returns, and one for each of its outputs."""
        into = [cells[o] if o in cells.local else f"r{j}" for j, o in enumerate(outs)]
        return (into[0] if source.is_single(self.call.host) else "r"), into

    def _shapes(self, inputs: Sequence[str]) -> list[str]:
        """Lines that keep the shapes of the inputs for a shape rule."""
        return [] if self.call.host.shape_of is None else [f"z = [{', '.join(f'{v}.shape' for v in inputs)}]"]

    def _rule(self, k: int, into: Sequence[str]) -> list[str]:
        """Lines that check results against a shape rule."""
        return [] if self.call.host.shape_of is None else [f"e{k}.check_rule(z, [{', '.join(into)}])"]


class ArrayStep(_Step):
    """A function of NumPy arrays."""

    __slots__ = ()

    def __call__(self, *inputs: Any) -> list[Any]:
        return self.call(inputs)

    @property
    def owns_result(self) -> bool:
        """Whether its results are the run's own: without copies they may be views of what the caller fed."""
        return self.call.host.copy

    def source(self, k: int, ins: Sequence[int], outs: Sequence[int], cells: Cells) -> tuple[list[str], dict[str, Any]]:
        """The lines of step `k`, and the names they use.

            h0 = V[3]; V[3] = None                                  its last reader: nobody needs the cell
            r = f7((h0 if ref(h0) == 2 and ... else h0.copy()) if h0.ndim else h0[()])
            h0 = None
            if not (r.__class__ is A and r.dtype is d7_0 and ...): r = e7.single(r)
            V[4] = r

        An argument is the function's own: a copy, or the array itself where this is its last use and nobody else
        holds it.

        Args:
          k: the step's number.
          ins, outs: its cells.
          cells: what is known of them.
        """
        written, copy = self._written(k), self.call.host.copy
        given = cells.givers if copy else set()
        loaded = [j for j, i in enumerate(ins) if i not in given and i not in cells.local]
        held = [f"h{j}" if j in loaded else cells[i] for j, i in enumerate(ins)]
        lines = [f"h{j} = V[{ins[j]}]" for j in loaded]
        lines += _emptied([f"V[{ins[j]}]" for j in loaded if ins[j] in cells.last])
        arguments = [
            f"g{i}()" if i in given else written.argument(held[j], _handed_over(held[j], i, cells))
            for j, i in enumerate(ins)
        ]
        done = _emptied([f"h{j}" for j in loaded] + [cells[i] for i in ins if i in cells.last and i in cells.local])
        r, into = self._variables(outs, cells)
        called = [*self._shapes(held), f"{r} = {written.call(f'f{k}', arguments)}"]
        accepted = written.accept(r, into, held)
        # The inputs go first, so that a result that is one of them is seen to be nobody else's; but a view is told by
        # what it is a view of.
        lines += [*called, *done, *accepted] if copy else [*called, *accepted, *done]
        return [*lines, *self._rule(k, into), *_stored(into, into, outs, cells)], written.names


def _handed_over(name: str, cell: int, cells: Cells) -> str:
    """Source of an array that is the function's own, from the variable that holds a cell's; "" where it is a copy."""
    if cell not in cells.last:
        return ""
    return name if cell in cells.owned else f"({name} if {ownership.own_array(name)} else {name}.copy())"


def _emptied(variables: Sequence[str]) -> list[str]:
    return [" = ".join(variables) + " = None"] if variables else []


def _stored(values: Sequence[str], variables: Sequence[str], outs: Sequence[int], cells: Cells) -> list[str]:
    """Lines that put values into cells, and drop the variables that are none."""
    lines = [f"{cells[o]} = {v}" for v, o in zip(values, outs, strict=False) if o != -1 and cells[o] != v]
    kept = {cells[o] for o in outs if o != -1}
    return lines + _emptied([v for v in variables if v not in kept])


class TensorStep(_Step):
    """A function of eager tensors; its results may be shared with tensors that the body keeps."""

    __slots__ = ()
    owns_result = False

    def __call__(self, *inputs: Any) -> list[Any]:
        tensors = list(map(EagerTensor, inputs, self.kinds))
        return [t._value if isinstance(t, EagerTensor) else t for t in self.on_tensors(tensors)]

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step's results, as tensors."""
        return self.call(tensors)

    def on_device(self, place: str) -> OnDevice:
        """The same step on an accelerator."""
        return OnDevice(self, place)

    def source(self, k: int, ins: Sequence[int], outs: Sequence[int], cells: Cells) -> tuple[list[str], dict[str, Any]]:
        """The lines of step `k`, and the names they use: see `ArrayStep`."""
        cells.last.clear()  # the body may keep the tensors; cells are freed as usual
        written = self._written(k)
        tensors = []
        for j, (i, kind) in enumerate(zip(ins, self.kinds, strict=True)):
            written.names[f"t{k}_{j}"] = kind
            tensors.append(f"E({cells[i]}, t{k}_{j})")
        r, into = self._variables(outs, cells)
        lines = [*self._shapes([cells[i] for i in ins]), f"{r} = {written.call(f'f{k}', tensors)}"]
        lines += [*written.accept(r, into), *self._rule(k, into)]
        return [*lines, *_stored([f"{v}._value" for v in into], into, outs, cells)], written.names


class RecordedStep(TensorStep):
    """A function of eager tensors that also leaves its pullback."""

    __slots__ = ()
    source = None  # its body runs under a tape

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        outputs, recording = taped.recorded(self.call, tensors)
        return [*outputs, recording]

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape, which hears the body too."""
        outputs, recording = taped.recorded(self.call, tensors)
        state = context.current()
        if state.tapes:
            outputs = taped.boundary(OPS[self.call.type], tensors, outputs, state)
        return [*outputs, recording]


class OnDevice(_Step):
    """The step of a function of eager tensors on an accelerator: its tensors lie there, and so do its results.

    Ops of the body run there too. A result that the body made on the host is sent there.
    """

    __slots__ = ("place", "step")

    def __init__(self, step: TensorStep, place: str) -> None:
        super().__init__(step.call, step.kinds)
        self.step, self.place = step, place

    def __call__(self, *inputs: Any) -> list[Any]:
        tensors = [tensor_of(v, d) for v, d in zip(inputs, self.kinds, strict=True)]
        with context.using(context.current().replace(device=self.place)):
            results = self.step.on_tensors(tensors)
            return [value_of(sent(t, self.place)) if isinstance(t, EagerTensor) else t for t in results]

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape."""
        with context.using(context.current().replace(device=self.place)):
            return self.step.recorded(tensors)

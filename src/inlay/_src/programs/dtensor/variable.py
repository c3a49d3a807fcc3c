"""`DVariable`: a variable whose value lies on a mesh."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.dtensor.layout import Layout
from inlay._src.programs.dtensor.rules import answer
from inlay._src.programs.dtensor.tensor import DTensor, laid, plain


@export("experimental.dtensor.DVariable")
class DVariable(Variable):
    """A variable on a mesh. Its layout is fixed; assigned values are laid out in it.

    Args:
      initial_value: a tensor on a mesh; any value if `layout` is there; or a function that makes one of these.
      layout: its layout; None as the initial value does.
      kwargs: other arguments of `Variable`.

    Raises:
      InvalidArgumentError: if neither says how it lies, or both do and differ.
    """

    def __init__(self, initial_value: Any, *args: Any, layout: Layout | None = None, **kwargs: Any) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        if layout is None and not isinstance(value, DTensor):
            raise errors.InvalidArgumentError(None, None, "Neither layout nor DTensor initial value are provided.")
        tensor: Any = convert_to_tensor(value, kwargs.get("dtype"))
        if layout is not None and isinstance(tensor, DTensor) and tensor.layout != layout:
            raise errors.InvalidArgumentError(
                None, None, f"the layout of the initial value is {tensor.layout!r}, not {layout!r}"
            )
        self.layout: Layout = layout or tensor.layout
        self.layout.check_fits(tensor.shape.as_list())
        super().__init__(plain(tensor), *args, **kwargs)

    def _read(self, name: str | None = None) -> Any:
        return laid(super()._read(name), self.layout, gradient_stays=True)

    def _now(self) -> Any:
        return DTensor(super()._now()._value, self._dtype, self.layout)

    def _write(self, type_name: str, value: Any, name: str | None, read_value: bool) -> Any:
        tensor: Any = convert_to_tensor(value, self._dtype)
        if not isinstance(tensor, DTensor) and tensor.ndim:
            raise errors.UnimplementedError(
                None,
                None,
                f"{type_name} got a regular tensor (shape {tensor.shape.as_list()}) but was expecting a DTensor: use "
                "copy_to_mesh to make one",
            )
        if isinstance(tensor, DTensor) and tensor.layout.mesh != self.layout.mesh:
            raise errors.InvalidArgumentError(
                None, None, f"all inputs must have the same mesh, got {tensor.layout.mesh!r} for {self.layout.mesh!r}"
            )
        return super()._write(type_name, plain(tensor), name, read_value)

    def __repr__(self) -> str:
        text = f"<tf.Variable {self._name!r} shape={self.shape} dtype={self._dtype.name}"
        return f'{text}, value={self._now().value_text()}, layout="{self.layout.to_string()}">'


ANSWERS[DVariable] = answer

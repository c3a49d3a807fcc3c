"""Record: one op application that a tape heard."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Container, Mapping
from typing import Any

from inlay.core.opdef import OpDef

WATCHED: contextvars.ContextVar[Container[int] | None] = contextvars.ContextVar("inlay_watched", default=None)
"""Identities of the tensors whose cotangents the backward walk in progress asks for; None is all."""


class Record:
    """One op application that a tape heard: what a gradient needs.

    The same names as `Operation`, so that one gradient function serves both.

    Attributes:
      body: the label of the function whose body applied the op, or None.
      pull: the gradient of this very application, `pull(record, *output_grads)`, or None. One that depends on nothing
        but the record says so in an attribute `wired`.
      host: None; a call that a tape heard brings its own `pull` if it has a gradient.
    """

    host = None

    __slots__ = ("attrs", "body", "inputs", "name", "opdef", "outputs", "override", "pull", "site")

    def __init__(
        self,
        opdef: OpDef,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        attrs: Mapping[str, Any],
        body: str | None = None,
        override: str | None = None,
        pull: Callable[..., Any] | None = None,
    ) -> None:
        self.opdef, self.inputs, self.outputs, self.attrs = opdef, inputs, outputs, attrs
        self.body, self.override, self.pull = body, override, pull
        self.name, self.site = opdef.name, None

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`: gradients may leave others out (None)."""
        watched = WATCHED.get()
        return watched is None or id(self.inputs[index]) in watched

    @property
    def type(self) -> str:
        return self.opdef.name

    def get_attr(self, name: str) -> Any:
        """An attribute's value."""
        return self.attrs[name]

"""The traces that a function has, as a base class of it."""

from __future__ import annotations

from typing import Any

from inlay._src.base.misuse import explained
from inlay._src.core.trackable import Trackable
from inlay._src.programs.functions.concrete import ConcreteFunction


class HasTraces(Trackable):
    """A function that was traced for some signatures.

    Attributes:
      _traced: signature -> trace; several may have one.
    """

    _traced: dict[Any, ConcreteFunction]

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """The traces, in the order in which they were made."""
        return list({id(traced): traced for traced in self._traced.values()}.values())

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, ConcreteFunction]:
        """The traces by name, for saved models; a checkpoint covers nothing of a function.

        Args:
          save_type: "checkpoint", or another one.
          **kwargs: accepted.
        """
        if save_type == "checkpoint":
            return {}
        return {f"trace_{i}": traced for i, traced in enumerate(self._list_all_concrete_functions())}

    def _checkpoint_children(self) -> dict[str, Any]:
        return self._trackable_children()

    def experimental_get_tracing_count(self) -> int:
        """The number of traced signatures."""
        return len(self._list_all_concrete_functions())

    @explained
    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures that were traced: a page each, or a line each if not `verbose`."""
        traces = self._list_all_concrete_functions()
        return ("\n\n" if verbose else "\n").join(traced.pretty_printed_signature(verbose) for traced in traces)

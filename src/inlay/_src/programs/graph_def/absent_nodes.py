"""Nodes of a foreign model that cannot be read: they are left out with a reason, and so are those that need them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inlay._src.programs.graph_def.checking import UnsupportedError, said
from inlay._src.programs.graph_def.declared import Declaration, declaration, other_ops
from inlay._src.programs.graph_def.foreign import ForeignModel, LeftOut

OLD_CONTROL_FLOW = frozenset(
    f"{ref}{name}" for ref in ("", "Ref") for name in ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond")
)
_OLD = "control flow as TensorFlow 1 wrote it is not read"


class AbsentNodes:
    """The nodes of a graph that are left out.

    Args:
      function: the name of the function that is read.
      foreign: the facts about a model of TensorFlow; None refuses what cannot be read.

    Attributes:
      reasons: name of a node -> the reason.
    """

    def __init__(self, function: str, foreign: ForeignModel | None) -> None:
        self.reasons: dict[str, str] = {}
        self._function, self._foreign = function, foreign

    def leave_out(self, message: Any, error: UnsupportedError) -> None:
        """Leaves a node out that cannot be read.

        Raises:
          UnsupportedError: if nothing may be left out.
        """
        where = f"node '{message.name}' ({message.op}): {said(error)}"
        if self._foreign is None:
            raise UnsupportedError(f"N{where[1:]}") from error
        self._note(message, where, said(error))

    def leave_out_old(self, message: Any) -> bool:
        """Leaves a node out that is control flow of TensorFlow 1; returns whether it is.

        Raises:
          ValueError: if nothing may be left out.
        """
        if message.op not in OLD_CONTROL_FLOW:
            return False
        if self._foreign is None:
            raise ValueError(
                f"Node '{message.name}' is a {message.op}: {_OLD}. Write the graph with "
                "tf.compat.v1.enable_control_flow_v2(), which makes If and While of it"
            )
        self._note(message, f"node '{message.name}' is a {message.op}: {_OLD}", _OLD)
        return True

    def _note(self, message: Any, where: str, reason: str) -> None:
        assert self._foreign is not None
        self.reasons[message.name] = where
        self._foreign.left_out.append(LeftOut(self._function, message.name, message.op, reason))

    def includes(self, name: str, needed: Iterable[str]) -> bool:
        """Whether a node is left out, or needs one that is."""
        if name not in self.reasons:
            reason = next((self.reasons[n] for n in needed if n in self.reasons), None)
            if reason is None:
                return False
            self.reasons[name] = reason
        return True

    def check_present(self, name: str) -> None:
        """Refuses a node that is left out; UnsupportedError says why."""
        if name in self.reasons:
            raise UnsupportedError(self.reasons[name])

    def check_effects(self, messages: dict[str, Any]) -> None:
        """Refuses a graph without a node that does more than to give its outputs; UnsupportedError says which."""
        for name, reason in self.reasons.items():
            op = messages[name].op
            declared = declaration(op)
            if declared.stateful if declared is not None else other_ops().get(op, True):
                raise UnsupportedError(reason)


def advice_for(op: str, declared: Declaration | None) -> str:
    """The advice for an op that is absent."""
    if op in ("Variable", "VariableV2", "TemporaryVariable"):
        return "variables that are references are not read: freeze the graph, or write it with resource variables"
    why = "no op of that name is known" if declared is None and op not in other_ops() else "this op is not here"
    return f"{why}: take the nodes that need it out of the graph, or compute them in a py_function"

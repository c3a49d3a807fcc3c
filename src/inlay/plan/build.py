"""Graph + fetches + feeds -> Plan: prune, merge, fold, order, find last uses, bind.

Creation order is a topological order, so the schedule is the needed nodes sorted by index; stateful host calls
therefore start in creation order.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from inlay import errors
from inlay.core.func_graph import handle_key
from inlay.core.graph import Graph, Operation
from inlay.core.opdef import Effect, OpDef, Role
from inlay.core.tensor import SymbolicTensor
from inlay.interpreter import collector
from inlay.plan.plan import Feed, Plan, Step
from inlay.plan.rewrite import Passes, Rewriting
from inlay.plan.step_call import KernelCall, StepCall

LARGE = 1000
"""Nodes from which a plan is assembled without garbage collections: they would walk the graph again and again."""


def build(
    graph: Graph,
    fetches: Sequence[SymbolicTensor | Operation],
    feeds: Sequence[SymbolicTensor],
    passes: Passes | None = None,
    folded: dict[Any, Any] | None = None,
) -> Plan:
    """Decides everything about a run.

    Args:
      graph: the program.
      fetches: tensors whose values are wanted, and operations that must run.
      feeds: tensors whose values are given.
      passes: which rewriting passes to apply; None means all.
      folded: results of constant calls that earlier plans made; it is read and added to.

    Returns:
      The plan.

    Raises:
      InvalidArgumentError: if a placeholder is needed and not fed.
    """
    fed = {id(t) for t in feeds}
    needed = prune(graph, fetches, fed)
    rewriting = Rewriting(passes or Passes(), fed, {} if folded is None else folded, bind)
    rewriting.run([graph.nodes[i] for i in needed])
    if rewriting.changed:
        needed = _still_needed(graph, fetches, fed, rewriting)
    assembly = _Assembly(fetches, feeds, rewriting)
    with collector.paused() if len(needed) >= LARGE else nullcontext():  # folding is over: no user code runs in it
        return assembly.assemble([graph.nodes[i] for i in needed])


def prune(graph: Graph, fetches: Sequence[SymbolicTensor | Operation], fed: set[int]) -> list[int]:
    """Indices, in creation order, of the nodes that the fetches need.

    Raises:
      InvalidArgumentError: if a placeholder is needed and not fed.
    """
    seen: set[int] = set()
    stack: list[Operation] = [
        f if isinstance(f, Operation) else f.op for f in fetches if isinstance(f, Operation) or id(f) not in fed
    ]
    while stack:
        node = stack.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        if node.opdef.role is Role.PLACEHOLDER and id(node.outputs[0]) not in fed:
            raise _unfed(node)
        for t in node.inputs:
            if id(t) not in fed and t.op.index not in seen:
                stack.append(t.op)
        for c in node.control_inputs:
            if c.index not in seen:
                stack.append(c)
    return sorted(seen)


def _unfed(node: Operation) -> errors.OpError:
    shape = node.attrs["shape"]
    known = "" if shape.rank is None else f" and shape [{','.join('?' if d is None else str(d) for d in shape)}]"
    return errors.InvalidArgumentError(
        node.node_def,
        node,
        f"You must feed a value for placeholder tensor '{node.name}' with dtype "
        f"{node.outputs[0].dtype.c_name}{known}\n  defined at {node.site}\n  [[{{{{node {node.name}}}}}]]",
    )


def _still_needed(
    graph: Graph, fetches: Sequence[SymbolicTensor | Operation], fed: set[int], rewriting: Rewriting
) -> list[int]:
    """`prune` again, through the replacements that the passes made."""
    seen: set[int] = set()
    stack: list[Operation] = []

    def need(tensor: SymbolicTensor) -> None:
        if id(tensor) not in fed:
            tensor = rewriting.resolve(tensor)
            if id(tensor) not in rewriting.constants and id(tensor) not in fed:
                stack.append(tensor.op)

    for f in fetches:
        if isinstance(f, Operation):
            stack.append(rewriting.resolve_node(f))
        else:
            need(f)
    while stack:
        node = stack.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        for t in node.inputs:
            need(t)
        stack.extend(rewriting.resolve_node(c) for c in node.control_inputs)
    return sorted(i for i in seen if i not in rewriting.folded_nodes)


def bind(node: Operation, wants_pullback: bool = False) -> StepCall:
    """What the step of `node` calls; it leaves its pullback as a last result if that is wanted."""
    opdef = node.opdef
    if opdef.bind is not None:
        return opdef.bind(node, wants_pullback)  # type: ignore[no-any-return]
    return KernelCall(opdef, node.attrs) if opdef.attrs or opdef.variadic is not None else _without_attributes(opdef)


@functools.cache
def _without_attributes(opdef: OpDef) -> KernelCall:
    return KernelCall(opdef, {})


class _Assembly:
    """Gives cells to tensors and makes steps."""

    def __init__(
        self, fetches: Sequence[SymbolicTensor | Operation], feeds: Sequence[SymbolicTensor], rewriting: Rewriting
    ) -> None:
        self.fetches, self.feeds, self.rewriting = fetches, feeds, rewriting
        self.fed = {id(t) for t in feeds}
        self.cells: dict[int, int] = {}
        self.count = 0
        self.consts: list[tuple[int, Any]] = []
        self.resources: list[tuple[int, Any]] = []
        self.controlled = False  # whether any node of the graph has control inputs

    def new_cell(self, tensor: SymbolicTensor) -> int:
        self.cells[id(tensor)] = self.count
        self.count += 1
        return self.count - 1

    def cell(self, tensor: SymbolicTensor) -> int:
        """The cell of a tensor that exists by now; constants get theirs on first use."""
        found = self.cells.get(id(tensor))
        if found is not None:
            return found
        tensor = self.rewriting.resolve(tensor)
        found = self.cells.get(id(tensor))
        if found is None:
            found = self.new_cell(tensor)
            self.consts.append((found, self.rewriting.constants[id(tensor)]))
        return found

    def assemble(self, nodes: Sequence[Operation]) -> Plan:
        """The plan of the nodes that are left, in creation order."""
        fed_cells = [self.new_cell(t) for t in self.feeds]
        same = self.rewriting.same
        consumed = {id(same.get(id(t), t)) for n in nodes for t in n.inputs}
        self.controlled = any(n.control_inputs for n in (nodes[0].graph.nodes if nodes else ()))
        fetched = {id(self.rewriting.resolve(f)) for f in self.fetches if isinstance(f, SymbolicTensor)}
        drafts: list[tuple[Operation, tuple[int, ...], tuple[int, ...]]] = []
        producer: dict[int, int] = {}
        for node in nodes:
            if node.opdef.role is Role.CONSTANT and id(node.outputs[0]) not in self.cells:
                self.consts.append((self.new_cell(node.outputs[0]), node.constant_value()))
                continue
            if node.opdef.role is Role.VARIABLE:
                if id(node.outputs[0]) not in self.cells:  # else it is fed
                    self.resources.append((self.new_cell(node.outputs[0]), handle_key(node.outputs[0])))
                continue
            if node.opdef.role is Role.PLACEHOLDER:
                continue
            ins = tuple([self.cell(t) for t in node.inputs])
            results = node.outputs
            if node._pullback is not None and id(node._pullback) in consumed:
                results = [*results, node._pullback]
            outs = tuple([
                -1 if id(t) in self.cells or (id(t) not in consumed and id(t) not in fetched) else self.new_cell(t)
                for t in results
            ])  # fmt: skip
            for o in outs:
                if o != -1:
                    producer[o] = len(drafts)
            drafts.append((node, ins, outs))
        fetch_cells = tuple(self.cell(f) for f in self.fetches if isinstance(f, SymbolicTensor))
        steps = self._steps(drafts, producer, fetch_cells)
        feeds = tuple(Feed(c, t.name, True) for c, t in zip(fed_cells, self.feeds, strict=True))
        feeds = _escaping(feeds, [d[0] for d in drafts], steps, set(fetch_cells))
        return Plan(
            self.count,
            feeds,
            tuple(self.resources),
            tuple(self.consts),
            steps,
            fetch_cells,
            tuple(self.rewriting.counts.items()),
            _concurrent(steps),
        )

    def _steps(
        self,
        drafts: Sequence[tuple[Operation, tuple[int, ...], tuple[int, ...]]],
        producer: dict[int, int],
        fetch_cells: tuple[int, ...],
    ) -> tuple[Step, ...]:
        last: dict[int, int] = {}
        for k, (_, ins, outs) in enumerate(drafts):
            for c in (*ins, *(o for o in outs if o != -1)):
                last[c] = k
        kept = set(fetch_cells) | {c for c, _ in self.consts} | {c for c, _ in self.resources}
        frees: list[list[int]] = [[] for _ in drafts]
        for c, k in last.items():
            if c not in kept:
                frees[k].append(c)
        position = {id(node): k for k, (node, _, _) in enumerate(drafts)}
        kinds: dict[tuple[Any, ...], tuple[Any, ...]] = {}  # few are different: steps share them
        chain: int | None = None
        steps = []
        for k, (node, ins, outs) in enumerate(drafts):
            waits = {producer[c] for c in ins if c in producer}
            if self.controlled:
                waits |= self._behind(node, position)
            ordered = node.effect in (Effect.STATEFUL, Effect.WRITES, Effect.READS) and node.graph.building_function
            if ordered and chain is not None:
                waits.add(chain)
            if ordered:
                chain = k
            opdef = node.opdef
            made = tuple([t._dtype for t in node.outputs])
            if len(outs) > len(made):
                made += (node.pullback()._dtype,)
            taken = tuple([t._dtype for t in node.inputs])
            call, checks = bind(node, len(outs) > len(node.outputs)), _checks(node)
            if -1 in outs:
                checked = {i for i, _ in checks}
                call = call.narrowed([i for i in range(len(node.outputs)) if outs[i] != -1 or i in checked])
            steps.append(
                Step(
                    node.name,
                    node.type,
                    call,
                    ins,
                    outs,
                    opdef.many,
                    tuple(sorted(frees[k])),
                    tuple(sorted(waits)) if len(waits) > 1 else tuple(waits),
                    node.host is not None or opdef.calls_users,
                    node.effect is Effect.STATEFUL,
                    checks,
                    node.site,
                    opdef,
                    node.attrs,
                    kinds.setdefault(made, made),
                    kinds.setdefault(taken, taken),
                    node.device,
                )
            )
        return tuple(steps)

    def _behind(self, node: Operation, position: dict[int, int]) -> set[int]:
        """The steps that control inputs put before a node: its own, and those of constants and handles it takes."""
        found: set[int] = set()
        stack = [*node.control_inputs]
        stack += [t.op for t in node.inputs if id(t.op) not in position and id(t) not in self.fed]
        while stack:
            before = self.rewriting.resolve_node(stack.pop())
            if id(before) in position:
                found.add(position[id(before)])
            else:
                stack.extend(before.control_inputs)
        return found


def _checks(node: Operation) -> tuple[tuple[int, Any], ...]:
    """Shape promises to verify when the value arrives; host calls check theirs themselves."""
    if node.host is not None:
        return ()
    return tuple((i, t._asserted) for i, t in enumerate(node.outputs) if t._asserted is not None)


def _escaping(
    feeds: tuple[Feed, ...], nodes: Sequence[Operation], steps: Sequence[Step], fetched: set[int]
) -> tuple[Feed, ...]:
    """Marks the feeds whose memory user code or state could keep: those must be copied when they come in."""
    reaching: dict[int, set[int]] = {f.slot: {f.slot} for f in feeds}
    escaped: set[int] = set()
    for node, step in zip(nodes, steps, strict=True):
        for c in step.ins:
            sources = reaching.get(c)
            if not sources:
                continue
            if node.host is not None and node.host.takes_copies:
                if not node.host.copy:  # it may return the view that it was given
                    _reach(reaching, step, sources)
                continue
            if node.opdef.bind is not None or node.effect is not Effect.PURE:
                escaped |= sources
            elif node.opdef.aliases:
                _reach(reaching, step, sources)
    return tuple(Feed(f.slot, f.name, f.slot in escaped) for f in feeds)


def _reach(reaching: dict[int, set[int]], step: Step, sources: set[int]) -> None:
    """The results of a step may share memory with `sources`."""
    for o in step.outs:
        if o != -1:
            reaching.setdefault(o, set()).update(sources)


def _concurrent(steps: Sequence[Step]) -> bool:
    """Whether two host steps are independent of one another."""
    hosts = [k for k, s in enumerate(steps) if s.host]
    if len(hosts) < 2:
        return False
    # In order of a chain, each host step must come after the one before it.
    seen = 0
    behind: list[int] = []  # per step: how many leading host steps it comes after (if they form a chain)
    for step in steps:
        depth = max((behind[w] for w in step.waits), default=0)
        if step.host:
            if depth != seen:
                return True
            seen += 1
            depth += 1
        behind.append(depth)
    return False

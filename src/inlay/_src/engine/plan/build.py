"""Graph + fetches + feeds -> Plan: prune, merge, fold, order, find last uses.

Creation order is a topological order, so the schedule is the needed nodes sorted by index; stateful host calls
therefore start in creation order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import collector
from inlay._src.base.spans import SPANS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.state import handle_key
from inlay._src.core.tables import references
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.plan.plan import Feed, Plan, Step, last_uses
from inlay._src.engine.plan.rewrite import Passes, Rewriting
from inlay._src.engine.plan.step_call import StepCall, bind

# Python looks a member of an enumeration up for as long as a small call takes.
_CONSTANT, _PLACEHOLDER, _VARIABLE, _PULLBACK = Role.CONSTANT, Role.PLACEHOLDER, Role.VARIABLE, Role.PULLBACK
_PURE, _STATEFUL = Effect.PURE, Effect.STATEFUL
_ORDERED = (Effect.STATEFUL, Effect.WRITES, Effect.READS)


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
      passes: the rewriting passes to apply; None means all.
      folded: results of constant calls that earlier plans made; it is read and added to.

    Returns:
      The plan.

    Raises:
      InvalidArgumentError: if a placeholder is needed and not fed.
    """
    with SPANS.span("plan", "build"):
        rewriting = Rewriting(passes or Passes(), feeds, {} if folded is None else folded, call_of)
        return _built(graph, fetches, feeds, rewriting)


def _built(
    graph: Graph,
    fetches: Sequence[SymbolicTensor | Operation],
    feeds: Sequence[SymbolicTensor],
    rewriting: Rewriting,
) -> Plan:
    """As `build`, with the passes of a rewriting."""
    with collector.paused_for(len(graph.nodes)):  # no user code runs in it
        nodes = prune(fetches, rewriting.fed)
        if rewriting.passes.merge:
            rewriting.merge(nodes)
    if rewriting.passes.fold:
        rewriting.fold(nodes)
    with collector.paused_for(len(nodes)):  # folding is over: no user code runs in it
        if rewriting.changed:
            nodes = left_by(rewriting, nodes, fetches)
        assembly = _Assembly(fetches, feeds, rewriting)
        assembly.last = _reads_for_the_caller(nodes, fetches)
        if assembly.last:
            nodes.sort(key=lambda n: n in assembly.last)
        return assembly.assemble(nodes)


def _reads_for_the_caller(nodes: Sequence[Operation], fetches: Sequence[Any]) -> set[Operation]:
    """The reads that nothing but the caller waits for, of variables of 1.x that the run changes.

    They come last: such a variable that is fetched beside its update, as global steps are, has its new value then,
    since what is fetched of one is the memory that updates write into.
    """
    if not nodes or nodes[0].graph.building_function:  # there the order is the program's
        return set()
    reads = {f.op for f in fetches if isinstance(f, SymbolicTensor) and f.op.opdef.role is Role.READ}
    if not reads:
        return reads
    changed = {id(t) for n in nodes if n.effect in (Effect.WRITES, Effect.STATEFUL) for t in n.inputs}
    reads -= {t.op for n in nodes for t in n.inputs}
    reads -= {before for n in nodes for before in n._controls}
    return {n for n in reads if id(n.inputs[0]) in changed and getattr(handle_key(n.inputs[0]), "by_reference", False)}


def prune(fetches: Sequence[SymbolicTensor | Operation], fed: set[int]) -> list[Operation]:
    """The nodes, in creation order, that the fetches need; `fed` are identities of tensors.

    Raises:
      InvalidArgumentError: if a placeholder is needed and not fed.
    """
    seen: set[int] = set()
    nodes: list[Operation] = []
    stack = [f for f in fetches if isinstance(f, Operation)]
    stack += [f.op for f in fetches if not isinstance(f, Operation) and id(f) not in fed]
    while stack:
        node = stack.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        nodes.append(node)
        if node.opdef.role is _PLACEHOLDER and id(node._made) not in fed:
            raise unfed(node)
        for t in node.inputs:
            if id(t) not in fed:
                stack.append(t.op)
        if node._controls:
            stack += node._controls
    nodes.sort(key=attrgetter("index"))
    return nodes


def left_by(
    rewriting: Rewriting, nodes: Sequence[Operation], fetches: Sequence[SymbolicTensor | Operation]
) -> list[Operation]:
    """Those of the nodes, in creation order, that the fetches still need after a rewriting."""
    same, fed, constants, resolve_node = rewriting.same, rewriting.fed, rewriting.constants, rewriting.resolve_node
    folded = rewriting.folded_nodes
    wanted = {resolve_node(f).index for f in fetches if isinstance(f, Operation)}
    wanted.update([n.index for n in rewriting.checking])
    left: list[Operation] = []

    def want(tensors: Sequence[SymbolicTensor]) -> None:
        for t in tensors:
            if id(t) not in fed:
                t = same.get(id(t), t)
                if id(t) not in constants:
                    wanted.add(t.op.index)

    want([f for f in fetches if not isinstance(f, Operation)])
    for node in reversed(nodes):
        if node.index not in wanted or node.index in folded:
            continue
        left.append(node)
        want(node.inputs)
        if node._controls:
            wanted.update([resolve_node(c).index for c in node._controls])
    left.reverse()
    return left


def unfed(node: Operation) -> errors.OpError:
    """The error of a placeholder that has no value."""
    shape = node.attrs["shape"]
    suffix = "" if shape.rank is None else f" and shape [{','.join('?' if d is None else str(d) for d in shape)}]"
    return errors.InvalidArgumentError(
        None,
        node,
        f"You must feed a value for placeholder tensor '{node.name}' with dtype "
        f"{node.outputs[0].dtype.c_name}{suffix} (inlay explain unfed-placeholder)\n"
        f"  defined at {node.site}\n  [[{{{{node {node.name}}}}}]]",
    )


def _step(node: Operation, ins: tuple[int, ...], outs: tuple[int, ...], kinds: dict[Any, Any]) -> Step:
    """The step of a node; where it stands among others is not known yet. Few dtypes differ: steps share `kinds`."""
    opdef, only = node.opdef, node._made
    outputs: Sequence[SymbolicTensor] = (only,) if only.__class__ is SymbolicTensor else only  # type: ignore[assignment]
    taken = tuple([t._dtype for t in node.inputs])
    dtypes = (only._dtype,) if only.__class__ is SymbolicTensor else tuple([t._dtype for t in outputs])  # type: ignore[union-attr]
    pullback = len(outs) > len(dtypes)
    if pullback:
        dtypes += (node.pullback()._dtype,)
    taken, dtypes = kinds.setdefault(taken, taken), kinds.setdefault(dtypes, dtypes)
    step = Step(node.name, opdef, node.attrs, ins, outs, taken, dtypes, node.site)
    if pullback:
        step.pullback = True
    if node.device:
        step.asked = node.device
    if opdef.ranked:
        step.unranked = not all([_has_rank(node.inputs[at]._dims, rank) for at, rank in opdef.ranked])
    if (opdef.elementwise or opdef.lowering.fresh) and only.__class__ is SymbolicTensor:
        dims = only._dims  # type: ignore[union-attr]
        step.shape = None if dims is None or None in dims else dims  # type: ignore[assignment]
    if node.effect is _STATEFUL:
        step.stateful = True
    if node.token is not None:
        step.host, step.token, step.promised = True, node.token, tuple([t._dims for t in outputs])
    else:
        if opdef.scheduling.calls_users or opdef.scheduling.waits:
            step.host = True
        if only.__class__ is not SymbolicTensor or only._asserted is not None:  # type: ignore[union-attr]
            step.checks = tuple([(i, t._asserted) for i, t in enumerate(outputs) if t._asserted is not None])
    return step


def _has_rank(dims: Dims, rank: int | tuple[int, ...]) -> bool:
    """Whether it is known of a shape that it has the rank, or the sizes, that it must have."""
    return dims is not None and (rank.__class__ is int or None not in dims)


def call_of(node: Operation) -> StepCall:
    """The call of a node's step: for constant folding, before there is a plan."""
    return bind(_step(node, (), tuple(range(len(node.outputs))), {}), node.graph)


class _Assembly:
    """Gives cells to tensors and makes steps."""

    def __init__(self, fetches: Sequence[Any], feeds: Sequence[SymbolicTensor], rewriting: Rewriting) -> None:
        self.fetched = [f for f in fetches if isinstance(f, SymbolicTensor)]
        self.feeds, self.rewriting = feeds, rewriting
        self.fed = {id(t) for t in feeds}
        self.cells: dict[int, int] = {}
        self.count = 0
        self.consts: list[tuple[int, Any]] = []
        self.resources: list[tuple[int, Any]] = []
        self.controlled = False  # whether any node of the graph has control inputs
        self.last: set[Operation] = set()  # reads that wait for what changes the variable

    def new_cell(self, tensor: SymbolicTensor) -> int:
        self.cells[id(tensor)] = self.count
        self.count += 1
        return self.count - 1

    def cell(self, tensor: SymbolicTensor) -> int:
        """The cell of a tensor that exists by now; constants get theirs on first use."""
        slot = self.cells.get(id(tensor))
        if slot is not None:
            return slot
        stands = self.rewriting.resolve(tensor)
        slot = self.cells.get(id(stands))
        if slot is None:
            slot = self.new_cell(stands)
            self.consts.append((slot, self.rewriting.constants[id(stands)]))
        self.cells[id(tensor)] = slot
        return slot

    def assemble(self, nodes: Sequence[Operation]) -> Plan:
        """The plan of the nodes that are left, in creation order."""
        fed_cells = [self.new_cell(t) for t in self.feeds]
        same, cells, slot_of = self.rewriting.same, self.cells, self.cells.get
        taken = [id(t) for n in nodes for t in n.inputs]
        consumed = {id(same[t]) if t in same else t for t in taken} if same else {*taken}
        self.controlled = any([n._controls for n in nodes])
        fetched = {id(self.rewriting.resolve(f)) for f in self.fetched}
        read = consumed | fetched
        pulls = _pulls(nodes, consumed, fetched)
        nodes_run: list[Operation] = []
        steps: list[Step] = []
        kinds: dict[Any, Any] = {}
        for node in nodes:
            role, constant = node.opdef.role, node._made
            if role is _CONSTANT and id(constant) not in cells:
                self.consts.append((self.new_cell(node.outputs[0]), node.attrs["value"]))
            elif role is _VARIABLE:
                if id(constant) not in cells:  # else it is fed
                    self.resources.append((self.new_cell(node.outputs[0]), node.attrs["handle"]))
            elif role is not _PLACEHOLDER:
                ins = tuple([self.cell(t) if (c := slot_of(id(t))) is None else c for t in node.inputs])
                handle = node._pullback
                asked = handle is not None and id(handle) in read
                if asked or constant.__class__ is not SymbolicTensor:
                    results: Sequence[Any] = [*node.outputs, handle] if asked else node.outputs
                    outs = tuple([
                        -1 if id(t) in cells or id(t) not in read else self.new_cell(t) for t in results
                    ])  # fmt: skip
                elif id(constant) in read and id(constant) not in cells:
                    cells[id(constant)] = self.count
                    outs = (self.count,)
                    self.count += 1
                else:
                    outs = (-1,)
                nodes_run.append(node)
                step = _step(node, ins, outs, kinds)
                steps.append(step)
                if asked:
                    step.pulls = pulls.get(id(handle))
        fetch_cells = tuple(self.cell(f) for f in self.fetched)
        plan = Plan(
            self.count,
            tuple(Feed(c, t.name, True) for c, t in zip(fed_cells, self.feeds, strict=True)),
            tuple(self.resources),
            tuple(self.consts),
            tuple(steps),
            fetch_cells,
            tuple(self.rewriting.counts.items()),
            concurrent=False,
        )
        self._order(nodes_run, plan)
        programs = _programs(steps, nodes[0].graph) if nodes else {}
        return replace(
            plan,
            feeds=_escaping(plan, nodes_run),
            concurrent=is_concurrent(steps, _blocking(steps, programs)),
            programs=programs,
            removed=self.rewriting.removed,
        )

    def _order(self, nodes: Sequence[Operation], plan: Plan) -> None:
        """Says of each step which steps it waits for and which cells it frees."""
        frees = last_uses([(s.ins, s.outs) for s in plan.steps], plan.lasting)
        producer: dict[int, int] = {}
        position = {id(node): k for k, node in enumerate(nodes)} if self.controlled else {}
        in_order = bool(nodes) and nodes[0].graph.building_function
        plain = not (self.controlled or self.last or in_order)
        chain: int | None = None
        for k, (node, step) in enumerate(zip(nodes, plan.steps, strict=True)):
            waits = [producer[c] for c in step.ins if c in producer]
            if not plain:
                if self.controlled:
                    waits += self._behind(node, position)
                if node in self.last:
                    waits += [j for j, other in enumerate(plan.steps[:k]) if step.ins[0] in other.ins]
                if in_order and node.effect in _ORDERED:
                    if chain is not None:
                        waits.append(chain)
                    chain = k
            step.waits, step.frees = tuple(sorted({*waits}) if len(waits) > 1 else waits), frees[k]
            for cell in step.outs:
                if cell != -1:
                    producer[cell] = k

    def _behind(self, node: Operation, position: dict[int, int]) -> set[int]:
        """The steps that control inputs put before a node: its own, and those of constants and handles it takes."""
        behind: set[int] = set()
        stack = [*node._controls]
        stack += [t.op for t in node.inputs if id(t.op) not in position and id(t) not in self.fed]
        while stack:
            before = self.rewriting.resolve_node(stack.pop())
            if id(before) in position:
                behind.add(position[id(before)])
            else:
                stack.extend(before._controls)
        return behind


Pulls = tuple[frozenset[int], frozenset[int]]


def _pulls(nodes: Sequence[Operation], consumed: set[int], fetched: set[int]) -> dict[int, Pulls | None]:
    """By identity of a pullback: `Step.pulls` of the step that leaves it. One that is fetched is asked for everything.

    Args:
      nodes: the nodes that run.
      consumed, fetched: identities of tensors.
    """
    pulls: dict[int, Pulls | None] = {}
    left = {id(n._pullback): n for n in nodes if n._pullback is not None}
    for key in left.keys() & fetched:
        node = left[key]
        pulls[key] = frozenset(range(len(node.outputs))), frozenset(range(len(node.inputs)))
    for node in nodes if left else ():
        for place, tensor in enumerate(node.inputs):
            key = id(tensor)
            if key not in left:
                continue
            again = node._pullback is not None and id(node._pullback) in consumed
            cotangents, wanted = pulls.setdefault(key, (frozenset(), frozenset())) or ((), ())
            if place or node.opdef.role is not _PULLBACK or again or pulls[key] is None:
                pulls[key] = None
                continue
            pairs = zip(node.attrs["wanted"], node.outputs, strict=True)
            asked = [i for i, t in pairs if id(t) in consumed or id(t) in fetched]
            pulls[key] = frozenset(cotangents) | {*node.attrs["given"]}, frozenset(wanted) | {*asked}
    return pulls


def _programs(steps: Sequence[Step], graph: Graph) -> dict[str, Any]:
    """The programs that the steps run, by name."""
    table = graph.functions
    if not len(table):
        return {}
    running = (s for s in steps if s.opdef.scheduling.calls_users and s.token is None)
    return {r.key: table[r] for s in running for r in references(s.attrs) if r.table == table.name}


def _escaping(plan: Plan, nodes: Sequence[Operation]) -> tuple[Feed, ...]:
    """The feeds; those whose memory user code or state could keep are marked: they must be copied when they come in."""
    reaching: dict[int, set[int]] = {f.slot: {f.slot} for f in plan.feeds}
    escaped: set[int] = set()
    for node, step in zip(nodes, plan.steps, strict=True):
        for c in step.ins:
            sources = reaching.get(c)
            if not sources:
                continue
            if node.host is not None and node.host.takes_copies:
                if not node.host.copy:  # it may return the view that it was given
                    _reach(reaching, step, sources)
                continue
            if node.opdef.scheduling.bind is not None or node.effect is not _PURE:
                escaped |= sources
            elif node.opdef.lowering.aliases:
                _reach(reaching, step, sources)
    return tuple(Feed(f.slot, f.name, f.slot in escaped) for f in plan.feeds)


def _reach(reaching: dict[int, set[int]], step: Step, sources: set[int]) -> None:
    """The results of a step may share memory with `sources`."""
    for o in step.outs:
        if o != -1:
            reaching.setdefault(o, set()).update(sources)


def _goes_on_beside(steps: Sequence[Step], waiting: int) -> bool:
    """Whether a step that may wait for other runs is beside one that does something and is independent of it."""
    behind = {waiting}
    for k in range(waiting + 1, len(steps)):
        if not behind.isdisjoint(steps[k].waits):
            behind.add(k)
    ahead = {waiting}
    for k in range(waiting, -1, -1):
        if k in ahead:
            ahead.update(steps[k].waits)
    acting = (k for k, s in enumerate(steps) if s.host or s.opdef.effect in (Effect.WRITES, Effect.STATEFUL))
    return any(k not in behind and k not in ahead for k in acting)


def _blocking(steps: Sequence[Step], programs: Mapping[str, Any]) -> set[int]:
    """The host steps, by index, that may block: not those that run programs without functions of users' in them."""
    blocking: dict[int, bool] = {}

    def blocks(op: Any, host: Any, runs: Sequence[Any]) -> bool:
        return (
            host is not None
            or op.scheduling.waits
            or (op.scheduling.calls_users and (not runs or any(map(inside, runs))))
        )

    def inside(program: Any) -> bool:
        graph = program.graph
        if id(graph) not in blocking:
            blocking[id(graph)] = True  # as long as it is not known
            blocking[id(graph)] = any(
                blocks(n.opdef, n.host, [graph.referred(r) for r in references(n.attrs) if r.table == "functions"])
                for n in graph.nodes
                if n.host is not None or n.opdef.scheduling.waits or n.opdef.scheduling.calls_users
            )
        return blocking[id(graph)]

    def runs(step: Step) -> list[Any]:
        return [programs[r.key] for r in references(step.attrs) if r.table == "functions"]

    return {k for k, s in enumerate(steps) if s.host and blocks(s.opdef, s.token, [] if s.token else runs(s))}


def is_concurrent(steps: Sequence[Step], blocking: Collection[int] | None = None) -> bool:
    """Whether two host steps are independent of one another, or one that waits for other runs and one that acts.

    Args:
      steps: those of a plan.
      blocking: the host steps that may block, by index; None is all.
    """
    hosts = [k for k, s in enumerate(steps) if s.host and (blocking is None or k in blocking)]
    if not hosts:
        return False
    if any(steps[k].opdef.scheduling.waits and _goes_on_beside(steps, k) for k in hosts):
        return True
    if len(hosts) < 2:
        return False
    seen = 0
    behind: list[int] = []  # per step: how many leading host steps it comes after, if they form a chain
    asked = set(hosts)
    for k, step in enumerate(steps):
        waits = step.waits
        depth = 0 if not waits else behind[waits[0]] if len(waits) == 1 else max([behind[w] for w in waits])
        if k in asked:
            if depth != seen:
                return True
            seen += 1
            depth += 1
        behind.append(depth)
    return False

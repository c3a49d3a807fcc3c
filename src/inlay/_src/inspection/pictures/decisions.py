"""The decisions of a plan, at the items of a picture: merged, folded, not needed, fused, compiled, placed, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inlay._src.base.types.text import counted
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.fusion.elementwise import fused_steps
from inlay._src.engine.run.fusion.optimizer_step import fused_updates
from inlay._src.inspection.pictures.scene import Item, Picture

_STILL = frozenset({"constant", "input", "variable"})
_MOST_NAMES = 8
_MOST_LOOSE = 8
"""Nodes that do not run and are shown among the others."""


def decide(picture: Picture, names: Mapping[str, int], plan: Plan, parent: int = -1) -> None:
    """Adds the decisions of a plan to the items of its nodes.

    Args:
      picture: holds the items.
      names: name of a node -> the index of its item.
      plan: the plan.
      parent: the container of the graph.
    """
    items = picture.items
    steps = {inner.name: inner for step in plan.steps for inner in inner_steps(step)}
    unneeded: list[str] = []
    removed = {name for name, _, _ in plan.removed}
    for name, action, other in plan.removed:
        if name in names:
            items[names[name]].decide(*_removal(action, other))
            items[names[name]].idle = True
    for name, index in names.items():
        if name in steps:
            describe_step(items[index], steps[name])
        elif name not in removed and items[index].kind not in _STILL:
            items[index].idle = True
            items[index].decide("not needed", "no fetched result depends on it, or all that takes it was folded")
            unneeded.append(name)
    if len(unneeded) > _MOST_LOOSE:
        _shelve(picture, names, unneeded, parent)
    describe_groups(picture, names, plan)


def _shelve(picture: Picture, names: Mapping[str, int], unneeded: Sequence[str], parent: int) -> None:
    """Puts nodes that do not run aside, in a container of their own: graphs of 1.x have many, for initializers."""
    shelf = picture.add("not needed", "shelf", parent)
    picture.items[shelf].idle = True
    for name in unneeded:
        picture.items[names[name]].parent, _ = picture.scope(name, shelf)


def _removal(action: str, other: str) -> tuple[str, str]:
    if action == "merge":
        return "merged", f"{other} has the same op, inputs and attributes, and its result stands for both"
    if other:
        return "folded", f"it multiplies by ones: the other factor, of {other}, stands for it"
    return "folded", "its inputs are constants, or it reads only a known shape: it was computed when the plan was built"


def inner_steps(step: Step) -> list[Step]:
    """The steps that a step consists of: those of a compiled segment, else the step itself."""
    segment = step.attrs.get("segment")
    return [step] if segment is None else list(segment.steps)


def describe_step(item: Item, step: Step) -> None:
    """Adds what a plan says of one step."""
    if step.device:
        item.say("runs on", step.device)
    if step.because:
        item.decide("placed", f"on {step.device or 'the device of its inputs'}: {step.because}")
    if step.pullback:
        item.say("gradient", "it leaves its pullback for a later step")
    if step.stateful:
        item.decide("ordered", "it is stateful: it starts after the stateful steps before it")
    if step.frees:
        item.say("last use of", f"{counted(len(step.frees), 'value')}, whose memory it may take over")


def describe_groups(picture: Picture, names: Mapping[str, int], plan: Plan) -> None:
    """Adds the steps that run as one: fused ones and compiled segments."""
    fused = [f.steps for f in fused_steps(plan).values()]
    for steps in fused:
        if len(steps) > 1:
            _join(picture, names, steps, "fused", "on large arrays these elementwise steps run block by block")
        else:
            _join(picture, names, steps, "fused", "on large arrays it is divided among threads")
    for updates in fused_updates(plan).values():
        for update in updates:
            if len(update.steps) > 1:
                _join(picture, names, update.steps, "fused", "these updates of variables run as one")
    for step in plan.steps:
        segment = step.attrs.get("segment")
        if segment is None:
            continue
        compiled = [s for k, s in enumerate(segment.steps) if k not in segment.outside]
        _join(picture, names, compiled, "compiled", f"one XLA segment on {segment.device or 'the CPU'}")
        for place, reason in segment.outside.items():
            _join(picture, names, [segment.steps[place]], "not compiled", reason)


def _join(picture: Picture, names: Mapping[str, int], steps: Sequence[Step], decision: str, reason: str) -> None:
    others = ", ".join(step.name for step in steps[:_MOST_NAMES]) + (", …" if len(steps) > _MOST_NAMES else "")
    whole = f"{reason}: {others}" if len(steps) > 1 else reason
    for step in steps:
        if step.name in names:
            picture.items[names[step.name]].decide(decision, whole)

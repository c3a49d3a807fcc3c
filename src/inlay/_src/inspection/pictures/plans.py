"""Pictures of plans, of executables, and of the parts of a plan that the tasks of a cluster run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.core.pictured import PICTURES
from inlay._src.core.tables import Reference, references
from inlay._src.engine.plan.partition import Part, text
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.executable import Executable
from inlay._src.inspection.pictures.decisions import describe_groups, describe_step
from inlay._src.inspection.pictures.functions import describe_host
from inlay._src.inspection.pictures.graphs import value_text
from inlay._src.inspection.pictures.scene import DEEPEST, Picture, described


class PlanDrawing:
    """Puts the steps of plans into a picture.

    Args:
      picture: receives the items.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._around: list[Any] = []  # the programs that are being put in, outermost first

    def add(self, plan: Plan, parent: int = -1, calls: Sequence[Any] = ()) -> None:
        """Puts a plan into a container, -1 for the picture itself.

        Args:
          plan: the plan.
          parent: the container.
          calls: the calls of its steps, which know the host functions; empty if it is not bound.
        """
        writers = self.add_values(plan, parent, {})
        names: dict[str, int] = {}
        indices: list[int] = []
        for k, step in enumerate(plan.steps):
            names[step.name] = index = self.add_step(plan, k, parent)
            host = getattr(getattr(calls[k], "call", None), "host", None) if calls else None
            if host is not None:
                describe_host(self.picture.items[index], host)
            indices.append(index)
            self.wire(step, index, writers, indices)
            writers.update((cell, (index, _result(step, j))) for j, cell in enumerate(step.outs) if cell != -1)
        for number, cell in enumerate(plan.fetches):
            self.fetch(number, writers.get(cell), parent)
        describe_groups(self.picture, names, plan)

    def add_values(self, plan: Plan, parent: int, homes: Mapping[str, int]) -> dict[int, tuple[int, str]]:
        """Puts in the feeds, the state and the constants.

        Args:
          plan: the plan.
          parent: the container of the plan.
          homes: name of a step -> the container that it is in, if that is another one.

        Returns:
          Cell -> (item, the value in a few words).
        """
        readers: dict[int, list[str]] = {}
        for step in plan.steps:
            for cell in step.ins:
                readers.setdefault(cell, []).append(step.name)
        writers: dict[int, tuple[int, str]] = {}
        for feed in plan.feeds:
            index = self.picture.add(feed.name, "input", parent, "", "feed", "copied" if feed.escapes else "")
            if feed.escapes:
                self.picture.items[index].decide("copied", "user code or state could hold on to the fed memory")
            writers[feed.slot] = index, feed.name
        for cell, key in plan.resources:
            label = key.key if isinstance(key, Reference) else str(key)
            writers[cell] = self.picture.add(label, "variable", parent, "", "state"), label
        for cell, value in plan.consts:
            shape = getattr(value, "shape", ())
            label = value_text(value) if not shape or value.size <= 4 else f"constant {list(shape)}"
            # A constant is beside its readers, if they are in one scope.
            near = {self.picture.scope(name, homes.get(name, parent))[0] for name in readers.get(cell, ())}
            inside = near.pop() if len(near) == 1 else parent
            index = self.picture.add(label[:40], "constant", inside, "", "constant", str(getattr(value, "dtype", "")))
            writers[cell] = index, label
        return writers

    def add_step(self, plan: Plan, k: int, parent: int) -> int:
        """Puts in one step, with the programs that it runs."""
        step = plan.steps[k]
        inside, label = self.picture.scope(step.name, parent)
        kind = "host" if step.token is not None else "move" if step.op in ("ToDevice", "ToHost") else "op"
        results = ", ".join(d.name for d in step.dtypes)
        index = self.picture.add(label, kind, inside, step.name, step.op, results)
        item = self.picture.items[index]
        item.say("step", f"{k} of {len(plan.steps)}")
        item.say("name", step.name)
        item.say("op", step.op)
        item.say("defined at", step.site or "")
        item.say("reads cells", list(step.ins))
        item.say("writes cells", list(step.outs))
        describe_step(item, step)
        for name, value in step.attrs.items():
            for reference in references(value):
                program = plan.programs.get(reference.key)
                if program is not None and reference.table == "functions":
                    item.kind = "call"
                    self._add_program(f"{name}: {program.name}", program, index)
        return index

    def _add_program(self, label: str, program: Any, index: int) -> None:
        built = getattr(program, "built", None)
        plan = built.plan if built is not None else getattr(program, "_plan", None)
        is_around = any(program is around for around in self._around)
        if plan is None or is_around or len(self._around) >= DEEPEST or self.picture.is_full:
            self.picture.items[index].say("runs", label)
            return
        self._around.append(program)
        self.add(plan, self.picture.add(label, "program", index))
        self._around.pop()

    def wire(
        self, step: Step, index: int, writers: Mapping[int, tuple[int, str]], indices: Sequence[int | None]
    ) -> None:
        """The wires into a step: the values that it reads, then the steps that it waits for besides."""
        behind = set()
        for cell, dtype in zip(step.ins, step.in_dtypes, strict=True):
            if cell in writers:
                tail, label = writers[cell]
                behind.add(tail)
                self.picture.wire(tail, index, label or dtype.name)
        for place in step.waits:
            before = indices[place]
            if before is not None and before not in behind:
                self.picture.wire(before, index, "runs first", control=True)

    def fetch(self, number: int, writer: tuple[int, str] | None, parent: int) -> None:
        """The end of a fetched value."""
        index = self.picture.add(f"fetch {number}", "output", parent)
        if writer is not None:
            self.picture.wire(writer[0], index, writer[1])


def _result(step: Step, place: int) -> str:
    dims = step.promised[place] if place < len(step.promised) else dict(step.checks).get(place)
    return step.dtypes[place].name if dims is None else described(step.dtypes[place], dims)


def _begun(plan: Plan, title: str) -> Picture:
    picture = Picture(title)
    picture.say("steps", f"{len(plan.steps):,}")
    picture.say("cells", f"{plan.slots:,}")
    picture.say("removed by passes", ", ".join(f"{name} {count:,}" for name, count in plan.passes) or "nothing")
    for name, action, other in list(plan.removed)[:200]:
        picture.say("merged" if action == "merge" else "folded", f"{name} → {other}" if other else name)
    return picture


def of_plan(plan: Plan) -> Picture:
    """The picture of a plan: its steps and the cells between them."""
    picture = _begun(plan, "Plan")
    PlanDrawing(picture).add(plan)
    return picture.finished()


def of_executable(executable: Executable) -> Picture:
    """The picture of a plan that is bound to its functions, with their sources."""
    picture = _begun(executable.plan, "Plan")
    PlanDrawing(picture).add(executable.plan, -1, executable.calls)
    return picture.finished()


def of_parts(plan: Plan, parts: Sequence[Part]) -> Picture:
    """The picture of a plan that is cut into the parts of tasks.

    Args:
      plan: the whole plan.
      parts: its parts, each of steps that keep their names.
    """
    picture = _begun(plan, "Partitioned plan")
    picture.say("parts", len(parts))
    drawing = PlanDrawing(picture)
    containers: dict[str, int] = {}
    for number, part in enumerate(parts):
        container = picture.add(f"part {number} on {text(part.task)}", "part")
        picture.items[container].say("task", text(part.task))
        after = ", ".join(f"part {k}" for k in part.after)
        picture.items[container].say("starts after", after)
        containers.update((step.name, container) for step in part.plan.steps)
    writers = drawing.add_values(plan, -1, containers)
    indices: list[int | None] = []
    for k, step in enumerate(plan.steps):
        inside = containers[step.name]
        index = drawing.add_step(plan, k, inside)
        asked = f"its node asked for {step.asked}" if step.asked else "it takes state of the task, or asked for none"
        picture.items[index].decide("placed", f"{picture.items[inside].label}: {asked}")
        indices.append(index)
        drawing.wire(step, index, writers, indices)
        writers.update((cell, (index, _result(step, j))) for j, cell in enumerate(step.outs) if cell != -1)
    for number, cell in enumerate(plan.fetches):
        drawing.fetch(number, writers.get(cell), -1)
    return picture.finished()


PICTURES["plan"] = of_plan
PICTURES["executable"] = of_executable
PICTURES["parts"] = lambda executable: of_parts(executable.plan, executable.parts)

"""The picture of a program that ran: of the graphs, functions, datasets and models that its module holds at its end."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.pictured import Pictured, picture_of
from inlay._src.engine.plan.plan import Plan
from inlay._src.inspection.pictures.graphs import of_graph
from inlay._src.inspection.pictures.scene import Picture
from inlay._src.programs.functions.traces import HasTraces
from inlay._src.programs.session.session import Session


def of_script(title: str, module: Mapping[str, Any]) -> Picture:
    """The picture of a program.

    Sessions bring the decisions of their plans. The objects of a module without any are those that are alive elsewhere,
    as in the frames of its functions.

    Args:
      title: the heading.
      module: the variables of its module, after it ran.

    Raises:
      ValueError: if there is nothing to show.
    """
    graphs: dict[int, Plan] = {}
    for session in _alive(Session):
        plans = [prepared.executable.plan for prepared in session._plans.values()]
        if plans:
            graphs[id(session.graph)] = max(plans, key=lambda plan: len(plan.steps))
    pictures = [(name, _picture(item, graphs)) for name, item in _shown(module)]
    if not pictures:
        raise ValueError(f"{title} left no graph, traced function, dataset or loaded model: there is nothing to show")
    if len(pictures) == 1:
        return pictures[0][1]
    whole = Picture(title)
    for name, picture in pictures:
        whole.include(name, picture)
    return whole


def _picture(item: Any, plans: Mapping[int, Plan]) -> Picture:
    if isinstance(item, Graph) and id(item) in plans:
        return of_graph(item, plans[id(item)])
    picture: Picture = picture_of(item)
    return picture


def _shown(module: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The objects of a program that have a picture, each once, with a name."""
    named = [(name, item.graph if isinstance(item, Session) else item) for name, item in module.items()]
    objects = list(_worth([*named, ("default graph", default_graph())]))
    if not objects:
        alive = [*_alive(Graph), *_alive(HasTraces)]
        objects = list(_worth((getattr(item, "name", None) or type(item).__name__, item) for item in alive))
    return objects


def _worth(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Those with a picture that is not empty, each once."""
    seen: set[int] = set()
    for name, item in named:
        if not isinstance(item, Pictured) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Graph) and (not item.nodes or item.building_function):
            continue
        if isinstance(item, HasTraces) and not item._list_all_concrete_functions():
            continue
        yield str(name), item


def _alive(kind: type[Any]) -> list[Any]:
    """The objects of a class that the collector tracks."""
    return [item for item in gc.get_objects() if isinstance(item, kind)]

"""`InitialValues`: the random draws of initialisers, as one op so that a graph's initialiser draws when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core import context
from inlay.core import graph as graphs
from inlay.core.emit import emit
from inlay.core.opdef import OPS, Effect, op
from inlay.types import dtypes, shapes
from inlay.types.dtypes import DType


@op("InitialValues", " -> dtype", effect=Effect.RANDOM, infer=lambda s: [s.attrs["shape"]], differentiable=False)
def _initial_values(xp, *, kind, shape, low, high, seed, dtype):
    """Random numbers: `kind` is uniform, normal, truncated_normal or orthogonal."""
    rng = np.random.default_rng(seed)
    return np.asarray(_DRAWS[kind](rng, shape, low, high)).astype(dtype.np)


def _uniform(rng: Any, shape: Any, low: float, high: float) -> Any:
    return rng.uniform(low, high, shape)


def _integers(rng: Any, shape: Any, low: int, high: int) -> Any:
    return rng.integers(low, high, shape)


def _normal(rng: Any, shape: Any, mean: float, stddev: float) -> Any:
    return rng.normal(mean, stddev, shape)


def _truncated(rng: Any, shape: Any, mean: float, stddev: float) -> Any:
    """Normal numbers; those more than two standard deviations away are drawn again."""
    out = rng.standard_normal(shape)
    flat = np.reshape(out, -1).copy()
    far = np.flatnonzero(np.abs(flat) > 2)
    while far.size:
        flat[far] = rng.standard_normal(far.size)
        far = far[np.abs(flat[far]) > 2]
    return mean + stddev * flat.reshape(shape)


def _orthogonal(rng: Any, shape: Any, gain: float, _: float) -> Any:
    """A matrix with orthonormal rows or columns (the last axis against all others), times `gain`."""
    rows, columns = int(np.prod(shape[:-1])), shape[-1]
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q *= np.sign(np.diag(r))
    return gain * (q.T if rows < columns else q).reshape(shape)


_DRAWS: dict[str, Any] = {
    "uniform": _uniform,
    "integers": _integers,
    "normal": _normal,
    "truncated_normal": _truncated,
    "orthogonal": _orthogonal,
}


def _seed_of(seed: int | None) -> Any:
    """What the generator starts from: fixed if the initialiser or the graph has a seed, else None."""
    graph = context.current().graph
    if graph is None or graph.building_function:
        return seed
    if graph.seed is None and seed is None:
        return None
    return (graph.seed or 0, len(graphs.default_graph().nodes) if seed is None else seed)


def draw(kind: str, shape: Any, low: float, high: float, dtype: DType, seed: int | None, name: str) -> Any:
    """Random numbers as a tensor.

    Args:
      kind: "uniform", "integers", "normal", "truncated_normal" or "orthogonal".
      shape: the fully known shape.
      low, high: bounds; mean and standard deviation for the normal kinds; gain and ignored for the orthogonal one.
      dtype: the result's type.
      seed: makes the values the same in every session.
      name: the node's name.

    Raises:
      ValueError: if the shape is not fully known.
    """
    known = shapes.as_shape(shape)
    if not known.is_fully_defined():
        raise ValueError(f"an initialiser needs a fully known shape, got {known}")
    attrs = {
        "kind": kind,
        "shape": tuple(known.as_list()),
        "low": low,
        "high": high,
        "seed": _seed_of(seed),
        "dtype": dtypes.as_dtype(dtype),
    }
    return emit(OPS["InitialValues"], (), attrs, name)

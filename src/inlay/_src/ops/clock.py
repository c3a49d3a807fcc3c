"""The time of the day as a tensor."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, scalar


@op("Timestamp", " -> float64", infer=scalar, effect=Effect.RANDOM)
@export("timestamp")
def timestamp(xp: Any) -> Any:
    """The seconds since 1970, as a float64 scalar: each run of a node reads the clock."""
    return np.float64(time.time())

"""What the tests of devices share: an accelerator, and a count of what crosses between it and the host.

The second CPU device of JAX stands in for a GPU (`tests/conftest.py` asks for it). What JAX forbids of a GPU under
`transfer_guard` it forbids of it too on the way there; on the way back memory is shared, so reads are counted where the
library makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from inlay._src.base.interpreter import xla
from inlay._src.core import device


class Crossings:
    """How many values went to the device, and which came back."""

    def __init__(self) -> None:
        self.there, self.back = 0, 0

    @contextmanager
    def none(self) -> Iterator[None]:
        """The block must not move a value either way."""
        import jax

        before = self.there, self.back
        with jax.transfer_guard("disallow_explicit"):
            yield
        assert (self.there, self.back) == before, "values crossed"


def counted(monkeypatch: pytest.MonkeyPatch) -> Crossings:
    """Counts from now on."""
    found = Crossings()
    to_device, to_host = xla.to_device, xla.to_host

    def there(value: Any, target: Any) -> Any:
        found.there += 1
        return to_device(value, target)

    def back(array: Any) -> Any:
        found.back += 1
        return to_host(array)

    monkeypatch.setattr(xla, "to_device", there)
    monkeypatch.setattr(xla, "to_host", back)
    return found


@contextmanager
def a_gpu_in_place() -> Iterator[None]:
    """Lets JAX's second CPU device be `/device:GPU:0`."""
    import jax

    device.use({"/device:GPU:0": jax.local_devices(backend="cpu")[1]})
    try:
        yield
    finally:
        device.use(None)

"""The default session of a thread, in which tensors are evaluated that name no other."""

from __future__ import annotations

import threading
from typing import Any


class _DefaultSession(threading.local):
    """The innermost `with session.as_default()` of this thread."""

    def __init__(self) -> None:
        self.stack: list[Any] = []

    def get(self) -> Any:
        return self.stack[-1] if self.stack else None


DEFAULT_SESSION = _DefaultSession()

"""NumPy's floating-point reports: kernels are silent, as in TensorFlow; the user's own code keeps its settings.

`numpy.errstate` costs more than a small kernel. NumPy 2 keeps the setting in a context variable whose value can be
prepared once; where that variable is not found, `numpy.errstate` itself is used.

    before = silence()      # kernels may run
    restore(before)         # user code may run
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from numpy._core.umath import _extobj_contextvar as _setting
except ImportError:  # another NumPy keeps it elsewhere
    _setting = None  # type: ignore[assignment, misc]

if _setting is not None:
    with np.errstate(all="ignore"):
        _SILENT: Any = _setting.get()
    silence = _setting.set
    restore = _setting.reset
    current = _setting.get
    assign = _setting.set
else:

    def silence(_: Any) -> Any:
        """Makes floating-point reports silent; returns what `restore` takes."""
        return np.seterr(all="ignore")

    def restore(before: Any) -> None:
        """Puts back what `silence` returned."""
        np.seterr(**before)

    def current() -> Any:
        """The setting in force."""
        return np.geterr()

    def assign(setting: Any) -> None:
        """Makes a setting the one in force."""
        np.seterr(**setting)

    _SILENT = dict.fromkeys(np.geterr(), "ignore")

SILENT = _SILENT
"""The setting that makes kernels silent, for `silence` and `assign`."""

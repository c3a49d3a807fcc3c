"""Where the package lies: frames of files below it are frames of the library."""

from __future__ import annotations

import os

FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of the package, with a separator at its end."""

"""What a caller is told whose gradient ends in a body that left the framework."""

from __future__ import annotations

import warnings

from inlay._src.base import errors


def warn_lost(label: str) -> None:
    """Warns that a body read its inputs' values and returned what no op connects to them."""
    warnings.warn(
        f"the gradient of {label} is zero: its body left the framework (for instance through .numpy()), so nothing "
        "connects its outputs to its inputs. Use eager ops in the body, give the function a gradient with grad=, or "
        "return tf.stop_gradient(...) of an input if zero is meant. (inlay explain lost-gradient)",
        errors.LostGradientWarning,
        stacklevel=2,
    )

"""The exception tree by itself; what functions raise is in faults/test_exceptions.py."""

from __future__ import annotations

import pickle

import pytest

import inlay as tf
from inlay._src.base import errors

CLASSES = {
    1: errors.CancelledError, 2: errors.UnknownError, 3: errors.InvalidArgumentError, 4: errors.DeadlineExceededError,
    5: errors.NotFoundError, 6: errors.AlreadyExistsError, 7: errors.PermissionDeniedError,
    8: errors.ResourceExhaustedError, 9: errors.FailedPreconditionError, 10: errors.AbortedError,
    11: errors.OutOfRangeError, 12: errors.UnimplementedError, 13: errors.InternalError, 14: errors.UnavailableError,
    15: errors.DataLossError, 16: errors.UnauthenticatedError,
}  # fmt: skip


@pytest.mark.parametrize("code", list(CLASSES))
def test_codes_and_classes(code: int) -> None:
    cls = CLASSES[code]
    assert errors.exception_type_from_error_code(code) is cls
    assert errors.error_code_from_exception_type(cls) == code == cls(None, None, "m").error_code
    error = cls(None, None, "first\nsecond")
    assert (str(error), error.message, error.args) == ("first\nsecond", "first\nsecond", ("first\nsecond",))
    assert repr(error) == f"{cls.__name__}('first')"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.error_code) == (cls, str(error), code)


def test_what_is_no_code() -> None:
    with pytest.raises(KeyError, match="17 is not an error code; codes are 1 to 16"):
        errors.exception_type_from_error_code(17)


def test_classes_that_are_not_op_errors() -> None:
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)
    assert issubclass(errors.InaccessibleTensorError, ValueError)
    assert issubclass(errors.LostGradientWarning, UserWarning)
    assert tf.errors.OpError is errors.OpError


def test_the_constants() -> None:
    assert [errors.OK, errors.CANCELLED, errors.UNKNOWN, errors.INVALID_ARGUMENT, errors.UNAUTHENTICATED] == [
        0,
        1,
        2,
        3,
        16,
    ]


def test_an_exception_with_a_cycle_of_causes_is_reported() -> None:
    one, two = ValueError("one"), KeyError("two")
    one.__cause__, two.__cause__ = two, one
    wrapped = errors.wrap(one, "  where")
    assert str(wrapped).startswith("ValueError: one\n  where") and wrapped.__cause__ is one


def test_a_wrapped_error_wrapped_again_keeps_its_classes() -> None:
    inner = errors.wrap(KeyError("k"), "  inner place")
    outer = errors.wrap(inner, "  outer place")
    assert isinstance(outer, KeyError) and isinstance(outer, errors.UnknownError)
    assert type(outer).__name__ == "UnknownError"
    assert "inner place" in str(outer) and str(outer).splitlines()[1] == "  outer place"


def test_an_overridden_code_is_kept() -> None:
    error = errors.OpError(None, None, "m", 42)
    assert errors.wrap(error, "  w").error_code == 42

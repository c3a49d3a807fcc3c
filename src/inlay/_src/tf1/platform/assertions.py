"""Assertions of tests on tensors: comparisons of structures of arrays, errors by their texts."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from absl.testing import absltest

from inlay._src.base import errors
from inlay._src.base.types import nest
from inlay._src.base.types.dtypes import as_dtype
from inlay._src.base.types.nest import Composite
from inlay._src.core import device
from inlay._src.core.tensor import Tensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.platform import comparing

_INCOMPATIBLE = (
    r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes|Dimension .* must be|must be "
    r"broadcastable|inconsistent shapes"
)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, a variable, or a composite of tensors."""
    return isinstance(value, (Tensor, Variable, Composite))


class Assertions(absltest.TestCase):
    """A test case that compares tensors, by their values."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors."""
        raise NotImplementedError

    def _array(self, value: Any) -> Any:
        """A value as an array, or as what it is if it is none."""
        if is_tensor(value):
            value = self.evaluate(value)
        elif isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and any(map(is_tensor, value)):
            value = [self._array(part) for part in value]
        return value.to_list() if isinstance(value, RaggedTensorValue) else value

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fails unless two structures of arrays are equal, and alike in shape; NaN equals itself.

        Args:
          a: the expected value: arrays, tensors, nests of them.
          b: the value received.
          msg: a text for the failure.
        """
        comparing.compare(self, a, b, comparing.equal, msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fails if two structures of arrays are equal at all elements.

        Args:
          a, b: arrays, tensors, nests of them.
          msg: a text for the failure.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(msg or "The two values are equal at all elements.")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Fails unless two structures of arrays are alike in shape and |a - b| <= atol + rtol |b| everywhere.

        Args:
          a: the expected value: arrays, tensors, nests of them.
          b: the value received.
          rtol: relative tolerance; at least 0.001 where one is float16, 0.01 for bfloat16.
          atol: absolute tolerance; likewise.
          msg: a text for the failure.
        """
        comparing.compare(self, a, b, comparing.close(rtol, atol), msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with the tolerance of the less exact of the two types.

        Args:
          a, b: arrays, tensors, nests of them.
          rtol, atol: tolerances of float64.
          float_rtol, float_atol: those of float32 and complex64, if larger.
          half_rtol, half_atol: those of float16.
          bfloat16_rtol, bfloat16_atol: those of bfloat16.
          msg: a text for the failure.
        """
        a, b = self._array(a), self._array(b)
        dtypes = {np.asarray(part).dtype for part in (*nest.flatten(a), *nest.flatten(b))}
        for kinds, relative, absolute in (
            (("float32", "complex64"), float_rtol, float_atol),
            (("float16",), half_rtol, half_atol),
            (("bfloat16",), bfloat16_rtol, bfloat16_atol),
        ):
            if any(dtype.name in kinds for dtype in dtypes):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Fails if two structures of arrays are close at all elements.

        Args:
          a, b, rtol, atol: see `assertAllClose`.
          msg: a text for the failure.
        """
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(msg or "The two values are close at all elements.")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless every element is above a number.

        Args:
          a: an array or tensor.
          comparison_target: the number.
        """
        self._hold(np.asarray(self._array(a)), lambda x: x > comparison_target, f"greater than {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless every element is below a number; see `assertAllGreater`."""
        self._hold(np.asarray(self._array(a)), lambda x: x < comparison_target, f"less than {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails if an element is below a number; see `assertAllGreater`."""
        self._hold(np.asarray(self._array(a)), lambda x: x >= comparison_target, f"at least {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails if an element is above a number; see `assertAllGreater`."""
        self._hold(np.asarray(self._array(a)), lambda x: x <= comparison_target, f"at most {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless every element is between two numbers.

        Args:
          target: an array or tensor of numbers.
          lower_bound, upper_bound: the numbers.
          open_lower_bound, open_upper_bound: whether they themselves are out of range.
        """
        above = np.greater if open_lower_bound else np.greater_equal
        below = np.less if open_upper_bound else np.less_equal
        text = f"in {'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
        self._hold(np.asarray(self._array(target)), lambda x: above(x, lower_bound) & below(x, upper_bound), text)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fails unless every element is one of some.

        Args:
          target: an array or tensor.
          expected_set: the elements that may be.
        """
        strange = sorted({*np.asarray(self._array(target)).ravel().tolist()} - {*expected_set})
        if strange:
            self.fail(f"{len(strange)} unique element(s) are not in the set {expected_set}: {strange[:10]}")

    def _hold(self, values: Any, holds: Callable[[Any], Any], text: str) -> None:
        right = np.asarray(holds(values))
        if not right.all():
            wrong = np.argwhere(~right)
            where = ", ".join(f"{tuple(map(int, i))}: {values[tuple(i)]}" for i in wrong[:10])
            self.fail(f"{len(wrong)} of {right.size} elements are not {text}: {where}")

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless two numbers differ by at most `err`.

        Args:
          f1, f2: the numbers.
          err: the difference.
          msg: a text for the failure.
        """
        if not (f1 == f2 or abs(f1 - f2) <= err):
            self.fail(f"{f1:f} != {f2:f} +/- {err:f}{f' ({msg})' if msg else ''}")

    def assertArrayNear(
        self, farray1: Sequence[Any], farray2: Sequence[Any], err: float, msg: str | None = None
    ) -> None:
        """Fails unless two sequences of numbers are of one length, and near at each place; see `assertNear`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless the norm of the difference of two arrays is below `err`; see `assertNear`."""
        away = float(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)))
        self.assertLess(away, err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Fails unless two arrays or tensors are of one shape.

        Args:
          input_a, input_b: arrays or tensors.
          msg: a text for the failure.
        """
        one, other = (tuple(x.shape.as_list() if isinstance(x, Tensor) else np.shape(x)) for x in (input_a, input_b))
        self.assertEqual(one, other, msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless an array or tensor has a dtype.

        Args:
          target: the array, tensor, or list.
          expected_dtype: the dtype.
        """
        dtype = target.dtype if hasattr(target, "dtype") else np.asarray(self._array(target)).dtype
        self.assertEqual(as_dtype(dtype), as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Fails unless two names mean one device.

        Args:
          device1, device2: names such as "/cpu:0" and "/device:CPU:0"; "" or None is none.
          msg: a text for the failure.
        """
        one, other = (device.canonical(name or "") for name in (device1, device2))
        self.assertEqual(one, other, f"{device1} and {device2} are not equal. {msg or ''}")

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fails unless two protocol buffers are equal.

        Args:
          expected_message_maybe_ascii: a message, or one as text.
          validate_message: a message of the same class.
          msg: a text for the failure.
          relative_tolerance: the tolerance of floating-point fields; None for not at all.
        """
        comparing.compare_messages(self, expected_message_maybe_ascii, validate_message, relative_tolerance, msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Fails unless a text begins with another.

        Args:
          actual: the text.
          expected_start: its beginning.
          msg: a text for the failure.
        """
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}{f': {msg}' if msg else ''}")

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Fails unless two collections have the same items, in any order."""
        self.assertCountEqual(first, second, msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Fails unless the block raises an exception that fits.

        Args:
          exception_type: its class.
          expected_err_re_or_predicate: a pattern that is in its message, or a function of the exception.
        """
        try:
            yield
        except exception_type as error:
            wanted = expected_err_re_or_predicate
            text = error.message if isinstance(error, errors.OpError) else str(error)
            if not (wanted(error) if callable(wanted) else re.search(wanted, text)):
                raise AssertionError(f"Exception of type {type(error)}: {error} does not fit {wanted!r}") from error
            return
        self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> AbstractContextManager[Any]:
        """`assertRaisesWithPredicateMatch` of `tf.errors.OpError`."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = errors.InvalidArgumentError
    ) -> contextlib.AbstractContextManager[Any]:
        """Fails unless the block raises that shapes do not fit.

        Args:
          exception_type: the class of the exception.
        """
        return self.assertRaisesWithPredicateMatch(
            exception_type, lambda error: re.search(_INCOMPATIBLE, str(error), re.IGNORECASE)
        )

    def assertRaisesRegexp(self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any) -> Any:
        """`assertRaisesRegex` by its old name."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)

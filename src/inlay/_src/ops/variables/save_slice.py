"""Where a part of a variable lies in the whole: `tf.Variable.SaveSliceInfo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SaveSliceInfo:
    """Where one part of a variable lies in the whole.

    Attributes:
      full_name, full_shape: of the whole.
      var_offset, var_shape: where the part begins, and its sizes.
    """

    full_name: str | None = None
    full_shape: Sequence[int] = ()
    var_offset: Sequence[int] = ()
    var_shape: Sequence[int] = ()

    @property
    def spec(self) -> str:
        """The text by which checkpoints of 1.x call it: the whole's sizes, then begin and size of each dimension."""
        cuts = [f"{begin},{size}" for begin, size in zip(self.var_offset, self.var_shape, strict=True)]
        return f"{' '.join(map(str, self.full_shape))} {':'.join(cuts)}"

    @staticmethod
    def from_spec(spec: str) -> SaveSliceInfo:
        """Parses a text in the form of `spec`, which omits the name of the whole variable.

        Args:
          spec: "2 3 0,1:0,3".

        Raises:
          ValueError: if it is no such text.
        """
        *sizes, cuts = spec.split(" ")
        if not sizes:
            raise ValueError(f"Spec string must contain space-separated full_shape info. Received: {spec!r}")
        pairs = [cut.split(",") for cut in cuts.split(":")]
        whole = [_whole(size, "full_shape must be a sequence of integers") for size in sizes]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(
                f"Spec string must contain comma-separated pairs of offsets and shapes. Received: {spec!r}"
            )
        offset = [_whole(begin, "var_offset must be an integer") for begin, _ in pairs]
        return SaveSliceInfo(None, whole, offset, [_whole(size, "var_shape must be an integer") for _, size in pairs])


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"Spec string {what}. Found {text!r}, which is not an integer.") from None

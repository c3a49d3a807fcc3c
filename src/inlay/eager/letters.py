"""Type letters: what an op's signature says of the dtypes of one call, bound input by input."""

from __future__ import annotations

from typing import Any

from inlay import errors
from inlay.core.opdef import Arg, OpDef
from inlay.types.dtypes import DType


def bind(op: OpDef, arg: Arg, letters: dict[str, DType], got: DType, position: int, eager: bool) -> None:
    """Records or checks the dtype of one input."""
    kind = arg.type
    if kind is None:
        return
    if kind.__class__ is DType:
        if got is not kind:
            _mismatch(op, arg, position, got, kind, eager)  # type: ignore[arg-type]
        return
    bound = letters.get(kind)  # type: ignore[arg-type]
    if bound is None:
        allowed = op.letters[kind]  # type: ignore[index]
        if got not in allowed:
            names = ", ".join(sorted(d.c_name for d in allowed))
            raise _class(eager)(
                f"Value for attr '{kind}' of {got.c_name} is not in the list of allowed values: {names} "
                f"(input '{arg.name}' of {op.name})"
            )
        letters[kind] = got  # type: ignore[index]
    elif bound is not got:
        _mismatch(op, arg, position, got, bound, eager)


def _class(eager: bool) -> Any:
    return (lambda text: errors.InvalidArgumentError(None, None, text)) if eager else TypeError


def _mismatch(op: OpDef, arg: Arg, position: int, got: DType, want: DType, eager: bool) -> None:
    if eager:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"cannot compute {op.name} as input #{position}(zero-based) was expected to be a {want.c_name} "
            f"tensor but is a {got.c_name} tensor [Op:{op.name}]",
        )
    raise TypeError(
        f"Input '{arg.name}' of '{op.name}' Op has type {got.name} that does not match type {want.name} of "
        f"argument '{op.args[0].name}'."
    )

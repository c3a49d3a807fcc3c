"""What differs between an outcome here and the recorded one, in words that group.

refused   an exception here, a result there          accepted  the other way round; three kinds have names of their own

    dtype accepted  TensorFlow has no kernel for the dtype of a tensor or of numbers, which they keep here
    numbers cast    it has none for whole numbers or bools of Python's or NumPy's, which become floating ones here
    breaks there    TensorFlow does not refuse: its own Python code breaks on the way, see `ACCIDENTS` and `BROKEN`

error     another class of exception                 kind      another kind of result, or another number of them
phase     the same exception, but only when it runs    accident  an exception that the library did not raise itself
dtype, shape, value of the results                   static    a static shape that says less, or something untrue
gradient, second: the same of derivatives ("None" where one of both has none)
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 4e-6, "complex64": 4e-6, "float64": 1e-9, "complex128": 1e-9}
NO_SUCH_DTYPE = re.compile(
    r"Value (?:for attr '(?!Tidx|Taxis|Tindices|Tpaddings|Tshape|Tseed|Tlabels|Tlen|Tshift|Tk|TI|Index|padding|out)\w+'"
    r" of (\w+) is"
    r"|passed to parameter '(?!axis|indices|paddings|begin|size|seed|shape|dimension|multiples|labels|shift|pos|len)"
    r"\w+' has DataType (\w+)) not in (?:the )?list of allowed values"
)
"""How TensorFlow refuses numbers for want of a kernel: that we take more dtypes is no harm. Axes, indices, labels,
sizes, seeds and dtypes of results are no such numbers."""

ACCIDENTS = ("AttributeError", "IndexError", "KeyError", "UnboundLocalError", "RecursionError", "AssertionError")
"""Exceptions of TensorFlow's that nobody meant: any of ours is as good, and so is a result."""

MEANT = re.compile(r"dtype must be either floating point or integer")
"""What an exception of such a class says that TensorFlow's own code raises."""

BROKEN = re.compile(
    r"'NoneType'|object of type '(?!RaggedTensor)\w+' has no len|\w+ object is not (?:iterable|subscriptable|callable)"
    r"|can only concatenate|unsupported operand type|bad operand type|not supported between instances"
    r"|(?:slice|list) indices must be integers|truth value of an array|len is not well defined for a symbolic"
    r"|as_list\(\) is not defined|is out of scope and cannot be used here|Scalar tensor has no `len"
)
"""What Python says where TensorFlow's own code goes wrong with an argument or with an unknown shape, instead of a
refusal that names the argument."""

SAME_ERRORS = ({"ValueError", "InvalidArgumentError"}, {"TypeError", "InvalidArgumentError", "ValueError"})


def differs(got: dict[str, Any], want: dict[str, Any], loose: float = 1.0) -> tuple[str, str] | None:
    """(what differs, the two in words), or None."""
    if "e" in want or "e" in got:
        return differing_error(got, want)
    found = differing_parts(got["y"], want["y"], loose)
    if found:
        return found
    tensors = [part for part in want["y"] if part[0] != "value"] if "s" in want else []
    for ours, theirs, part in zip(got.get("s", ()), want.get("s", ()), tensors, strict=True):
        if not says_as_much(ours, theirs, part):
            return "static", f"{ours}, TensorFlow {theirs}"
    for key, title in (("g", "gradient"), ("h", "second")):
        if key in want:
            found = differing_gradients(got.get(key), want[key], loose * (10 if key == "g" else 50))
            if found:
                return f"{title}: {found[0]}", found[1]
    return None


def differing_error(got: dict[str, Any], want: dict[str, Any]) -> tuple[str, str] | None:
    """What differs where one of both is an exception."""
    if got.get("accident"):
        return "accident", f"{got['e']}: {got['text']}; TensorFlow {want.get('e', 'takes it')}: {want.get('text', '')}"
    if "e" not in want:
        return "refused", f"{got['e']}: {got['text']}"
    if "e" not in got:
        return accepted(got, want), f"{short(got['y'])}, TensorFlow {want['e']}: {want['text']}"
    if want["e"] in ACCIDENTS and not MEANT.search(want["text"]):
        return None
    kinds = {got["e"], *got.get("is", ())}
    if want["e"] in kinds or any(kinds & s and want["e"] in s for s in SAME_ERRORS):
        late = (got.get("p"), want.get("p")) == ("run", "build")
        return ("phase", f"{got['text']}; TensorFlow {want['e']}: {want['text']}") if late else None
    return "error", f"{got['e']}: {got['text']}; TensorFlow {want['e']}: {want['text']}"


def accepted(got: dict[str, Any], want: dict[str, Any]) -> str:
    """How a call is accepted that TensorFlow does not take."""
    if (want["e"] in ACCIDENTS and not MEANT.search(want["text"])) or (
        want["e"] in ("TypeError", "ValueError") and BROKEN.search(want["text"])
    ):
        return "breaks there"
    refused = NO_SUCH_DTYPE.search(want["text"])
    if refused is None:
        return "accepted"
    whole = (refused[1] or refused[2]).startswith(("int", "uint", "bool"))
    return "numbers cast" if whole and any(is_floating(part) for part in got["y"]) else "dtype accepted"


def is_floating(part: list[Any]) -> bool:
    """Whether a part of a result consists of floating or complex numbers."""
    return len(part) > 2 and str(part[1]).startswith(("float", "bfloat", "complex"))


def short(value: Any) -> str:
    """At most 4000 characters: the rules of results.toml read what differs, wherever it stands."""
    text = str(value)
    return text if len(text) < 4000 else text[:3990] + "..."


def differing_parts(got: list[Any], want: list[Any], loose: float) -> tuple[str, str] | None:
    """What differs between results."""
    if [p[0] for p in got] != [p[0] for p in want]:
        return "kind", f"{short(got)}, TensorFlow {short(want)}"
    for ours, theirs in zip(got, want, strict=True):
        found = differing_part(ours, theirs, loose)
        if found:
            return found, f"{short(ours[1:])}, TensorFlow {short(theirs[1:])}"
    return None


def differing_part(got: list[Any], want: list[Any], loose: float) -> str | None:
    """What differs between two arrays."""
    if want[0] == "value" and len(want) == 2:
        both = "<tf.Operation", "name: ", "<tensorflow.python.util.tf_should_use"
        return None if got == want or all(str(side[1]).startswith(both) for side in (got, want)) else "value"
    for at, title in ((1, "dtype"), (2, "shape")):
        if got[at] != want[at]:
            return title
    return None if close(got[3], want[3], want[1], loose) else "value"


def close(got: list[Any], want: list[Any], dtype: str, loose: float) -> bool:
    """Whether numbers are equal up to rounding; a negative `loose` says that they were computed in float32."""
    if dtype not in TOLERANCE:
        return got == want
    a, b = np.asarray(got, np.float64), np.asarray(want, np.float64)
    finite = np.abs(b[np.isfinite(b)])
    bound = max(TOLERANCE[dtype], TOLERANCE["float32"] if loose < 0 else 0.0) * abs(loose)
    return bool(np.allclose(a, b, rtol=bound, atol=bound * max(1.0, float(finite.max(initial=0.0))), equal_nan=True))


def says_as_much(got: Any, want: Any, part: list[Any]) -> bool:
    """Whether a static shape is true and knows what TensorFlow's knows, so far as that is true itself."""
    if got is None:
        return want is None
    true = len(got) == len(part[2]) and all(g in (None, n) for g, n in zip(got, part[2], strict=True))
    known = [] if want is None else [w == n for w, n in zip(want, part[2], strict=False)]
    return true and all(g is not None or not w for g, w in zip(got, known, strict=False))


def differing_gradients(got: Any, want: Any, loose: float) -> tuple[str, str] | None:
    """What differs between derivatives."""
    if not isinstance(got, list):
        return "refused", str(got)
    if [g is None for g in got] != [w is None for w in want]:
        return "None", f"{short(got)}, TensorFlow {short(want)}"
    for ours, theirs in zip(got, want, strict=True):
        if theirs is None:
            continue
        found = f"{theirs[0]} wanted" if ours[0] != theirs[0] else differing_part(ours, theirs, loose)
        if found:
            return found, f"{short(ours[1:])}, TensorFlow {short(theirs[1:])}"
    return None

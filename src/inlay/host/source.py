"""A host call as straight-line source: the same four parts as `host.call`, written from the declaration.

    f3(h0 if h0.ndim else h0[()], {'k': x1}, scale=c3)               prepare and run: one expression
    if r.__class__ is tuple and len(r) == 2: r0, r1 = r              accept: the items of the result ...
    else: r0, r1 = e3.items(r)
    if not (r0.__class__ is A and r0.dtype is d3_0 and ...): r0 = e3.item(0, [r0, r1])      ... and each of them

What the written test of a result accepts is taken as it is: an array of the declared dtype and shape that nobody else
can reach (`interpreter.ownership`), a NumPy scalar, bytes, an eager tensor. Everything else, right or wrong, goes
through `HostCall`, named `e3` here. An exception goes through its `explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any

from inlay.core.values import boxed
from inlay.host import convert
from inlay.host.records import Form, HostFunction, Leaf, Mode
from inlay.interpreter import ownership
from inlay.interpreter.source import Source
from inlay.types import dtypes, nest
from inlay.types.shapes import Dims
from inlay.types.template import Hole, Plain


def is_single(host: HostFunction) -> bool:
    """Whether what a function returns is one value, or a list of one."""
    outputs = host.outputs
    return len(outputs.leaves) == 1 and outputs.form is not Form.NEST and not any(outputs.composites)


class CallWriter:
    """Writes one call into a source whose fixed names are those of `interpreter.ownership` and `E`, the eager tensor.

    Args:
      host: the function.
      declared: the shapes that its outputs must have.
      long_way: source of the `HostCall`.
      source: where to write.
    """

    def __init__(self, host: HostFunction, declared: Sequence[Dims], long_way: str, source: Source) -> None:
        self.host, self.declared, self.long_way, self.source = host, declared, long_way, source

    # ---- prepare and run

    def argument(self, value: str, owned: str = "") -> str:
        """A runtime value in a variable as an argument of a function of NumPy arrays.

        Args:
          value: the variable.
          owned: source of an array that is the function's own; a copy if left out.
        """
        if not self.host.copy:
            return f"{self.source.name('view', convert.numpy_view)}({value})"
        return f"{owned or f'{value}.copy()'} if {value}.ndim else {value}[()]"

    def call(self, function: str, arguments: Sequence[str]) -> str:
        """The call of a function.

        Args:
          function: its name.
          arguments: source of an argument for every flat input.
        """
        template = self.host.template
        if template is None:
            return f"{function}({', '.join(arguments)})"
        positional, keyword = template.structure
        parts = [self._filled(part, arguments) for part in positional]
        for name, part in keyword.items():
            value = self._filled(part, arguments)
            plain = name.isidentifier() and not iskeyword(name)
            parts.append(f"{name}={value}" if plain else f"**{{{name!r}: {value}}}")
        return f"{function}({', '.join(parts)})"

    def _filled(self, part: Any, arguments: Sequence[str]) -> str:
        """A part of the template as source."""
        if part.__class__ is Hole:
            if part.composite is None:
                return f"({arguments[part.index]})"
            components = ", ".join(f"({a})" for a in arguments[part.index : part.index + part.count])
            return f"{self.source.name('c', part.composite._rebuild)}([{components}])"
        if part.__class__ is Plain:
            return self.source.name("c", part.value)
        if nest.is_nested(part):
            return self.container(part, lambda child: self._filled(child, arguments))
        return self.source.name("c", part)

    def container(self, part: Any, child: Callable[[Any], str]) -> str:
        """A container like `part` as source, of what `child` writes for its children."""
        children = {key: child(value) for key, value in nest._items(part)}
        if part.__class__ is dict:
            return f"{{{', '.join(f'{self._key(key)}: {children[key]}' for key in part)}}}"
        listed = "".join(f"{c}, " for c in children.values())
        if part.__class__ in (tuple, list):
            return f"({listed})" if part.__class__ is tuple else f"[{listed}]"
        return f"{self.source.name('like', nest._like)}({self.source.name('c', part)}, [{listed}])"

    def _key(self, key: Any) -> str:
        return repr(key) if key.__class__ in (str, int, bytes) else self.source.name("c", key)

    # ---- accept

    def accept(self, result: str, into: Sequence[str], views: Sequence[str] = ()) -> list[str]:
        """Lines that check a result and leave its values in variables.

        Args:
          result: the variable that holds it; it is emptied unless it is among `into`.
          into: a variable per flat output; one alone must be `result`.
          views: variables of the inputs of which a result may be a view, where they were handed out as views.
        """
        outputs, e = self.host.outputs, self.long_way
        if any(outputs.composites):
            return [f"{_unpacked(into)} = {e}.accept([{result}])", f"{result} = None"]
        if not into:
            return [f"if {result} is not None: {e}.items({result})", f"{result} = None"]
        if is_single(self.host):
            return self._checked(result, 0, f"{e}.single({result})", views)
        lines = [
            *self._items(result, into),
            f"else: {_unpacked(into)} = {e}.items({result})",
            f"{result} = None",
        ]
        for i, item in enumerate(into):
            lines += self._checked(item, i, f"{e}.item({i}, [{', '.join(into)}])", views)
        return lines

    def _items(self, result: str, into: Sequence[str]) -> list[str]:
        """A line that takes a result apart if it has exactly the declared structure."""
        outputs = self.host.outputs
        if outputs.form is not Form.NEST:
            listed = f"({result}.__class__ is tuple or {result}.__class__ is list) and len({result}) == {len(into)}"
            return [f"if {listed}: {_unpacked(into)} = {result}"]
        tests: list[str] = []
        rest = iter(into)
        taken = self._taken(outputs.structure, result, rest, tests)
        if taken is None:
            return ["if False: pass"]
        return [f"if {' and '.join(tests)}: {taken}"]

    def _taken(self, part: Any, name: str, rest: Any, tests: list[str]) -> str | None:
        """Assignments that take the value `name` apart like `part`; None where that cannot be written."""
        if part.__class__ not in (dict, list, tuple):
            return None
        pairs = nest._items(part)
        if part.__class__ is dict:
            tests += [f"{name}.__class__ is dict", f"len({name}) == {len(pairs)}"]
            tests += [f"{self._key(key)} in {name}" for key, _ in pairs]
        else:
            tests += [f"({name}.__class__ is tuple or {name}.__class__ is list)", f"len({name}) == {len(pairs)}"]
        done: list[str] = []
        for key, child in pairs:
            at = f"{name}[{self._key(key)}]"
            if not nest.is_nested(child):
                done.append(f"{next(rest)} = {at}")
                continue
            inner = f"q{len(tests)}"
            tests.append(f"(({inner} := {at}) is not None)")
            taken = self._taken(child, inner, rest, tests)
            if taken is None:
                return None
            done += [taken, f"{inner} = None"] if taken else [f"{inner} = None"]
        return "; ".join(done)

    def _checked(self, name: str, index: int, long_way: str, views: Sequence[str]) -> list[str]:
        """Lines that leave in a variable the value of what it holds: output `index`."""
        leaf, dims = self.host.outputs.leaves[index], self.declared[index]
        if self.host.mode is Mode.EAGER:
            test = f"{name}.__class__ is E and {name}._dtype is {self.source.name('d', leaf.dtype)}"
            return [f"if not ({test}{_shaped(f'{name}._value', dims)}): {name} = {long_way}"]
        if leaf.dtype is dtypes.string and not dims:
            make = self.source.name("boxed", boxed)
            return [f"{name} = {make}({name}) if {name}.__class__ is bytes else {long_way}"]
        if leaf.dtype is dtypes.string or leaf.dtype.is_quantized:
            return [f"{name} = {long_way}"]
        lines, tests = self._tests(name, index, leaf, dims, views)
        return [*lines, f"if not ({' or '.join(tests)}): {name} = {long_way}"]

    def _tests(
        self, name: str, index: int, leaf: Leaf, dims: Dims, views: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """Lines, and tests of which one must hold for a number or an array to be taken as it is."""
        array = f"{name}.__class__ is A and {name}.dtype is {self.source.name('d', leaf.dtype.np)}"
        shaped, lines = _shaped(name, dims), []
        tests = [f"{array} and {ownership.own_array(name)}{shaped}"]
        if views and not self.host.copy:
            # A read-only view of an input is nobody's to write: it may be passed on as it is.
            lines.append(f"s = {array} and {ownership.passed_view(name, list(views))}{shaped}")
            tests.append("s")
        if not dims:
            tests.append(f"{name}.__class__ is {self.source.name('s', leaf.dtype.np.type)}")
        return lines, tests

    def packed(self, tensors: Sequence[str]) -> str:
        """What the caller gets, from source of the flat outputs."""
        outputs = self.host.outputs
        if any(outputs.composites):
            return f"{self.source.name('c', outputs.pack)}([{', '.join(tensors)}])"
        if outputs.form is Form.SINGLE:
            return tensors[0]
        if outputs.form is Form.LIST:
            return f"[{', '.join(tensors)}]"
        rest = iter(tensors)

        def written(part: Any) -> str:
            return self.container(part, written) if nest.is_nested(part) else next(rest)

        return written(outputs.structure)


def _unpacked(names: Sequence[str]) -> str:
    return f"{', '.join(names)}," if names else "_"


def _shaped(array: str, dims: Dims) -> str:
    """` and ...`: whether an array has a declared shape."""
    if dims is None:
        return ""
    if None not in dims:
        return f" and {array}.shape == {tuple(dims)!r}"
    return f" and {array}.ndim == {len(dims)}" + "".join(
        f" and {array}.shape[{i}] == {d}" for i, d in enumerate(dims) if d is not None
    )

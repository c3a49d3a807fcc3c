"""A host call as straight-line source: the same four parts as `host.call`, written from the declaration.

    f3(h0 if h0.ndim else h0[()], {'k': x1}, scale=c3)               prepare and run: one expression
    if r.__class__ is tuple and len(r) == 2: r0, r1 = r              accept: the items of the result ...
    else: r0, r1 = e3.items(r)
    if not (r0.__class__ is A and r0.dtype is d3_0 and ...): r0 = e3.item(0, [r0, r1])      ... and each of them

The generated test of a result accepts a uniquely referenced array of the declared dtype and shape
(`interpreter.ownership`), a NumPy scalar, bytes, and an eager tensor, and uses it in place. Every other result, right
or wrong, goes through `HostCall`, named `e3` here. An exception goes through its `explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any

from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.source import Source
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.template import Hole, Plain
from inlay._src.core.tensor import EagerTensor
from inlay._src.core.values import boxed, holds_bytes
from inlay._src.host import convert, observing
from inlay._src.host.record import HostFunction, Mode, ResultForm

_FILE = f"{__file__} (call)"  # within the package, so that user tracebacks leave it out


class CallWriter:
    """Generates one call: arguments are built with `argument`, then `run` and `accept` follow.

    The fixed names of the source must have those of `interpreter.ownership` and `E`, the eager tensor. `function` and
    `long_way` are source of the function and of its `HostCall`. `into` has a variable for each output; `result` is that
    which takes what the function returns, the same if there is one output only.
    """

    def __init__(
        self,
        host: HostFunction,
        declared: Sequence[Dims],
        function: str,
        long_way: str,
        source: Source,
        into: Sequence[str] | None = None,
    ) -> None:
        self.host, self.declared, self.source = host, declared, source
        self.function, self.long_way = function, long_way
        single = len(declared) == 1 and host.outputs.form is not ResultForm.NEST and not any(host.outputs.composites)
        self.into: Sequence[str] = into or (["r"] if single else [f"r{i}" for i in range(len(declared))])
        self.single, self.result = single, self.into[0] if single else "r"

    # ---- prepare and run

    def argument(self, value: str, owned: str = "") -> str:
        """A runtime value as an argument of a function of NumPy arrays: a copy, or `owned` unless that is empty."""
        if not self.host.copy:
            return f"{self.source.name('view', convert.numpy_view)}({value})"
        return f"{owned or f'{value}.copy()'} if {value}.ndim else {value}[()]"

    def run(self, arguments: Sequence[str], shapes: Sequence[str]) -> None:
        """Writes the call of the function, from source of each argument, and of each shape for a shape rule."""
        if self.host.shape_of is not None:
            self.source.write(f"z = [{', '.join(shapes)}]")
        self.source.write(f"{self.result} = {self._call(arguments)}")

    def _call(self, arguments: Sequence[str]) -> str:
        template = self.host.template
        if template is None:
            return f"{self.function}({', '.join(arguments)})"
        positional, keyword = template.structure
        parts = [self._filled(part, arguments) for part in positional]
        for name, part in keyword.items():
            value = self._filled(part, arguments)
            plain = name.isidentifier() and not iskeyword(name)
            parts.append(f"{name}={value}" if plain else f"**{{{name!r}: {value}}}")
        return f"{self.function}({', '.join(parts)})"

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
            return f"{{{', '.join(f'{_key(self.source, key)}: {children[key]}' for key in part)}}}"
        listed = "".join(f"{c}, " for c in children.values())
        if part.__class__ in (tuple, list):
            return f"({listed})" if part.__class__ is tuple else f"[{listed}]"
        return f"{self.source.name('like', nest._like)}({self.source.name('c', part)}, [{listed}])"

    # ---- accept

    def accept(self, views: Sequence[str] = (), drop: Sequence[str] = ()) -> None:
        """Writes the checks of what the function returned, which leave the values of its outputs in their variables.

        `views` are those of the inputs, of which a result may be a view where they were handed out as views. `drop`
        gives the inputs up, so that a result that is one of them is seen to be nobody else's: once it fits, as an error
        tells of them.
        """
        result, into, e, write = self.result, self.into, self.long_way, self.source.write
        if any(self.host.outputs.composites):
            write(f"{_unpacked(into)} = {e}.accept([{result}])", f"{result} = None", *drop)
        elif not into:
            write(f"if {result} is not None: {e}.items({result})", f"{result} = None", *drop)
        elif self.single:
            self._check(result, 0, f"{e}.single({result})", views, drop)
            write(*drop)
        else:
            write(self._items(), f"else: {_unpacked(into)} = {e}.items({result})", f"{result} = None", *drop)
            for i, item in enumerate(into):
                self._check(item, i, f"{e}.item({i}, [{', '.join(into)}])", views)
        if self.host.shape_of is not None:
            write(f"{e}.check_rule(z, [{', '.join(into)}])")

    def _items(self) -> str:
        """The line that takes a result apart if it has exactly the declared structure."""
        outputs, result = self.host.outputs, self.result
        if outputs.form is not ResultForm.NEST:
            listed = (
                f"({result}.__class__ is tuple or {result}.__class__ is list) and len({result}) == {len(self.into)}"
            )
            return f"if {listed}: {_unpacked(self.into)} = {result}"
        tests: list[str] = []
        taken: list[str] = []

        def leaf(_: Any, at: str) -> list[str]:
            taken.append(at)
            return []

        try:
            tests = structure_tests(self.source, outputs.structure, result, leaf, False)
        except NotSpecialized:
            return "if False: pass"
        pairs = zip(self.into, taken, strict=True)
        return f"if {' and '.join(tests)}: {'; '.join([f'{name} = {at}' for name, at in pairs]) or 'pass'}"

    def _check(self, name: str, index: int, long_way: str, views: Sequence[str], drop: Sequence[str] = ()) -> None:
        """Writes what leaves in a variable the value of what it holds: output `index`."""
        leaf, dims, new, write = (
            self.host.outputs.leaves[index],
            self.declared[index],
            self.source.name,
            self.source.write,
        )
        if self.host.mode is Mode.EAGER:
            tests = (
                f"{name}.__class__ is E and {name}._dtype is {new('d', leaf.dtype)}{_shaped(f'{name}._value', dims)}"
            )
            write(f"if not ({tests}): {name} = {long_way}")
            return
        if leaf.dtype.is_quantized:
            write(f"{name} = {long_way}")
            return
        text = leaf.dtype is dtypes.string
        tests = f"{name}.__class__ is A and {name}.dtype is {new('d', leaf.dtype.np)}{_shaped(name, dims)}"
        tests += f" and {new('holds_bytes', holds_bytes)}({name})" if text else ""
        with self.source.block(f"if {tests}:"):
            write(*drop, self._taken(name, text, views))
        if not dims and text:
            write(f"elif {name}.__class__ is bytes: {name} = {new('boxed', boxed)}({name})")
            write(f"else: {name} = {long_way}")
        elif not dims:
            write(f"elif {name}.__class__ is not {new('s', leaf.dtype.np.type)}: {name} = {long_way}")
        else:
            write(f"else: {name} = {long_way}")

    def _taken(self, name: str, text: bool, views: Sequence[str]) -> str:
        """The line that makes the array in a variable, which fits its output, the run's own."""
        own = ownership.own_array(name)
        if views and not self.host.copy:  # a read-only view of an input is nobody's to write
            own += f" or {ownership.passed_view(name, list(views))}"
        return f"if not ({own}): {name} = {name}.copy(){'' if text else f' if {name}.ndim else {name}[()]'}"

    def packed(self, tensors: Sequence[str]) -> str:
        """Source of the packed result, from source of the flat outputs."""
        outputs = self.host.outputs
        if any(outputs.composites):
            return f"{self.source.name('c', outputs.pack)}([{', '.join(tensors)}])"
        if outputs.form is ResultForm.SINGLE:
            return tensors[0]
        if outputs.form is ResultForm.LIST:
            return f"[{', '.join(tensors)}]"
        rest = iter(tensors)

        def written(part: Any) -> str:
            return self.container(part, written) if nest.is_nested(part) else next(rest)

        return written(outputs.structure)


class ReadAtOnceWriter(CallWriter):
    """Generates a call whose results are read at once: an array that fits its output is left as it is."""

    def _taken(self, name: str, text: bool, views: Sequence[str]) -> str:
        return "pass"


def function(
    host: HostFunction, declared: tuple[Dims, ...], call: Any, count: int, writer: type[CallWriter] = CallWriter
) -> Callable[[Sequence[Any]], list[Any]]:
    """Writes the first three parts of a call as one function.

    Args:
      host: the host function.
      declared: the declared shapes of its outputs.
      call: the `HostCall`, for the cases that the written function hands over.
      count: the number of inputs.
      writer: the class that writes it.

    Returns:
      A function from the values of the inputs to those of the outputs.
    """
    source = Source({**ownership.NAMES, "E": EagerTensor})
    form = writer(host, declared, observing.name_function(call, source), source.name("e", call), source)
    inputs = [f"v{i}" for i in range(count)]
    arrays = host.mode is Mode.NUMPY
    with source.block("def call(inputs, A=A, E=E, ref=ref):"):
        source.write(*([f"{_unpacked(inputs)} = inputs"] if inputs else []))
        arguments = [form.argument(v) for v in inputs] if arrays else inputs
        form.run(arguments, [f"{v}.shape" if arrays else f"{v}.shape._dims" for v in inputs])
        form.accept(inputs)
        source.write(f"return [{', '.join(form.into)}]")
    return source.function("call", _FILE)


class NotSpecialized(Exception):
    """The code generator does not cover a container of this class, or this input or declaration of an eager call."""


def structure_tests(
    source: Source, part: Any, at: str, leaf: Callable[[Any, str], list[str]], exact: bool
) -> list[str]:
    """Source of tests that a value is nested like `part`.

    Args:
      source: where they will stand.
      part: the nest.
      at: source of the value.
      leaf: gives the tests of a leaf, from it and the source of its value.
      exact: whether lists differ from tuples, and dictionaries of different order from one another.

    Raises:
      NotSpecialized: if there is a container of another class in `part`.
    """
    kind = part.__class__
    if not nest.is_nested(part):
        return leaf(part, at)
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    if kind not in (dict, list, tuple) and not (exact and named_tuple):
        raise NotSpecialized
    if exact or kind is dict:
        tests = [f"{at}.__class__ is {source.name('k', kind)}"]
    else:
        tests = [f"({at}.__class__ is tuple or {at}.__class__ is list)"]
    if kind is not dict or not exact:
        tests.append(f"len({at}) == {len(part)}")
    elif any(key.__class__ is not str for key in part):
        raise NotSpecialized  # 1 and True are equal
    else:
        tests.append(f"[*{at}] == {[*part]!r}")
    for index, (key, child) in enumerate(nest._items(part)):
        place = _key(source, key) if kind is dict else index
        if kind is dict and not exact:
            tests.append(f"{place} in {at}")
        tests += structure_tests(source, child, f"{at}[{place}]", leaf, exact)
    return tests


def _key(source: Source, key: Any) -> str:
    """A key of a dictionary as source."""
    return repr(key) if key.__class__ in (str, int, bytes) else source.name("c", key)


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

"""Random programs of nested `if`, `while` and `for` with host functions: traced, they do what plain Python does."""

from __future__ import annotations

import random
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

NAMES = ("a", "b", "c")
LIMIT = 97
RETURNS = ("return a, b, c, 1", "return b, a, c, 2")


class Writer:
    """Writes the body of one program; every loop ends, every number stays small.

    Attributes:
      lines: the source so far.
      ways: of the loops around, innermost last: the statements that may leave a turn under an `if` on a tensor.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.ways: list[tuple[str, ...]] = []
        self.made = 0

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def value(self) -> str:
        x, y = self.pick(*NAMES), self.pick(*NAMES, "1", "2", "5")
        form = self.pick("{x}", "{x} + {y}", "{x} * {y}", "{x} - {y}", "host({x}, {y})", "({x} if {t} else {y})")
        return form.format(x=x, y=y, t=self.test() if "{t}" in form else "")

    def test(self) -> str:
        x, y = self.pick(*NAMES), self.pick(*NAMES, "3", "40")
        form = self.pick(
            "{x} < {y}",
            "{x} != {y}",
            "not {x} > {y}",
            "{x} % 2 == 0 and {x} > {y}",
            "{x} % 3 == 0 or {y} < {x}",
            "1 < {x} < {y} + 20",
            "host({x}, {y}) > 30",
        )
        return form.format(x=x, y=y)

    def block(self, depth: int, inside: str) -> None:
        before = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, inside)
        if len(self.lines) == before:
            self.lines.append(inside + "pass")

    def statement(self, depth: int, inside: str) -> None:
        kinds = ["assign", "assign", "two"]
        if depth:
            kinds += ["if", "if", "while", "range", "rows", "unrolled"]
        if self.ways:
            kinds += ["leave"]
        getattr(self, f"write_{self.pick(*kinds)}")(depth, inside)

    def write_assign(self, depth: int, inside: str) -> None:
        self.lines.append(f"{inside}{self.pick(*NAMES)} = ({self.value()}) % {LIMIT}")

    def write_two(self, depth: int, inside: str) -> None:
        self.lines.append(f"{inside}a, b = b, (a + {self.value()}) % {LIMIT}")

    def write_leave(self, depth: int, inside: str) -> None:
        how = self.pick(*self.ways[-1])
        self.lines += [f"{inside}if {self.test()}:", f"{inside}    {how}"]

    def write_if(self, depth: int, inside: str) -> None:
        self.lines.append(f"{inside}if {self.test()}:")
        self.block(depth - 1, inside + "    ")
        for word in self.pick((), ("else",), ("elif", "else")):
            self.lines.append(f"{inside}{word}{' ' + self.test() if word == 'elif' else ''}:")
            self.block(depth - 1, inside + "    ")

    def write_while(self, depth: int, inside: str) -> None:
        self.made += 1
        left = f"left{self.made}"
        self.lines += [f"{inside}{left} = a % 4", f"{inside}while {left} > 0 and ({self.test()}):"]
        self.lines.append(f"{inside}    {left} = {left} - 1")
        self.turn(depth, inside)

    def turn(self, depth: int, inside: str, *ways: str) -> None:
        """The block of a loop; one in the graph may be left in any way that the loops around it may."""
        returns = [w for w in (self.ways[-1] if self.ways else RETURNS) if w.startswith("return")]
        self.ways.append(ways or ("break", "continue", *returns))
        self.block(depth - 1, inside + "    ")
        self.ways.pop()

    def _loop(self, head: str, depth: int, inside: str, *ways: str) -> None:
        self.made += 1
        item = f"item{self.made}"
        self.lines += [inside + head.format(item=item), f"{inside}    c = (c + {item}) % {LIMIT}"]
        self.turn(depth, inside, *ways)

    def write_range(self, depth: int, inside: str) -> None:
        bounds = self.pick("a % 4", "1, 4", "b % 5, 0, -1", "3")
        self._loop(f"for {{item}} in tf.range({bounds}):", depth, inside)

    def write_rows(self, depth: int, inside: str) -> None:
        self._loop("for {item} in tf.stack([a, b]):", depth, inside)

    def write_unrolled(self, depth: int, inside: str) -> None:
        self._loop("for {item} in [4, 9]:", depth, inside, "continue")


def written(seed: int, depth: int) -> str:
    """The source of program number `seed`."""
    writer = Writer(seed)
    writer.statement(depth, "    ")
    writer.block(depth, "    ")
    return "def program(a, b, c):\n" + "\n".join(writer.lines) + "\n    return a, b, c, 0\n"


def inputs_of(seed: int, count: int) -> list[tuple[int, ...]]:
    numbers = random.Random(-1 - seed)
    return [tuple(numbers.randrange(LIMIT) for _ in NAMES) for _ in range(count)]


def compiled(text: str, folder: Path, log: list[Any]) -> Any:
    """The program as a function of a real file."""

    def record(x: Any, y: Any) -> Any:
        log.append((int(x), int(y)))
        return (x * 3 + y) % LIMIT

    path = folder / f"program_{abs(hash(text))}.py"
    path.write_text(text)
    scope: dict[str, Any] = {"tf": tf, "host": lambda x, y: shaped(tf.py_function(record, [x, y], tf.int32))}
    exec(compile(text, str(path), "exec"), scope)
    return scope["program"]


def shaped(tensor: Any) -> Any:
    tensor.set_shape([])
    return tensor


def outcome(function: Any, numbers: tuple[int, ...], log: list[Any]) -> Any:
    log.clear()
    values = function(*[tf.constant(n) for n in numbers])
    return [int(v) for v in values], list(log)


# Plain seeds rather than Hypothesis: converting a program takes longer than running it, and shrinking does it thousands
# of times.
@pytest.mark.parametrize("seed", range(40))
def test_traced_programs_do_what_python_does(seed: int, tmp_path: Path) -> None:
    log: list[Any] = []
    text = written(seed, 1 + seed % 3)
    program = compiled(text, tmp_path, log)
    traced = tf.function(program)
    for numbers in inputs_of(seed, 4):
        expected = outcome(program, numbers, log)
        assert outcome(traced, numbers, log) == expected, textwrap.indent(text, "| ")
    assert traced.experimental_get_tracing_count() == 1
    traced.get_concrete_function(*[tf.constant(n) for n in numbers]).graph.verify()


@pytest.mark.parametrize("seed", range(100, 120))
def test_gradients_follow_the_path_that_ran(seed: int, tmp_path: Path) -> None:
    log: list[Any] = []
    text = written(seed, 1 + seed % 2)
    body = text.replace("def program(a, b, c):\n", "def program(a, b, c, x):\n").splitlines()
    lines = []
    for line in body:  # beside the integers, every assignment also moves a real number along
        lines.append(line.replace("return ", "return x, "))
        if " = (" in line:
            lines.append(
                line[: len(line) - len(line.lstrip())] + "x = x * 0.9 + 0.2 * tf.sin(x * tf.cast(a % 5, tf.float32))"
            )
    program = compiled("\n".join(lines) + "\n", tmp_path, log)

    def gradients(x: Any, *counts: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = program(*counts, x)[0]
            first = inner.gradient(y, x, unconnected_gradients="zero")
        return y, first, outer.gradient(first, x, unconnected_gradients="zero")

    (numbers,) = inputs_of(seed, 1)
    counts = [tf.constant(n) for n in numbers]
    expected = [float(v) for v in gradients(tf.constant(0.1), *counts)]
    got = [float(v) for v in tf.function(gradients)(tf.constant(0.1), *counts)]
    np.testing.assert_allclose(got, expected, rtol=1e-3, err_msg="\n".join(lines))

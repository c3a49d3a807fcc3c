"""Converted functions do with Python's values what they did before; marks; what is refused."""

from __future__ import annotations

import contextlib
import functools
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.conversion import convert
from inlay._src.programs.conversion.calls import converted_call

# ---------------------------------------------------------------- programs: each is run as written and converted


def branches(n: int) -> str:
    if n < 0:
        kind = "negative"
    elif n == 0:
        kind = "zero"
    else:
        kind = "positive"
        if n > 10:
            kind += ", large"
    return kind


def early_returns(n: int) -> int | None:
    for k in range(n):
        if k == 3:
            return k
        while k < 100:
            k += 1
            if k == 50 and n == 2:
                return k
    if n == 1:
        return None
    return -n


def breaks_and_continues(n: int) -> list[int]:
    found = []
    for i in range(n):
        if i % 3 == 0:
            continue
        for j in range(i):
            if j == 4:
                break
            found.append(i * j)
        if len(found) > 12:
            break
    return found


def loops_with_else(values: list[int]) -> str:
    for v in values:
        if v < 0:
            break
    else:
        return "none below zero"
    while values:
        values = values[1:]
    else:
        return f"found {v}"


def unpacking(values: Any) -> Any:
    first, *rest = values
    (a, b), c = rest[0], rest[1:]
    for i, (x, y) in enumerate([(a, b), (b, a)]):
        first += i * (x - y)
    return first, a, b, c, {"l": [*rest], **{str(k): k for k in c}}


def comprehensions(n: int) -> Any:
    squares = [k * k for k in range(n) if k % 2]
    pairs = {k: v for k, v in zip(range(n), squares, strict=False)}
    grid = [(i, j) for i in range(3) for j in range(i)]
    return squares, pairs, {k // 2 for k in range(n)}, grid, sum(k for k in squares)


def chained_comparisons(n: int) -> list[bool]:
    result = 0 < n < 10 and not n == 5 or n in (-1, -2)
    return [bool(result), n is None, n != 3, 1 <= n <= 2 <= 3]


def lazy_operators(n: int) -> Any:
    empty: list[int] = []
    return (empty or n), (n and empty), (n > 0 and 10 // n), (None if n else "zero")


def raising_and_catching(n: int) -> Any:
    log = []
    try:
        log.append("try")
        if n == 0:
            raise ValueError("zero")
        if n == 1:
            raise KeyError("one")
    except ValueError as error:
        log.append(str(error))
    except (KeyError, IndexError):
        log.append("key")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def returning_from_finally(n: int) -> Any:
    try:
        if n:
            return "body"
        raise RuntimeError
    except RuntimeError:
        return "handler"
    finally:
        n += 1


def raising(n: int) -> Any:
    if n > 1:
        raise ValueError(f"too large: {n}") from KeyError("cause")
    assert n != 1, "one is refused"
    return n


@contextlib.contextmanager
def _noted(log: list[str], name: str) -> Iterator[str]:
    log.append(f"enter {name}")
    try:
        yield name
    finally:
        log.append(f"exit {name}")


def managers(n: int) -> Any:
    log: list[str] = []
    with _noted(log, "a") as a, _noted(log, "b"):
        log.append(a * n)
        if n > 1:
            return log
    with contextlib.suppress(ZeroDivisionError):
        log.append(str(1 // (n - 1)))
    return log


def closures(n: int) -> Any:
    total = 0

    def add(k: int) -> int:
        nonlocal total
        total += k
        return total

    def twice(f: Callable[[int], int]) -> Callable[[int], int]:
        return lambda k: f(k) + f(k)

    return [add(n), twice(add)(1), total, [f(n) for f in [lambda k, m=m: k * m for m in range(3)]]]


def recursion(n: int) -> int:
    return 1 if n <= 1 else n * recursion(n - 1)


def mutual_recursion(n: int) -> bool:
    def even(k: int) -> bool:
        return True if k == 0 else odd(k - 1)

    def odd(k: int) -> bool:
        return False if k == 0 else even(k - 1)

    return even(n)


def arguments_of_every_kind(n: int) -> Any:
    def f(a: int, /, b: int = 2, *rest: int, c: int, d: int = 4, **named: int) -> Any:
        if a:
            return a, b, rest, c, d, sorted(named.items())
        return None

    return f(n, c=3), f(n, 5, 6, 7, c=8, e=9), f(*[n, 1], **dict.fromkeys("cd", 2))


def classes_inside(n: int) -> Any:
    class Counter:
        start = 10

        def __init__(self, k: int) -> None:
            self.__hidden = k

        @property
        def value(self) -> int:
            return self.__hidden + self.start

        @classmethod
        def made(cls, k: int) -> Any:
            return cls(k + 1)

        @staticmethod
        def double(k: int) -> int:
            return 2 * k

    return Counter(n).value, Counter.made(n).value, Counter.double(n)


def generators_inside(n: int) -> Any:
    def counting() -> Iterator[int]:
        for k in range(n):
            if k % 2:
                yield k

    return list(counting()), next(iter(counting()), "none")


def deleting_and_slicing(n: int) -> Any:
    values, table = list(range(n)), {"a": 1, "b": 2}
    del table["a"]
    if n > 2:
        del values[0], values[-1]
    values[1:1] = [9, 9]
    values[::2] = values[::-2] if len(values) % 2 else values[::2]
    return values, table


def augmented_assignments(n: int) -> Any:
    x, values = n, [n]
    x += 2
    x *= 3
    x -= 1
    x //= 2
    x **= 2
    x %= 7
    x |= 8
    x <<= 1
    values += [x]
    values[0] -= 1
    return x, values


def undefined_in_one_branch(n: int) -> Any:
    if n > 0:
        value = n
    try:
        return value
    except UnboundLocalError:
        return "unbound"


def global_names(n: int) -> Any:
    global _CHANGED
    _CHANGED = n
    return _CHANGED, np.abs(-n), len(__name__) > 0


_CHANGED = 0


def formatted_text(n: int) -> str:
    word = "many" if n > 1 else "one"
    return f"{n:03d} {word!r} {'yes' if n else 'no'}" + str(n) + " {}".format(*[n])


def builtins_of_python(n: int) -> Any:
    values = list(range(n))
    return (
        len(values), sum(values), max(values, default=-1), sorted(values, reverse=True), list(map(str, values)),
        list(filter(None, values)), list(zip(values, "abc", strict=False)), any(values), all(values), abs(-n),
        int("7"), float(n), list(reversed(values)), dict(enumerate("ab")), isinstance(n, int), repr(n), print(end=""),
    )  # fmt: skip


def decorated_inside(n: int) -> Any:
    def doubled(f: Callable[[int], int]) -> Callable[[int], int]:
        @functools.wraps(f)
        def wrapper(k: int) -> int:
            return 2 * f(k)

        return wrapper

    @doubled
    def plus_one(k: int) -> int:
        """Adds one."""
        return k + 1

    return plus_one(n), plus_one.__name__, plus_one.__doc__


def local_names(n: int) -> Any:
    a = n + 1
    return "a" in locals(), "n" in locals(), "absent" in locals(), eval("a + n"), "np" in globals()


def only_a_docstring(n: int) -> None:
    """Nothing else."""


def nested_data(n: int) -> Any:
    tree: dict[str, Any] = {"leaf": n, "children": []}
    node = tree
    while node["leaf"] > 0:
        child: dict[str, Any] = {"leaf": node["leaf"] - 1, "children": []}
        node["children"].append(child)
        node = child
    return tree


def while_true(n: int) -> int:
    steps = 0
    while True:
        if n == 1 or steps > 20:
            return steps
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1


def walrus(n: int) -> Any:
    if (half := n // 2) > 1:
        return half
    return [y for x in range(n) if (y := x * x) > 0]


def matching(n: int) -> str:
    match [n, n + 1]:
        case [0, _]:
            return "zero"
        case [a, b] if a > 2:
            return f"{a} {b}"
        case _:
            return "other"


PROGRAMS: dict[Callable[..., Any], list[Any]] = {
    branches: [-1, 0, 5, 11],
    early_returns: [0, 1, 2, 5],
    breaks_and_continues: [0, 4, 12],
    loops_with_else: [[1, 2], [1, -2], []],
    unpacking: [[1, (2, 3), 4], (0, (5, 1))],
    comprehensions: [0, 7],
    chained_comparisons: [-1, 2, 5, 12],
    lazy_operators: [0, 4],
    raising_and_catching: [0, 1, 2],
    returning_from_finally: [0, 1],
    raising: [0, 1, 2],
    managers: [1, 2, 0],
    closures: [3],
    recursion: [0, 6],
    mutual_recursion: [4, 7],
    arguments_of_every_kind: [0, 1],
    classes_inside: [5],
    generators_inside: [0, 5],
    deleting_and_slicing: [1, 3, 6],
    augmented_assignments: [1, 4],
    undefined_in_one_branch: [1, 0],
    global_names: [3],
    formatted_text: [0, 1, 12],
    builtins_of_python: [0, 3],
    decorated_inside: [4],
    local_names: [1],
    only_a_docstring: [1],
    nested_data: [0, 3],
    while_true: [1, 6, 27],
    walrus: [1, 3, 8],
    matching: [0, 1, 3],
}


def outcome(function: Callable[..., Any], argument: Any) -> Any:
    """What a call gives: its value, or its exception's class, text and cause."""
    try:
        return function(pickle.loads(pickle.dumps(argument)))
    except Exception as error:
        text = str(error).split("\nassert ")[0]  # what pytest adds to an assertion of this file
        return type(error), text, repr(error.__cause__)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_converted_function_does_what_it_did(program: Callable[..., Any]) -> None:
    changed = convert(program)
    for argument in PROGRAMS[program]:
        assert outcome(changed, argument) == outcome(program, argument)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_traced_function_runs_it_on_python_values_alike(program: Callable[..., Any]) -> None:
    found: list[Any] = []

    @tf.function
    def around(x: Any, argument: Any) -> Any:
        found.append(outcome(program, argument))
        return x

    for argument in PROGRAMS[program]:
        found.clear()
        around(tf.constant(1), argument)
        assert found == [outcome(program, argument)]


# ---------------------------------------------------------------- what a conversion keeps


def test_what_introspection_sees_is_kept() -> None:
    class Owner:
        def method(self, a: int, *, b: int = 2) -> int:
            """Adds."""
            return a + b

    seen = []

    @tf.function
    def around(x: Any) -> Any:
        def inner(a: int, b: int = 3, *, c: int = 4) -> int:
            """Text."""
            return a + b + c

        seen.append((inner.__name__, inner.__doc__, inner.__defaults__, inner.__kwdefaults__, inner.__module__))
        seen.append(str(inspect.signature(Owner().method)))
        return x

    around(tf.constant(1))
    assert seen == [("inner", "Text.", (3,), {"c": 4}, __name__), "(a: 'int', *, b: 'int' = 2) -> 'int'"]


def test_methods_partials_and_callable_objects_are_converted() -> None:
    class Scaled:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def method(self, x: Any) -> Any:
            return x * self.factor if x > 0 else x

        def __call__(self, x: Any) -> Any:
            return self.method(x)

        @classmethod
        def made(cls, x: Any) -> Any:
            return cls(10.0)(x)

        @staticmethod
        def sign(x: Any) -> Any:
            if x > 0:
                return 1.0
            return -1.0

    scaled = Scaled(3.0)
    calls = [scaled, scaled.method, Scaled.made, Scaled.sign, functools.partial(Scaled.method, scaled)]
    around = tf.function(lambda x: tf.stack([f(x) for f in calls]))
    assert around(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0, 20.0, 1.0, 6.0]
    assert around(tf.constant(-2.0)).numpy().tolist() == [-2.0, -2.0, -2.0, -1.0, -2.0]


def test_super_finds_the_class_of_the_method() -> None:
    class Base:
        def value(self, x: Any) -> Any:
            return x + 1 if x > 0 else x - 1

    class Derived(Base):
        def value(self, x: Any) -> Any:
            return super().value(x) * 10

    around = tf.function(lambda x: Derived().value(x))
    assert [around(tf.constant(v)).numpy() for v in (1, -1)] == [20, -20]


def test_a_wrapper_of_a_marked_function_is_not_itself_marked() -> None:
    @tf.autograph.experimental.do_not_convert
    def kept(x: Any) -> Any:
        return "python" if isinstance(x, tf.Tensor) else "value"

    @functools.wraps(kept)
    def wrapper(x: Any) -> Any:
        return x + 1 if x > 0 else x

    assert tf.function(wrapper)(tf.constant(1)).numpy() == 2
    assert kept(tf.constant(1)) == "python"


def test_a_converted_call_of_a_class_makes_an_object() -> None:
    assert converted_call(dict, (), {"a": 1}) == {"a": 1}
    assert converted_call(np.float32, (2,), None) == np.float32(2)
    assert converted_call(branches, (11,), None) == "positive, large"


def test_generators_and_coroutines_run_as_they_are() -> None:
    def numbers(x: Any) -> Iterator[Any]:
        yield x
        yield x * 2

    async def later(x: Any) -> Any:
        return x

    seen = []

    @tf.function
    def around(x: Any) -> Any:
        waiting = later(x)
        seen.append(inspect.iscoroutine(waiting))
        waiting.close()
        return tf.add_n(list(numbers(x)))

    assert around(tf.constant(3)).numpy() == 9
    assert seen == [True]


# ---------------------------------------------------------------- what is refused, and how it is said


def test_only_functions_can_be_looked_at() -> None:
    for entity in (3, dict, functools.partial(branches, 1), len):
        with pytest.raises(ValueError, match="AutoGraph converts Python functions and methods, got"):
            tf.autograph.to_code(entity)


@pytest.mark.parametrize(
    ("function", "reason"),
    [(walrus, r"assignment expressions \(:=\) are"), (matching, "match statements are"), (loops_with_else, "for/else")],
)
def test_what_cannot_be_converted_says_why(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"AutoGraph cannot convert .*{reason}"):
        tf.autograph.to_code(function)
    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match=f"could not convert {function.__name__}.*{reason}"
    ):
        tf.function(function)(tf.constant([3]) if function is loops_with_else else tf.constant(3))


def test_a_loop_with_an_else_over_a_tensor_is_not_implemented_as_in_tensorflow() -> None:
    with pytest.raises(NotImplementedError, match="for/else"):
        tf.function(loops_with_else)(tf.constant([3]))


def test_the_source_can_be_read_and_compiled() -> None:
    for program in PROGRAMS:
        if program not in (walrus, matching, loops_with_else, generators_inside):
            text = tf.autograph.to_code(program)
            compile(text, "<converted>", "exec")
            assert f"def tf__{program.__name__}(" in text
    assert tf.autograph.to_code(tf.function(branches)) == tf.autograph.to_code(branches)


def test_loop_options_stand_first_in_a_loop() -> None:
    @tf.function
    def late(n: Any) -> Any:
        s = 0
        for i in tf.range(n):
            s += i
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        return s

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="must be the first statement in the loop"):
        late(tf.constant(3))
    assert tf.autograph.experimental.set_loop_options(maximum_iterations=2) is None


@pytest.mark.xfail(
    strict=True, reason="a chain of comparisons becomes one per pair, and what stands between is called twice"
)
def test_what_stands_inside_a_chain_of_comparisons_is_called_once() -> None:
    calls: list[int] = []

    def noted(k: int) -> int:
        calls.append(k)
        return k

    assert convert(lambda n: 0 < noted(n) < 10)(5)
    assert calls == [5]

"""The transformation of one function: what is made of its code, and what is refused."""

from __future__ import annotations

import ast
import gc
import weakref
from typing import Any

import pytest

import inlay as tf
from inlay._src.programs.conversion import transpile
from inlay._src.programs.conversion.calls import Namespace, source_of
from inlay._src.programs.conversion.marks import CONVERTED, Refusal, is_marked


def converted(function: Any) -> Any:
    return transpile.converted(function, Namespace)


def positive(x: Any, shift: Any = 1, *, scale: Any = 2) -> Any:
    """Docs."""
    if x > 0:
        y = x + shift
    else:
        y = -x
    return y * scale


def test_a_converted_function_looks_like_the_one_it_was_made_of() -> None:
    made = converted(positive)
    assert (made.__name__, made.__qualname__, made.__defaults__, made.__kwdefaults__) == (
        positive.__name__,
        positive.__qualname__,
        positive.__defaults__,
        positive.__kwdefaults__,
    )
    assert made.__code__.co_filename == __file__ and is_marked(made, CONVERTED)
    assert made(3) == positive(3) == 8 and made(-3, scale=1) == 3


def test_the_lines_of_converted_code_are_the_users() -> None:
    lines = {line for _, _, line in converted(positive).__code__.co_lines() if line}
    first = positive.__code__.co_firstlineno
    assert lines and min(lines) >= first and max(lines) <= first + 6


def test_control_flow_becomes_calls() -> None:
    text = source_of(positive)
    assert "ag__.if_stmt(x > 0, if_body, else_body" in text.replace("ag__.ld(x)", "x")


def test_equal_code_is_converted_once_and_sees_its_own_variables() -> None:
    def adding(n: int) -> Any:
        def add(x: Any) -> Any:
            if x > n:
                x = x + n
            return x

        return add

    one, two = adding(1), adding(2)
    assert transpile._cached(one, Namespace) is transpile._cached(two, Namespace)
    assert (converted(one)(5), converted(two)(5)) == (6, 7)


def test_variables_that_are_not_assigned_yet_are_found_when_they_are() -> None:
    def outer() -> Any:
        def early() -> Any:
            return later() if True else None

        made = converted(early)

        def later() -> int:
            return 4

        return made()

    assert outer() == 4


REFUSED = {
    "assignment expressions": "def f(x):\n    if (y := x):\n        return y\n    return x\n",
    "match statements": "def f(x):\n    match x:\n        case 1:\n            return 2\n    return x\n",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_converted_says_why(reason: str, tmp_path: Any) -> None:
    path = tmp_path / "written.py"
    path.write_text(REFUSED[reason])
    scope: dict[str, Any] = {}
    exec(compile(REFUSED[reason], str(path), "exec"), scope)
    found = converted(scope["f"])
    assert isinstance(found, Refusal) and reason in found.reason
    with pytest.raises(ValueError, match=f"AutoGraph cannot convert .*{reason}"):
        source_of(scope["f"])


def test_a_function_without_source_is_refused() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", scope)
    assert isinstance(converted(scope["f"]), Refusal)


def test_private_names_are_those_of_the_class() -> None:
    class Holder:
        __secret = 5

        def read(self) -> Any:
            return self.__secret

    assert converted(Holder.read)(Holder()) == 5


def test_lambdas_on_one_line_are_told_apart() -> None:
    one, two = (lambda x: x + 1), (lambda x: x + 2)  # fmt: skip
    assert (converted(one)(1), converted(two)(1)) == (2, 3)


def test_caught_errors_can_be_named() -> None:
    def careful(x: Any) -> Any:
        try:
            raise KeyError("k")
        except KeyError as error:
            found = error.args[0]
        else:
            if x:
                found = "else"
        return found

    assert converted(careful)(1) == "k"


def test_loop_options_are_keyword_arguments_of_the_first_statement() -> None:
    def late(n: Any) -> Any:
        while n > 0:
            n = n - 1
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        return n

    def positional(n: Any) -> Any:
        while n > 0:
            tf.autograph.experimental.set_loop_options(3)
            n = n - 1
        return n

    assert "must be the first statement in the loop block" in converted(late).reason
    assert "takes keyword arguments only" in converted(positional).reason


def test_what_was_made_lives_as_long_as_the_code() -> None:
    scope: dict[str, Any] = {}
    exec(compile("def f(x):\n    return x\n", __file__, "exec"), scope)
    transpile._cached(scope["f"], Namespace)
    held = weakref.ref(scope["f"].__code__)
    scope.clear()
    gc.collect()
    assert held() is None


def test_nothing_is_collected_while_a_source_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python before 3.11.9 raises SystemError if a collection runs code in the middle of a parse."""
    parse, collecting = ast.parse, []

    def observed(*args: Any, **kwargs: Any) -> Any:
        collecting.append(gc.isenabled())
        return parse(*args, **kwargs)

    monkeypatch.setattr(ast, "parse", observed)
    add = tf.function(lambda x: x + 1 if x > 0 else x)

    @tf.function
    def absolute(x: Any) -> Any:
        if x < 0:
            x = -x
        return x

    assert (int(add(tf.constant(1))), int(absolute(tf.constant(-2)))) == (2, 2)
    assert collecting
    assert not any(collecting)
    assert gc.isenabled()

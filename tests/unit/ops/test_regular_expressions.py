"""Patterns mean with Python's `re` what they mean with RE2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.ops import regular_expressions
from inlay._src.ops.regular_expressions import RegularExpression, compiled, compiled_by_re

needs_re2 = pytest.mark.skipif(regular_expressions.re2 is None, reason="compares with google-re2")

PATTERNS = [
    "", "a", ".", "(?s).", "a|b", "a||b", "a*", "a+?", "a{2}", "a{1,}?", "a{,2}", "a{", "x{1,2", "(a)(b)?", "(?:ab)+",
    "(?P<n>a)", "(?<n>a)", "^a", "a$", "(?m)^b$", r"\Aa", r"a\z", r"\ba\b", r"\Ba", r"\d+", r"\D", r"\s", r"\S+",
    r"\w+", r"\W", "[abc]", "[^abc]", "[a-c]+", "[]a]", "[^]a]", "[a-]", "[-a]", r"[\d-]", r"[\]]", r"[^\w]", r"[\D]",
    r"[\S]", "[[:alpha:]]+", "[[:^alpha:]]", "[^[:space:]]", "[[:word:]-]", "(?i)aB", "a(?i)b|C", "(a(?i)b)c",
    "(?i:a)b", "(?i)[a-c]", "(?i)[^a]", "(?i)é", "(?-i)a", "(?U)a+", "(?U)a+?", "(?s-m).", "(?ims)a", r"\x41",
    r"\x{e9}", r"\101", r"\07", r"\12", r"\Qa.b\E+", r"\Qa", r"(?i)\Qab\E", r"\.", r"\-", r"\/", r"\n\t", "é",
    "[é-ü]", "é+", "^*", "$+", "(a*)+", "(a|b)*c", "a{1000}", "(?:)", "()", "a.c", r"[\x{e0}-\x{ff}]", r"[\a\f]", "#",
    "a b", "&&", "[a&&b]", "[[a]", "~", "--", r"\_", "(?i)K", "(?m)a$", "(?m)^", r"\b", "$", "^", r"(?m)\z",
    "(?P<n>a)(?P<n>b)", "(?P<1>a)", "(?P<é>a)", "(?)a",
]  # fmt: skip
REFUSED = [
    "(", ")", "a)", "(a", "[", "[a", "[b-a]", "[a--b]", "*", "+a", "a**", "a*+", "a++", "a?+", "a{2}{3}", "a{2}*",
    "|*", "(*)", "a{1001}", "a{2,1}", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)", "(?P=n)", r"(a)\1", r"\8", r"\Z",
    r"\G", r"\y", r"\é", "\\", r"a\x4", r"\x{110000}", "(?z)a", "(?", "(?P", "(?P<n", "(?P<>a)", "(?#comment)a",
    "[[:none:]]", r"[a-\d]", r"[\8]", "(?-)a", "(?i-)a", "(?i)*", "(?x)a b", "(?(1)a)",
]  # fmt: skip
TEXTS = [
    b"", b"a", b"ab", b"aab", b"b\na", b"a\n", "é".encode(), "aéb".encode(), b"\xffa", b"a\xff\xfeb", b"A B", b"aB cD",
    b"a.b.b", b"12 34", b"-a_b-", b"\x07\t\n\x0b", "K\u212a\u017f".encode(), b"]a", b"cab" * 3, b"a{,2}", b"a" * 1000,
]  # fmt: skip
REWRITES: list[regular_expressions.Rewrite] = [(b"\\<", 0, b">\\g<0>"), (b"\xff",), ()]


def outcomes(pattern: RegularExpression, text: bytes) -> list[object]:
    replaced = [pattern.replaced(text, rewrite, everywhere) for rewrite in REWRITES for everywhere in (True, False)]
    several = [b"", text, b"ab1", text]
    for rewrite in REWRITES:
        for everywhere in (True, False):
            each = [pattern.replaced(t, rewrite, everywhere) for t in several]
            assert pattern.all_replaced(several, rewrite, everywhere) == each
    return [pattern.matches(text), *replaced]


def ways(pattern: bytes) -> list[RegularExpression]:
    """A pattern for RE2 and for `re`, with and without its quick form."""
    both = [compiled(pattern), compiled_by_re(pattern), compiled(pattern), compiled_by_re(pattern)]
    for each in both[:2]:
        each._quick = regular_expressions._NO_FORM
    return both


@needs_re2
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_means_the_same(pattern: str) -> None:
    by_re2, *others = ways(pattern.encode())
    assert all(other.groups == by_re2.groups for other in others)
    for text in TEXTS:
        expected = outcomes(by_re2, text)
        assert all(outcomes(other, text) == expected for other in others), text


@needs_re2
@pytest.mark.parametrize("pattern", [*REFUSED, b"\xff", r"\pN*+"])
def test_a_pattern_is_refused_by_both(pattern: str | bytes) -> None:
    text = pattern if isinstance(pattern, bytes) else pattern.encode()
    for compile_pattern in (compiled, compiled_by_re):
        with pytest.raises(ValueError, match="^Invalid pattern: "):
            compile_pattern(text)


@needs_re2
@pytest.mark.parametrize("pattern", ["a**", "a{1001}", "(?=a)", r"\8", "*", "[b-a]", "\\", b"\xff", r"(a)\1", "(?P=n)"])
def test_the_errors_say_the_same(pattern: str | bytes) -> None:
    text = pattern if isinstance(pattern, bytes) else pattern.encode()
    said = []
    for compile_pattern in (compiled, compiled_by_re):
        with pytest.raises(ValueError) as raised:
            compile_pattern(text)
        said.append(str(raised.value))
    assert said[0] == said[1]


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\b", "^", "$", "é", r"\W", "(?:a|bc)", "(a)"])
PIECES = st.tuples(ATOMS, st.sampled_from(["", "", "*", "+", "?", "*?", "{2}", "{1,2}?"])).map("".join)


@needs_re2
@given(
    pieces=st.lists(PIECES, max_size=4),
    flags=st.sampled_from(["", "(?i)", "(?s)", "(?m)", "(?U)"]),
    text=st.text("abAé1 \n", max_size=8).map(str.encode) | st.binary(max_size=6),
)
def test_patterns_of_any_atoms_mean_the_same(pieces: list[str], flags: str, text: bytes) -> None:
    pattern = (flags + "|".join(pieces[:1]) + "".join(pieces[1:])).encode()
    expected, *others = [outcomes(way, text) for way in ways(pattern)]
    assert all(other == expected for other in others)


@pytest.mark.parametrize(
    "pattern, most",
    [
        ("[0-9]+", 1000), ("a.*b", 1000), ("a+b+", 99), (r"\d{4}-\d{2}", 10**6), (r"\bfoo\b", 10**6), ("^a|b$", 10**6),
        (r"\)", 10**6), ("a*", -1), (r"\b", -1), ("$", -1), ("a|", -1), ("(a+)+b", -1), ("(?:a|b)*c", -1), (r"\pN", -1),
        ("(", -1), ("a?b", 1000), ("a{2,3}", 1000),
    ],
)  # fmt: skip
def test_the_longest_text_of_a_quick_form(pattern: str, most: int) -> None:
    assert regular_expressions.quick_form(pattern.encode()).most == most


@needs_re2
def test_a_long_text_is_for_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = compiled(b"a+b+")
    assert pattern.replaced(b"aab" * 33, (b"-",), True) == b"-" * 33
    assert pattern.replaced(b"aab" * 34, (b"-",), True) == b"-" * 34
    assert pattern.replaced(b"a" * 10**5, (b"-",), True) == b"a" * 10**5  # a hundred steps each, not all others


@pytest.mark.parametrize("pattern", [r"\pN", r"[\p{Greek}]", r"\C"])
def test_syntax_that_re_lacks_names_the_package(pattern: str) -> None:
    with pytest.raises(ValueError, match="it needs google-re2, which is not installed"):
        compiled_by_re(pattern.encode())


def test_ops_work_without_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expressions, "re2", None)
    regular_expressions.PATTERNS.clear()
    try:
        pattern = regular_expressions.PATTERNS[b"b(.)"]
        assert isinstance(pattern.regex.pattern, str)
        assert tf.strings.regex_replace([b"abcb\xc3\xa9"], "b(.)", r"[\1]").numpy().tolist() == [b"a[c][\xc3\xa9]"]
        assert tf.strings.regex_full_match(["aa", "ab"], tf.constant("a+")).numpy().tolist() == [True, False]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Invalid pattern: a.., error: bad repetition operator"
        ):
            tf.strings.regex_full_match(["a"], "a**")
    finally:
        regular_expressions.PATTERNS.clear()

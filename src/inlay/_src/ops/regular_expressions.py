"""Regular expressions in RE2's syntax: by google-re2, or by Python's `re` where that is not installed.

`re` is given a pattern that means the same: characters of UTF-8, `$` at the end of the text only, classes and words of
ASCII, flags until the end of their group. It differs in three ways: it has no `\\p` and no `\\C`, a match may take
exponential time, and groups within repetitions of empty matches may hold something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from inlay._src.base.interpreter.caches import BoundedCache

try:
    import re2
except ImportError:
    re2 = None


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


Rewrite = tuple[bytes | int, ...]
"""The replacement of a match: bytes, and numbers of groups."""
_MOST_STEPS = 10**6


class QuickForm(NamedTuple):
    """A pattern for `re.sub`, which replaces matches in C; google-re2 does so in Python.

    Attributes:
      sub: the method `sub` of the compiled pattern.
      most: the length of the longest text that it is for, in bytes; -1 if the pattern has no such form.
      asserts: whether a match depends on what is around it.
    """

    sub: Callable[[str, str, int], str]
    most: int
    asserts: bool


def quick_form(pattern: bytes) -> QuickForm:
    """The form of a pattern that has no empty matches, and a bounded number of steps for short texts.

    `re` treats empty matches otherwise than RE2 does. Without repeated groups it tries at most as many ways as there
    are places for the ends of all repetitions, from each start.
    """
    try:
        text = pattern.decode()
        translation, loose = _Translation(text), _Translation(text, assertions=False)
        regex = re.compile("".join(translation.parts()))
        empty = re.compile("".join(loose.parts())).match("")
    except (UnicodeDecodeError, re.error, OverflowError, RecursionError):
        return _NO_FORM
    if empty or translation.repeats_groups:
        return _NO_FORM
    most = int(_MOST_STEPS ** (1 / (1 + translation.repetitions)))
    return QuickForm(regex.sub, most, translation.asserts)


_NO_FORM = QuickForm(lambda template, text, count: text, -1, True)
_BETWEEN = b"\xff", "\udcff"
"""A mark between texts, undecoded and decoded: no UTF-8 has it, and no pattern matches it."""
_TEMPLATES: BoundedCache[Rewrite, str] = BoundedCache(
    "templates of rewrites",
    256,
    lambda rewrite: "".join([f"\\g<{p}>" if isinstance(p, int) else _decoded(p).replace("\\", r"\\") for p in rewrite]),
)


class RegularExpression:
    """A compiled pattern.

    Args:
      pattern: the pattern in RE2's syntax.
      regex: of bytes for RE2, of text for `re`.
      character: the same for one character.
      read: reads a text for both.

    Attributes:
      regex: see above.
      groups: the number of its groups.
    """

    __slots__ = ("_character", "_pattern", "_quick", "_read", "groups", "regex")

    def __init__(self, pattern: bytes, regex: Any, character: Any, read: Callable[[bytes], Any]) -> None:
        self.regex = regex
        self.groups: int = regex.groups
        self._pattern = pattern
        self._character = character
        self._read = read
        self._quick: QuickForm | None = None

    def matches(self, text: bytes) -> bool:
        """Whether it matches all of a text."""
        return self.regex.fullmatch(self._read(text)) is not None

    def _quick_form(self) -> QuickForm:
        quick = self._quick
        if quick is None:
            quick = self._quick = quick_form(self._pattern)
        return quick

    def all_replaced(self, values: Sequence[bytes], rewrite: Rewrite, everywhere: bool) -> list[bytes]:
        """`replaced` for each of several texts, together where that is the same.

        Args:
          values: the texts.
          rewrite, everywhere: see `replaced`.
        """
        quick, (mark, between) = self._quick_form(), _BETWEEN
        together = mark.join(values)
        if not values or max(map(len, values)) > quick.most or together.count(mark) != len(values) - 1:
            return [self.replaced(value, rewrite, everywhere) for value in values]
        text, template = _decoded(together), _TEMPLATES[rewrite]
        if quick.asserts or not everywhere or between in template:
            sub, count = quick.sub, int(not everywhere)
            if between in template:
                return [_encoded(sub(template, each, count)) for each in text.split(between)]
            text = between.join([sub(template, each, count) for each in text.split(between)])
        else:
            text = quick.sub(template, text, 0)
        return _encoded(text).split(mark)

    def replaced(self, value: bytes, rewrite: Rewrite, everywhere: bool) -> bytes:
        """Matches replaced in RE2's way: no empty match right after another match, none within a character.

        Args:
          value: the text.
          rewrite: the replacement of a match.
          everywhere: whether every match is replaced, not only the first.
        """
        quick = self._quick_form()
        if len(value) <= quick.most:
            return _encoded(quick.sub(_TEMPLATES[rewrite], _decoded(value), int(not everywhere)))
        text = self._read(value)
        parts = [part if isinstance(part, int) else self._read(part) for part in rewrite]
        out, empty, at, last = [], text[:0], 0, -1
        while match := self.regex.search(text, at):
            start, end = match.span()
            out.append(text[at:start])
            at = end
            if start == end == last:
                character = self._character.match(text, at)
                at = character.end() if character else at + 1  # one byte of what is not UTF-8
                out.append(text[start:at])
            else:
                out += [(match[p] or empty) if isinstance(p, int) else p for p in parts]
                last = end
            if at > len(text) or not everywhere:
                break
        result = empty.join([*out, text[at:]])
        return result if isinstance(result, bytes) else _encoded(result)


def compiled(pattern: bytes) -> RegularExpression:
    """A pattern in RE2's syntax.

    Raises:
      ValueError: if it has no meaning in that syntax, or none that `re` has too where RE2 is not installed.
    """
    if re2 is None:
        return compiled_by_re(pattern)
    options = re2.Options()
    options.log_errors = False  # the message of the exception says it
    try:
        return RegularExpression(pattern, re2.compile(pattern, options), re2.compile(rb"(?s)."), bytes)
    except re2.error as error:
        raise _invalid(pattern, _decoded(error.args[0])) from None


def compiled_by_re(pattern: bytes) -> RegularExpression:
    """`compiled` by `re`."""
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        raise _invalid(pattern, "invalid UTF-8") from None
    try:
        regex = re.compile("".join(_Translation(text).parts()))
        return RegularExpression(pattern, regex, re.compile(r"(?s)[^\udc80-\udcff]"), _decoded)
    except (re.error, OverflowError, RecursionError) as error:
        raise _invalid(pattern, str(error)) from None


PATTERNS: BoundedCache[bytes, RegularExpression] = BoundedCache("compiled patterns", 256, compiled)


def _invalid(pattern: bytes, why: str) -> ValueError:
    return ValueError(f"Invalid pattern: {_decoded(pattern)}, error: {why}")


# ---------------------------------------------------------------- RE2's syntax as that of `re`

_Ranges = list[tuple[int, int]]
_LAST, _UNDECODED = 0x10FFFF, (0xDC80, 0xDCFF)
_PERL: dict[str, _Ranges] = {
    "d": [(48, 57)],
    "s": [(9, 10), (12, 13), (32, 32)],
    "w": [(48, 57), (65, 90), (95, 95), (97, 122)],
}
_POSIX: dict[str, _Ranges] = {
    "alnum": [(48, 57), (65, 90), (97, 122)],
    "alpha": [(65, 90), (97, 122)],
    "ascii": [(0, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(0, 31), (127, 127)],
    "digit": _PERL["d"],
    "graph": [(33, 126)],
    "lower": [(97, 122)],
    "print": [(32, 126)],
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "space": [(9, 13), (32, 32)],
    "upper": [(65, 90)],
    "word": _PERL["w"],
    "xdigit": [(48, 57), (65, 70), (97, 102)],
}
_NAMED = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_CODE = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2}))")
_REPEATED = re.compile(r"[*+?]|\{(\d+)(?:,(\d*))?\}")
_GROUP = re.compile(r"\(\?(?:(?P<named>P?<\w+>)|(?P<on>[imsU]*)(?P<off>-[imsU]+)?(?P<end>[:)]))")
_POSIX_CLASS = re.compile(r"\[:(\^?)(\w+):\]")
_ABSENT = "it needs google-re2, which is not installed"


def _ranges_text(ranges: _Ranges) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _others(ranges: _Ranges) -> _Ranges:
    """All characters but those in ranges, and but bytes that are not UTF-8."""
    out, at = [], 0
    for first, last in sorted([*ranges, _UNDECODED]):
        if first > at:
            out.append((at, first - 1))
        at = max(at, last + 1)
    return [*out, (at, _LAST)]


class _Translation:
    """A pattern while it is read from left to right.

    Args:
      pattern: the pattern.
      assertions: whether assertions such as `^` and `\\b` are kept.

    Attributes:
      repetitions: the number of repetitions that may end at several places.
      repeats_groups: whether a group is repeated.
      asserts: whether there is an assertion.
    """

    def __init__(self, pattern: str, assertions: bool = True) -> None:
        self._pattern, self._at = pattern, 0
        self._assertions = assertions
        self.repetitions, self.repeats_groups, self.asserts = 0, False, False
        self._flags: frozenset[str] = frozenset()

    def parts(self) -> Iterator[str]:
        """The pattern for `re`, part by part.

        Raises:
          re.error: for what is not RE2's syntax.
        """
        outside: list[frozenset[str]] = []  # the flags around each open group
        repeatable = False
        repeated = ""
        while self._at < len(self._pattern):
            start, first = self._at, self._pattern[self._at]
            if repetition := _REPEATED.match(self._pattern, start):
                if repeated:
                    raise re.error(f"bad repetition operator: {repeated}{repetition[0]}")
                if not repeatable:
                    raise re.error(f"no argument for repetition operator: {repetition[0]}")
                self.repetitions += repetition[1] is None or repetition[2] is not None
                self.repeats_groups = self.repeats_groups or self._pattern[start - 1] == ")"
                yield self._repetition(repetition)
                repeated = self._pattern[start : self._at]
                continue
            repeated = ""
            self._at += 1
            repeatable = first not in "(|"
            if first == "(":
                opened, text = self._group(start)
                if opened:
                    outside.append(opened[0])
                yield text
            elif first == ")":
                if not outside:
                    raise re.error(f"unexpected ): {self._pattern}")
                self._flags = outside.pop()
                yield ")"
            elif first == "|":
                yield "|"
            elif self._pattern.startswith(r"\Q", start):
                yield self._quoted()
            else:
                yield self._cased(self._atom(first))
        if outside:
            raise re.error(f"missing ): {self._pattern}")

    def _cased(self, text: str) -> str:
        return f"(?i:{text})" if "i" in self._flags else text

    def _repetition(self, found: re.Match[str]) -> str:
        self._at = found.end()
        if found[1] is not None:
            least, most = int(found[1]), found[2]
            if max(least, int(most or 0)) > 1000 or (most and int(most) < least):
                raise re.error(f"invalid repetition size: {found[0]}")
        lazy = self._pattern.startswith("?", self._at)
        self._at += lazy
        return found[0] + "?" * (lazy != ("U" in self._flags))

    def _group(self, start: int) -> tuple[list[frozenset[str]], str]:
        """The flags around a group that begins, none for flags that change, and its text."""
        before = self._flags
        if not self._pattern.startswith("(?", start):
            return [before], "("
        found = _GROUP.match(self._pattern, start)
        if found is None:
            end = min(len(self._pattern), start + 3)
            raise re.error(f"invalid perl operator: {self._pattern[start:end]}")
        self._at = found.end()
        if found["named"]:
            return [before], "("
        self._flags = (before | set(found["on"])) - set(found["off"] or "")
        return ([before], "(?:") if found["end"] == ":" else ([], "(?:)")

    def _quoted(self) -> str:
        """The text between `\\Q`, which was begun, and `\\E`."""
        end = self._pattern.find(r"\E", self._at)
        quoted = self._pattern[self._at + 1 : end if end >= 0 else None]
        self._at = end + 2 if end >= 0 else len(self._pattern)
        return "".join(self._cased(re.escape(character)) for character in quoted)

    def _atom(self, first: str) -> str:
        if first == ".":
            return f"[{_ranges_text(_others([] if 's' in self._flags else [(10, 10)]))}]"
        if first in "^$":
            self.asserts = True
            if not self._assertions:
                return "(?:)"
        if first == "^":
            return "(?m:^)" if "m" in self._flags else r"(?:\A)"
        if first == "$":
            return "(?m:$)" if "m" in self._flags else r"(?:\Z)"
        if first == "[":
            return self._class()
        if first != "\\":
            return re.escape(first)
        following = self._pattern[self._at : self._at + 1]
        if following in ("A", "z", "b", "B"):
            self._at += 1
            self.asserts = True
            if not self._assertions:
                return "(?:)"
            return {"A": r"(?:\A)", "z": r"(?:\Z)", "b": r"(?a:\b)", "B": r"(?a:\B)"}[following]
        return f"[{_ranges_text(self._escaped(self._at - 1))}]"

    def _escaped(self, start: int) -> _Ranges:
        """The characters of an escape sequence that begins with a backslash."""
        if code := _CODE.match(self._pattern, start):
            self._at = code.end()
            number = int(code[3], 8) if code[3] else int(code[1] or code[2], 16)
            if number > _LAST:
                raise re.error(f"invalid escape sequence: {code[0]}")
            return [(number, number)]
        character = self._pattern[start + 1 : start + 2]
        self._at = start + 2
        if not character:
            raise re.error("trailing \\")
        if character in "pPC":
            raise re.error(f"\\{character}: {_ABSENT}")
        if character.lower() in _PERL:
            ranges = _PERL[character.lower()]
            return ranges if character.islower() else _others(ranges)
        if character in _NAMED:
            return [(_NAMED[character], _NAMED[character])]
        if character.isascii() and not character.isalnum():
            return [(ord(character), ord(character))]
        raise re.error(f"invalid escape sequence: \\{character}")

    def _class(self) -> str:
        """A class in brackets, of which the first was read."""
        start = self._at - 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        ranges: _Ranges = [_UNDECODED] if negated else []
        first = True
        while first or not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                raise re.error(f"missing ]: {self._pattern[start:]}")
            first = False
            if named := _POSIX_CLASS.match(self._pattern, self._at):
                if named[2] not in _POSIX:
                    raise re.error(f"invalid character class range: {named[0]}")
                self._at = named.end()
                ranges += _others(_POSIX[named[2]]) if named[1] else _POSIX[named[2]]
                continue
            item = self._at
            low = self._in_class()
            if (
                len(low) == 1
                and low[0][0] == low[0][1]
                and self._pattern.startswith("-", self._at)
                and not self._pattern.startswith("-]", self._at)
            ):
                self._at += 1
                high = self._in_class()
                low = [(low[0][0], high[0][1])]
                if len(high) != 1 or high[0][0] != high[0][1] or low[0][0] > low[0][1]:
                    raise re.error(f"invalid character class range: {self._pattern[item : self._at]}")
            ranges += low
        self._at += 1
        return f"[{'^' if negated else ''}{_ranges_text(ranges)}]"

    def _in_class(self) -> _Ranges:
        """The characters of one item of a class."""
        start = self._at
        if self._pattern.startswith("\\", start):
            return self._escaped(start)
        if start >= len(self._pattern):
            raise re.error(f"missing ]: {self._pattern}")
        self._at += 1
        return [(ord(self._pattern[start]), ord(self._pattern[start]))]

"""`Report`: the findings of a checked function, printed as a page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inlay._src.base.export import export

_WIDTH = 100
_LABELS = 10  # columns that the labels of a page take


@export("test.CheckFinding")
@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a function.

    Attributes:
      check: the name of the check that reports it.
      seen: the observation, with the values.
      where: the line of the program, `train.py:12 in scaled`.
      remedy: the change that removes the problem.
    """

    check: str
    seen: str
    where: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.check}: {self.seen}\n{_row('where', self.where)}\n{_row('remedy', self.remedy)}"


@export("test.CheckReport")
@dataclass(frozen=True)
class Report:
    """The result of `check_function`. Its text is a page; it is true if there are no findings.

    Attributes:
      subject: the function, the place of its definition, and its declaration.
      findings: the problems, in the order of the checks.
      passed: the names of the checks without a finding.
      skipped: the checks that do not apply, with their reasons.
      notes: facts that break no promise, such as an object that keeps the function in its process.
      captures: the objects that the function reaches, with their sizes.
    """

    subject: str
    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    skipped: Mapping[str, str]
    notes: tuple[str, ...] = ()
    captures: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def raise_if_found(self) -> None:
        """Raises the page if there are findings.

        Raises:
          AssertionError: with the text of the report.
        """
        if self.findings:
            raise AssertionError(str(self))

    def as_data(self) -> dict[str, Any]:
        """The report as values that JSON has."""
        names = Finding.__slots__
        return {
            "subject": self.subject,
            "ok": self.ok,
            "findings": [{name: getattr(finding, name) for name in names} for finding in self.findings],
            "passed": list(self.passed),
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
            "captures": list(self.captures),
        }

    def __str__(self) -> str:
        count = len(self.findings)
        verdict = "no problems" if not count else "1 problem" if count == 1 else f"{count} problems"
        lines = [f"{self.subject}: {verdict}"]
        for number, finding in enumerate(self.findings, 1):
            lines += ["", _row(f"{number}.", f"{finding.check}: {finding.seen}")]
            lines += [_row("where", finding.where), _row("remedy", finding.remedy)]
        lines.append("")
        if self.passed:
            lines.append(_row("passed", ", ".join(self.passed)))
        lines += [_row("skipped", f"{name}: {reason}") for name, reason in self.skipped.items()]
        lines += _rows("note", self.notes)
        lines += _rows("captures", self.captures)
        return "\n".join(lines)

    __repr__ = __str__


def _rows(label: str, texts: Iterable[str]) -> list[str]:
    return [_row(label, text) for text in texts]


def _row(label: str, text: str) -> str:
    """A text beside its label; long lines are wrapped, lines of the text stay apart."""
    indent = " " * (_LABELS + 2)
    wrapped: list[str] = []
    for line in text.splitlines() or [""]:
        wrapped += textwrap.wrap(line, _WIDTH - _LABELS, break_long_words=False, break_on_hyphens=False) or [""]
    return f"  {label:<{_LABELS}}" + f"\n{indent}".join(wrapped)

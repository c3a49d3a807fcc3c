"""Compare what calls give here with the recorded results: `make conformance`.

    python -m tests.recorded.compare_results [--only REGEX] [--from FOLDER] [--each 2] [--list]

Prints what differs, grouped by function, and fails if something does that results.toml does not list, or if something
listed no longer does. `--list` writes what is neither listed nor equal into results.toml as "not yet".
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import inlay as tf
from tests.recorded.comparing import differs
from tests.recorded.draws import LOOSE, SINGLE, fingerprint, text_of
from tests.recorded.outcomes import Case, case_of, outcome
from tests.recorded.results import FOLDER, Rows, read, seed_of

LIST = Path(__file__).parent / "results.toml"
NOT_YET = "not yet"


@dataclass(frozen=True)
class Difference:
    """A call that gives something else here."""

    case: Case
    what: str
    words: str


@dataclass(frozen=True)
class Entry:
    """What results.toml says of some differences: a rule, which holds for other seeds too, or calls by number.

    Attributes:
      reason: why.
      what: the beginning of what differs.
      names: functions, "*" for all.
      also: the same, of functions that only calls of other seeds show.
      way, call, words: what must be found in how the call is made, in its text, in the two outcomes as words.
      calls: function -> numbers of calls, instead of a rule.
    """

    reason: str
    what: str = ""
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    way: str = ""
    call: str = ""
    words: str = ""
    calls: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def lists(self, difference: Difference) -> bool:
        """Whether this entry is about a difference."""
        case = difference.case
        if self.calls:
            return any(n == case.name and case.index in numbers for n, numbers in self.calls)
        return (
            difference.what.startswith(self.what)
            and not {"*", case.name}.isdisjoint((*self.names, *self.also))
            and bool(re.search(self.way, case.way))
            and bool(re.search(self.words, difference.words))
            and bool(re.search(self.call, text_of(case.name, case.call)))
        )


def entries() -> list[Entry]:
    """What is listed."""
    found = tomllib.loads(LIST.read_text(encoding="utf-8"))["differs"]
    return [
        Entry(
            **{
                **e,
                "names": tuple(e.get("names", ())),
                "also": tuple(e.get("also", ())),
                "calls": tuple((name, tuple(numbers)) for name, numbers in e.get("calls", {}).items()),
            }
        )
        for e in found
    ]


def differences(
    rows: Rows, seed: str, wanted: Callable[[str, int], bool] = lambda name, index: True
) -> Iterator[Difference]:
    """The calls that give something else here."""
    for name, recorded in rows.items():
        for row in recorded:
            if not wanted(name, row["i"]):
                continue
            case = case_of(name, row["i"], seed, row["way"])
            assert fingerprint(name, case.call) == row["print"], f"{name}: its calls changed: record it again"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = differs(outcome(tf, case), row, LOOSE.get(name, 1.0) * (-1 if name in SINGLE else 1))
            if found:
                yield Difference(case, *found)


def report(found: list[Difference], compared: int, each: int) -> str:
    """Differences as text: counts, then functions with the most first."""
    kinds, names = Counter(d.what for d in found), Counter(d.case.name for d in found)
    lines = [f"{len(found)} of {compared} calls differ from TensorFlow", str(dict(kinds.most_common()))]
    for name, count in names.most_common():
        lines.append(f"\n## {name} ({count})")
        own = [d for d in found if d.case.name == name]
        for what, several in Counter(d.what for d in own).most_common():
            lines.append(f"- {what} ({several})")
            for d in [d for d in own if d.what == what][:each]:
                lines.append(
                    f"  - #{d.case.index} {d.case.way}: `{text_of(name, d.case.call)[:300]}`\n    - {d.words[:420]}"
                )
    return "\n".join(lines)


def add_to_the_list(unlisted: list[Difference], compared: Rows) -> None:
    """List differences as "not yet"; what was listed so before of the functions compared is replaced."""
    numbers = {n: list(c) for e in entries() if e.reason == NOT_YET for n, c in e.calls if n not in compared}
    for d in unlisted:
        numbers.setdefault(d.case.name, []).append(d.case.index)
    rows = "".join(f'"{name}" = {sorted(found)}\n' for name, found in sorted(numbers.items()))
    kept = LIST.read_text(encoding="utf-8").split(f'\n[[differs]]\nreason = "{NOT_YET}"')[0].rstrip()
    tail = f'\n[[differs]]\nreason = "{NOT_YET}"\n\n[differs.calls]\n{rows}' if rows else ""
    LIST.write_text(f"{kept}\n{tail}", encoding="utf-8")


def main() -> None:
    tf.debugging.disable_traceback_filtering()  # a comparison asks where an error was raised
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--from", dest="folder", type=Path, default=FOLDER)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    rows = {name: found for name, found in read(asked.folder).items() if re.search(asked.only, name)}
    found = list(differences(rows, seed_of(asked.folder)))
    # Calls are listed by number: those of another folder, of another seed, are other calls.
    listed = [e for e in entries() if not (e.reason == NOT_YET and (asked.list or asked.folder != FOLDER))]
    unlisted = [d for d in found if not any(e.lists(d) for e in listed)]
    print(report(unlisted, sum(map(len, rows.values())), asked.each))
    reasons = Counter(d.what for d in found) - Counter(d.what for d in unlisted)
    print(f"\n{len(found) - len(unlisted)} more differ for a listed reason: {dict(reasons.most_common())}")
    if asked.list:
        return add_to_the_list(unlisted, rows)
    gone = [] if asked.only or asked.folder != FOLDER else stale(listed, found, lambda name, index: True)
    print(*(f"no longer differs: {text}" for text in gone), sep="\n")
    sys.exit(1 if unlisted or gone else 0)


def stale(listed: list[Entry], found: list[Difference], ran: Callable[[str, int], bool]) -> list[str]:
    """What is listed and no longer differs, of the calls that ran."""
    seen = {(d.case.name, d.case.index) for d in found}
    calls = [
        f"{name} {index}"
        for e in listed
        for name, numbers in e.calls
        for index in numbers
        if ran(name, index) and (name, index) not in seen
    ]
    return calls + [f"{n}: {e.what}" for e in listed for n in e.names if not stands(e, n, found)]


def stands(entry: Entry, name: str, found: list[Difference]) -> bool:
    """Whether something differs as an entry says of a function."""
    return any(entry.lists(d) and name in ("*", d.case.name) for d in found)


if __name__ == "__main__":
    main()

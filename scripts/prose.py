"""Check the English of pages, docstrings and messages along docs/style.md: `python -m scripts.prose [PATH ...]`.

Every page written by hand is checked sentence by sentence: Markdown's structure and code are taken out first. Of the
package's Python files, the phrases of docstrings and messages are checked. The rules are `PHRASES`, `SENTENCES` and
`fragment`; the style page shows an example of each, and a test compares the two.
"""

from __future__ import annotations

import argparse
import ast
import enum
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GENERATED = "ritten by scripts/update_generated.py"
LONGEST = 40  # words of a sentence

PHRASES = {
    r"what is (?:here|there|absent)\b": "name the things",
    r"\bsays? so\b": "name what the error, the table or the user states",
    r"\bof ours\b": "of inlay",
    r"\b(?:is|are|was|were) to (?:be|have|take|give|return|hold|happen|run|name|say)\b": "must, should",
    r"\btold (?:by|of|apart|that|to|without|as|nothing|in)\b|\b(?:is|are) told\b": "reported, identified, named",
    r"\bgo(?:es)? along\b": "accompanies",
    r"\b(?:each|every|a|one|last|first|next|per|of its|of the) turns?\b": "iteration",
    r"\bturns? of (?:a|the) loops?\b": "iteration",
    r"\bin words\b": "with a message",
    r"\bthe way back\b": "the backward pass",
    r"\bthe wish for\b": "the request for",
    r"\b(?:nobody|no one|somebody) (?:else )?(?:looks|has it|needs it)\b": "name the reader",
    r"\bbehind your back\b": "implicitly",
    r"\bof its naming\b": "that it names",
    r"\bin the place of\b": "instead of",
    r"\bluggage\b": "payload",
    r"\bstands? (?:in(?! for\b)|on|at|between|beside|there|where|as|below|above|under|while)\b": "is in, is",
    r"\bwhoever\b": "name the person or the process",
    r"\bshall\b": "must, should, will",
    r"\bas ever\b": "as usual",
    r"\bsaid aloud\b": "reported",
}
"""Expressions of the rule `private-word`, which ignore case, and what to write instead."""

SENTENCES = {
    "free-relative": (
        r"(?:What|Who|Whom|Whose|Which|How|Where what|That which)\b(?!.*\?$)|.*[:;] (?:what|who|whose) \w+",
        "begin with a noun: the value, the caller, the step",
    ),
    "missing-subject": (
        r"(?:Is|Are|Was|Has|Runs|Takes|Gives|Returns|Needs|Keeps|Makes|Says|Stands|Holds|Reads|Writes|Goes|Comes|Gets|"
        r"Shows|Tells|Wants|Uses|Does|Means|Works|Costs|Ends|Starts)\b(?!.*\?$)",
        "name the subject",
    ),
    "inversion": (
        r"(?:Nor|Neither)\b(?! .* nor )|So (?:do|does|is|are|has|have|can|must)\b|"
        r"(?:Here|There|Below|Above|Behind|Beside|Between|Among) (?:stand|lie|come|go|run|hang|wait)s?\b|"
        r"(?:Nothing|Nowhere|Not|Only) (?:said|here)\b|Of (?!course)[^,:;]{1,60} (?:is|are|has|have|was|were)\b",
        "put the subject before its verb",
    ),
    "semicolons": (r".*;.*;", "write two sentences"),
    "colons": (r".*: .*: ", "write two sentences"),
}
"""Rule -> an expression that is matched at the beginning of a sentence, and what to write instead."""

VERBS = frozenset(
    """
    accept access accumulate acquire act add adjust admit affect agree aim allocate allow answer appear append apply
    approve arrive ask assert assign assume attach avoid await base batch become begin behave belong bind block break
    bring broadcast build bypass cache calculate call cancel capture carry cast cause change check choose claim clear
    click clip clone close collect combine come compare compile complete compress compute concatenate configure confine
    conflict confuse connect consider consist consult consume contain continue contribute control convert copy
    correspond cost count cover crash create cross cut damage deal decide declare decode decorate decrease default
    define delay delete deliver depend depict dequeue derive describe determine die differ differentiate disable
    disappear discard distinguish distribute divide do document drain draw drop duplicate edit eliminate emit enable
    encode encounter end ensure enter equal evaluate examine exceed exclude execute exist exit expect explain expose
    extend fail fall feed fetch fill find finish fit fix flow fold follow forbid force fork form format free freeze
    generate get give go group grow guarantee guard guide handle hang happen have help hide hold identify ignore
    illustrate implement imply import improve include increase indicate infer inherit initialize inspect install
    interpret introduce invalidate invoke issue iterate join keep kill know lack last launch lead learn leave let lie
    limit link list listen live load lock log look loop lose lower maintain make manage map mark match matter mean
    measure meet merge miss modify mount move multiply name need nest note notice observe obtain occupy occur omit open
    operate order overlap override overwrite own pack pad parse partition pass pause pay perform permit pick pickle
    place point poll prefer prepare preserve prevent print probe proceed process produce profile promise propagate
    protect prove provide prune publish pull push put quote raise range reach read realize reason rebuild receive
    recognize recommend recompute record recover reduce refer refuse register reimplement reject release rely remain
    remember remove rename repeat replace reply report represent request require reserve reset resize resolve respect
    respond rest restart restore restrict result resume retain retrace retry return reuse reveal rewrite round route run
    sample satisfy save say scale scan schedule search see seed select send separate serialize serve set shadow shape
    shard share shift ship show shrink shuffle shut sign skip sleep slow solve sort spawn speak specify spend split
    stack start state stay steer step stop store stream subtract succeed suggest suit sum supply support suppose
    surround survive suspend switch tag take tell terminate test time trace track train transfer translate travel treat
    trigger trust try turn type unroll update upgrade use vary verify view visit wait walk want warn watch wear work
    wrap write yield
    """.split()
)
IRREGULAR = frozenset(
    """
    am are be been began begun is was were 's 're do does did done has had have can could cannot may might must ought
    shall should will would became bound broke broken brought built came chose chosen drew drawn fell fallen fed felt
    found froze frozen gave given went gone got grew grown held hid hidden kept knew known laid led left lent lost made
    meant met paid put ran read said sang saw seen sent set shown shut slept sold spent stood stuck swept taken took
    taught told thought threw thrown understood wore worn won wrote written don't doesn't isn't aren't can't won't
    """.split()
)

_FENCED = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2 *$", re.M | re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()\s]*\)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.) +")
_END = re.compile(r"(?<=[.?!])[\"')*_]*\s+(?=[A-Z`\"'(*_\[])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|vs|etc|cf|approx|no)\.$", re.I)
_CODE_WORD = "Xcodex"  # stands for a piece of code: a noun


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule."""

    path: Path
    line: int
    rule: str
    text: str
    advice: str

    def __str__(self) -> str:
        shown = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f"{shown}:{self.line}: {self.rule}: {self.text} ({self.advice})"


class Kind(enum.Enum):
    """What a run of prose is. Paragraphs are whole sentences, items may begin with a verb."""

    PARAGRAPH = enum.auto()
    ITEM = enum.auto()
    FRAGMENT = enum.auto()  # a heading, or a cell of a table


@dataclass(frozen=True)
class Text:
    """A run of prose, and the line of the page where it begins."""

    line: int
    words: str
    kind: Kind


def texts(page: str) -> Iterator[Text]:
    """The paragraphs, items, headings and cells of a Markdown page, without code."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", "", match[0])

    page = _COMMENT.sub(blank, _FENCED.sub(blank, page))
    page = _CODE.sub(lambda match: _CODE_WORD + "\n" * match[0].count("\n"), page)
    page = _LINK.sub(lambda match: match[1] or _CODE_WORD, page)
    page = re.sub(r"</?[a-z][^>]*>", blank, page)
    start, lines, kind = 1, list[str](), Kind.PARAGRAPH

    def paragraph() -> Iterator[Text]:
        words = " ".join(" ".join(lines).split())
        if words:
            yield Text(start, words, kind)
        lines.clear()

    for number, line in enumerate(page.splitlines(), 1):
        stripped = line.strip().removeprefix(">").strip()
        item = _ITEM.match(line)
        if not stripped or item or stripped.startswith(("#", "|", "!!!", "???", "===")):
            yield from paragraph()
            start, kind = number, Kind.ITEM if item else Kind.PARAGRAPH
        if stripped.startswith("|"):
            cells = (cell.strip() for cell in stripped.strip("|").split("|"))
            yield from (Text(number, cell, Kind.FRAGMENT) for cell in cells if cell.strip("-: "))
        elif stripped.startswith(("#", "!!!", "???", "===")):
            yield Text(number, stripped.lstrip("#!?= "), Kind.FRAGMENT)
        elif stripped:
            if not lines:
                start = number
            lines.append(_ITEM.sub("", line).strip())
    yield from paragraph()


def sentences(words: str) -> Iterator[str]:
    """The sentences of a run of prose."""
    begun = ""
    for part in _END.split(words):
        begun = f"{begun} {part}".strip()
        if not _ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun


def is_verb(word: str) -> bool:
    """Whether a word can be a finite verb, an infinitive or an imperative; a list decides, not grammar."""
    word = word.lower().strip("*_\"'(),.:;!?")
    if word in IRREGULAR or word in VERBS:
        return True
    stems = {word.removesuffix(ending) for ending in ("s", "es", "ed", "d")} | {
        re.sub(r"ie[sd]$", "y", word),
        re.sub(r"(.)\1ed$", r"\1", word),
    }
    return bool(stems & VERBS)


def fragment(sentence: str) -> bool:
    """Whether a sentence has no verb. Titles, and what leads to a list, do not end like a sentence."""
    words = sentence.split()
    return len(words) > 2 and sentence[-1] in ".:" and not any(is_verb(word) for word in words)


def of_phrases(path: Path, line: int, words: str) -> Iterator[Finding]:
    for expression, advice in PHRASES.items():
        for match in re.finditer(expression, words, re.I):
            yield Finding(path, line, "private-word", match[0], advice)


def of_sentence(path: Path, line: int, sentence: str, kind: Kind) -> Iterator[Finding]:
    plain = sentence.lstrip("*_\"'(")
    begins = " ".join(sentence.split()[:8])
    for rule, (expression, advice) in SENTENCES.items():
        if re.match(expression, plain) and not (kind is Kind.ITEM and rule == "missing-subject"):
            yield Finding(path, line, rule, begins, advice)
    if kind is Kind.PARAGRAPH and fragment(plain):
        yield Finding(path, line, "fragment", begins, "write a sentence with a verb")
    if (length := sum(_CODE_WORD not in word for word in sentence.split())) > LONGEST:
        yield Finding(path, line, "long-sentence", f"{begins} ... ({length} words)", f"at most {LONGEST} words")


def of_page(path: Path) -> Iterator[Finding]:
    """The findings of a Markdown page."""
    for text in texts(path.read_text(encoding="utf-8")):
        yield from of_phrases(path, text.line, text.words)
        if text.kind is not Kind.FRAGMENT:
            for sentence in sentences(text.words):
                yield from of_sentence(path, text.line, sentence, text.kind)


def of_source(path: Path) -> Iterator[Finding]:
    """The findings of a module: phrases of its strings, which are docstrings and messages."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from of_phrases(path, node.lineno, " ".join(node.value.split()))


def generated(path: Path) -> bool:
    with path.open(encoding="utf-8") as file:
        return GENERATED in file.read(400)


def paths() -> list[Path]:
    """The pages and the modules that are written by hand."""
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("examples/*.md"),
        *ROOT.glob("benchmarks/*.md"),
    ]
    modules = (ROOT / "src" / "inlay" / "_src").rglob("*.py")
    return sorted(path for path in (*pages, *modules) if not generated(path))


def check(path: Path) -> list[Finding]:
    return list(of_page(path) if path.suffix == ".md" else of_source(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="pages and modules; all of them if none is named")
    listed = [path.resolve() for path in parser.parse_args().paths] or paths()
    found = [finding for path in listed for finding in check(path)]
    print(*found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

"""docs/reference/: one page per public namespace from its docstrings, and the table of ops."""

from __future__ import annotations

import enum
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.update_public_names import current, names_of

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
NOTE = (
    "<!-- Written by scripts/update_generated.py from the docstrings: change those, then run `make generate`. -->\n\n"
)


def signature(value: Any) -> str:
    """A callable's parameters and defaults, without annotations; "(...)" if it tells none, nothing for enumerations.

    How Python words the call of an enumeration changes from version to version.
    """
    if isinstance(value, enum.EnumType):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    words: list[str] = []
    marked = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not marked:
            words.append("*")
        marked = marked or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        words.append(f"{stars}{p.name}" + ("" if p.default is p.empty else f"={_default(p.default)}"))
        if p.kind is p.POSITIONAL_ONLY:
            words[-1] += ", /" if p is _last_positional_only(parameters) else ""
    return f"({', '.join(words)})"


def _last_positional_only(parameters: Any) -> Any:
    return [p for p in parameters if p.kind is p.POSITIONAL_ONLY][-1]


def _default(value: Any) -> str:
    text = repr(value)
    return "..." if " at 0x" in text or "<object" in text or len(text) > 40 else text


def own_doc(value: Any) -> str:
    """The docstring, not one inherited from a base class; its first paragraph if others wrote it, who may change it."""
    doc = vars(value).get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
    text = inspect.cleandoc(doc) if isinstance(doc, str) else ""
    return text if (getattr(value, "__module__", None) or "inlay").startswith("inlay") else text.partition("\n\n")[0]


def entry(path: str, value: Any) -> str:
    """What the page says of one name."""
    doc = own_doc(value)
    text = f"### `{path}{signature(value)}`\n\n"
    if doc:
        text += f"```text\n{doc}\n```\n\n"
    if isinstance(value, type):
        rows = [
            f"- `{name}{'' if isinstance(member, property) else signature(member)}`: {_first(member)}\n"
            for name, member in methods(value)
        ]
        text += "".join(rows) + ("\n" if rows else "")
    return text


def methods(cls: type) -> list[tuple[str, Any]]:
    """Public methods and properties that a class of ours declares and describes."""
    found: dict[str, Any] = {}
    for base in reversed([b for b in cls.__mro__ if b.__module__.startswith("inlay")]):
        for name, member in vars(base).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not name.startswith("_") and (callable(plain) or isinstance(plain, property)) and own_doc(plain):
                found[name] = plain
    return sorted(found.items())


def _first(value: Any) -> str:
    return re.split(r"(?<=[.:;])\s", own_doc(value).replace("\n", " "), maxsplit=1)[0].rstrip(":;")


def namespaces() -> dict[str, ModuleType]:
    """Public namespaces by the path a user writes after `tf.`; "tf" is the top level."""
    import inlay

    found: dict[str, ModuleType] = {"tf": inlay}
    for path, value in sorted(current().items(), key=lambda item: (item[0].count("."), item[0])):
        if isinstance(value, ModuleType) and value not in found.values():
            found[path.replace("inlay.", "tf.", 1)] = value
    return found


def page(path: str, module: ModuleType, homes: dict[int, str]) -> str:
    """One namespace: what is at home here in full, aliases and values in a line each."""
    about = inspect.cleandoc(module.__doc__ or "")
    home, alias, plain = [], [], []
    for name in names_of(module):
        value = getattr(module, name, None)
        full = f"{path}.{name}"
        if isinstance(value, ModuleType):
            continue
        if not callable(value):
            plain.append(full)
        elif homes.setdefault(id(value), full) == full:
            home.append(entry(full, value))
        else:
            alias.append(f"- `{full}` is `{homes[id(value)]}`\n")
    text = f"# `{path}`\n\n{NOTE}{about}\n\n" + "".join(home)
    if alias:
        text += "## The same under another name\n\n" + "".join(alias) + "\n"
    if plain:
        text += "## Values\n\n" + ", ".join(f"`{name}`" for name in plain) + "\n"
    return text.rstrip() + "\n"


def ops_page() -> str:
    """The table of ops: what each takes, its effect, where its gradient comes from."""
    from inlay._src.core.opdef import OPS, no_gradient

    rows = []
    for name, op in sorted(OPS.items()):
        inputs = ", ".join(("*" if a.variadic else "") + a.name for a in op.args)
        gradient = "none" if op.vjp is no_gradient else "derived" if op.vjp is None else "stated"
        attrs = ", ".join(op.attrs)
        says = _sentence(inspect.cleandoc(op.doc))
        rows.append(f"| `{name}` | {inputs} | {attrs} | {op.effect.value} | {gradient} | {says} |\n")
    return (
        f"# Ops\n\n{NOTE}{len(rows)} op types, as nodes of a graph name them. A gradient is stated in terms "
        "of other ops, or derived from the kernel.\n\n"
        "| op | inputs | attributes | effect | gradient | what it does |\n|---|---|---|---|---|---|\n" + "".join(rows)
    )


def _sentence(doc: str) -> str:
    return re.split(r"(?<=\.)\s", doc.replace("\n", " "), maxsplit=1)[0].replace("|", "\\|")


def index_page(listed: dict[str, ModuleType]) -> str:
    rows = "".join(
        f"| [`{path}`]({path}.md) | {_sentence(inspect.cleandoc(module.__doc__ or ''))} |\n"
        for path, module in listed.items()
    )
    return (
        f"# Reference\n\n{NOTE}`import inlay as tf`. Names that TensorFlow has mean what they mean there; "
        "[deviations](../deviations.md) lists the exceptions.\n\n"
        f"| namespace | what it holds |\n|---|---|\n{rows}| [ops](ops.md) | every op type |\n"
    )


def pages() -> dict[Path, str]:
    """Every page of the reference and its text."""
    listed = dict(sorted(namespaces().items()))
    homes: dict[int, str] = {}
    shortest_first = sorted(listed.items(), key=lambda item: (item[0].count("."), item[0]))
    out = {FOLDER / f"{path}.md": page(path, module, homes) for path, module in shortest_first}
    return out | {FOLDER / "ops.md": ops_page(), FOLDER / "index.md": index_page(listed)}

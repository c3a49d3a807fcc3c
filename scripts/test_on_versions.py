"""Run the test suite on each Python that the classifiers name, and on the lowest versions of what we depend on.

    make versions                                          every environment that can be made here
    python scripts/test_on_versions.py --only lowest -- -x -q tests/unit/host
    python scripts/test_on_versions.py --python /opt/python3.13/bin/python

An interpreter is found as `python3.12`, say, on the path, or named by `--python`. The environments are kept in
`.versions`, and made anew after pyproject.toml changed. The lowest versions are the lower bounds in pyproject.toml, of
the dependencies and of the extras that users install; they are tested on the lowest Python that was found.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
PLACE = ROOT / ".versions"
LOWEST = "lowest"
OURS = ("dev",)
"""Extras for those who work on the project: their bounds promise users nothing."""


def versions(project: Mapping[str, Any]) -> list[str]:
    """The Python versions that the classifiers name, as "3.11"."""
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", c) for c in project["classifiers"])
    return [match[1] for match in found if match]


def lowest(project: Mapping[str, Any]) -> list[str]:
    """The lower bounds of dependencies and of users' extras, as pins.

    Raises:
      ValueError: for a requirement without a lower bound.
    """
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if name not in OURS}
    pins = set()
    for requirement in (*project["dependencies"], *(r for wanted in extras.values() for r in wanted)):
        if re.match(rf"{project['name']}\[", requirement):  # an extra made of others
            continue
        bound = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement)
        if not bound:
            raise ValueError(f"{requirement!r} is not of the form name>=version")
        pins.add(f"{bound[1]}=={bound[2]}")
    return sorted(pins)


def interpreters(wanted: Iterable[str], named: Sequence[str]) -> dict[str, str]:
    """Version -> interpreter: those on the path, and those that were named."""
    found = {version: path for version in wanted if (path := shutil.which(f"python{version}"))}
    for path in named:
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        found[subprocess.run([path, "-c", code], check=True, capture_output=True, text=True).stdout.strip()] = path
    return dict(sorted(found.items(), key=lambda item: int(item[0].partition(".")[2])))


def environment(name: str, interpreter: str, pins: Sequence[str] = ()) -> Path:
    """The interpreter of an environment with the project, what its tests need, and `pins`."""
    folder = PLACE / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists() and ready.stat().st_mtime > PROJECT.stat().st_mtime:
        return python
    subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--constraint", str(constraints), "--editable", f"{ROOT}[dev]"], check=True)
    ready.touch()
    return python


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="an interpreter; repeatable")
    parser.add_argument("--only", action="append", metavar="NAME", help=f"an environment: 3.12, or {LOWEST}")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, after --")
    given = parser.parse_args(arguments)
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    stated = versions(project)
    found = interpreters(stated, given.python)
    if not found:
        parser.error(f"none of {', '.join(f'python{v}' for v in stated)} is on the path; name one with --python")
    made = {version: (path, []) for version, path in found.items()}
    made[LOWEST] = (next(iter(found.values())), lowest(project))
    told = {version: "not tested: no interpreter" for version in stated if version not in found}
    for name, (interpreter, pins) in made.items():
        if given.only and name not in given.only:
            continue
        print(f"== {name}: {' '.join(pins) or interpreter}", flush=True)
        done = subprocess.run([str(environment(name, interpreter, pins)), "-m", "pytest", *given.pytest], cwd=ROOT)
        told[name] = "passed" if done.returncode == 0 else f"failed: pytest gave {done.returncode}"
    print(*(f"{name}: {outcome}" for name, outcome in told.items()), sep="\n")
    return int(any(outcome.startswith("failed") for outcome in told.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

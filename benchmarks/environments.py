"""Where each peer runs: a virtual environment of its own under `benchmarks/.envs`, made when first needed.

A peer that cannot be installed is reported with pip's last words; it is never left out in silence.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENTS = HERE / ".envs"
INSTALL_SECONDS = 1800

# glibc gives memory above the first size back to the system at once, and takes it anew for every large array.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TRIM_THRESHOLD_": "2147483648"}


@dataclass(frozen=True)
class Peer:
    """One process of the comparison.

    Attributes:
      name: what rows, tables and the ledger call it.
      cases: the module of `benchmarks.cases` that it runs.
      requirements: what pip installs for it; empty for the library itself, which runs in this interpreter.
      packages: distributions whose versions are recorded.
      variables: additions to its environment.
      folder: its environment under `.envs`.
      source: the folder that its library must be imported from; None for wherever it is installed.
    """

    name: str
    cases: str
    requirements: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    source: Path | None = None


_TENSORFLOW = ("tensorflow==2.21.*",)
PEERS = {
    peer.name: peer
    for peer in (
        Peer("inlay", "inlay_", packages=("inlay", "numpy", "jax", "ml_dtypes")),
        Peer("inlay+malloc", "inlay_", packages=("inlay", "numpy"), variables=ALLOCATOR),
        Peer("tensorflow", "tensorflow_", _TENSORFLOW, ("tensorflow", "numpy"), folder="tensorflow"),
        Peer("tensorflow+malloc", "tensorflow_", _TENSORFLOW, ("tensorflow", "numpy"), ALLOCATOR, "tensorflow"),
        Peer("jax", "jax_", ("jax[cpu]>=0.10",), ("jax", "jaxlib", "numpy"), folder="jax"),
        Peer("torch", "torch_", ("torch>=2.13", "numpy"), ("torch", "numpy"), folder="torch"),
        Peer("pytensor", "pytensor_", ("pytensor",), ("pytensor", "numpy"), folder="pytensor"),
        Peer("dask", "dask_", ("dask", "numpy"), ("dask", "numpy"), folder="dask"),
    )
}
SHORT = {"tf": "tensorflow"}


def checkout(commit: str) -> Path:
    """The sources and tests of a commit, laid beside the environments once.

    Args:
      commit: whatever git takes for one.

    Raises:
      ValueError: git knows no such commit.
    """
    found = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"], capture_output=True, text=True, cwd=ROOT
    )
    if found.returncode:
        raise ValueError(f"git knows no commit {commit!r} here")
    folder = ENVIRONMENTS / "commits" / found.stdout.strip()
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(
        ["git", "archive", folder.name, "src", "tests"], capture_output=True, check=True, cwd=ROOT
    ).stdout
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        # Not `tarfile`: before Python 3.11.4 it knows no filter, and later ones warn without.
        subprocess.run(["tar", "--extract"], input=archive, check=True, cwd=unfinished)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def with_before(commit: str | None) -> dict[str, Peer]:
    """The peers, and with a commit the library as it was then: our own cases, run by this interpreter.

    Args:
      commit: whatever git takes for one; None adds nobody.

    Raises:
      ValueError: git knows no such commit.
    """
    if commit is None:
        return PEERS
    source = checkout(commit) / "src"
    path = {"PYTHONPATH": str(source)}
    packages = ("numpy", "jax", "ml_dtypes")
    added = (
        Peer("before", "inlay_", packages=packages, variables=path, source=source),
        Peer("before+malloc", "inlay_", packages=packages, variables={**ALLOCATOR, **path}, source=source),
    )
    return {**PEERS, **{peer.name: peer for peer in added}}


def add_before(parser: argparse.ArgumentParser) -> None:
    """Adds the option `--before`."""
    parser.add_argument("--before", metavar="COMMIT", help="another state of this library, as a peer called before")


def interpreter(peer: Peer) -> Path:
    """The Python that runs a peer."""
    if not peer.requirements:
        return Path(sys.executable)
    return ENVIRONMENTS / peer.folder / "bin" / "python"


def prepare(peer: Peer, install: bool = True) -> str | None:
    """Makes a peer's environment if it is not there.

    Args:
      peer: which.
      install: False leaves a peer absent that is not installed already.

    Returns:
      None, or why the peer is absent.
    """
    if not peer.requirements:
        return None
    folder, wanted = ENVIRONMENTS / peer.folder, json.dumps(peer.requirements)
    ready = folder / ".ready"
    if ready.exists() and ready.read_text() == wanted:
        return None
    if not install:
        return f"not installed in {folder.relative_to(ROOT)}, and --no-install was given"
    print(f"installing {', '.join(peer.requirements)} in {folder.relative_to(ROOT)} ...", file=sys.stderr, flush=True)
    base = getattr(sys, "_base_executable", None) or sys.executable
    commands = [
        [base, "-m", "venv", str(folder)],
        [str(interpreter(peer)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.requirements],
    ]
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, cwd=ROOT)
        except subprocess.TimeoutExpired:
            return f"pip did not end within {INSTALL_SECONDS} s"
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()[-1:]
            return f"could not be installed: {' '.join(errors)[:300]}"
    ready.write_text(wanted)
    return None


def variables(peer: Peer) -> dict[str, str]:
    """The environment variables of a peer's process: the user's, without those that would lend it our packages."""
    lent = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV") if peer.requirements else ()
    unwanted = {*lent, "PYTHONDONTWRITEBYTECODE"}  # imports are timed with bytecode caches, as usual
    kept = {k: v for k, v in os.environ.items() if k not in unwanted}
    return {**kept, "TF_CPP_MIN_LOG_LEVEL": "3", **peer.variables}

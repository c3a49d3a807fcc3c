"""The parent's end of the protocol in `benchmarks.worker`: a process per peer, asked one at a time."""

from __future__ import annotations

import contextlib
import json
import selectors
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks.environments import Peer

REPLY_SECONDS = 300.0


class Gone(Exception):
    """A worker died, or did not answer in time."""


class Process:
    """A running peer."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._stderr = tempfile.TemporaryFile("w+", errors="replace")
        self._process = subprocess.Popen(
            [str(environments.interpreter(peer)), "-m", "benchmarks.worker", peer.cases, *peer.packages],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=environments.ROOT,
            env=environments.variables(peer),
        )
        self._waiter = selectors.DefaultSelector()
        self._waiter.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
        try:
            greeting = self._reply()
        except Gone:
            self.close()
            raise
        if not greeting["ready"]:
            self.close()
            raise Gone(f"{peer.name} cannot be imported: {greeting['error']}")
        if peer.source is not None and not Path(greeting["file"]).is_relative_to(peer.source):
            self.close()
            raise Gone(f"{peer.name} was imported from {greeting['file']} instead of {peer.source}")
        self.versions: dict[str, str] = greeting["versions"]
        if peer.source is not None:
            self.versions["commit"] = peer.source.parent.name

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request, one reply.

        Raises:
          Gone: the process died or took more than `REPLY_SECONDS`.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Gone(self._last_words()) from None
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not self._waiter.select(REPLY_SECONDS):
            self._process.kill()
            raise Gone(f"{self.peer.name} did not answer within {REPLY_SECONDS:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise Gone(self._last_words())
        return json.loads(line)  # type: ignore[no-any-return]

    def _last_words(self) -> str:
        code = self._process.wait()
        self._stderr.seek(0)
        return f"{self.peer.name} ended with {code}: {self._stderr.read()[-400:].strip()}"

    def close(self) -> None:
        """Ends the process."""
        self._waiter.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # a request that the dead process never read
                    pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stderr.close()


class Team:
    """The processes of one comparison; a peer that cannot take part is listed in `absent` with the reason."""

    def __init__(self, names: list[str], install: bool = True, peers: Mapping[str, Peer] = environments.PEERS) -> None:
        self.absent: dict[str, str] = {}
        self._processes: dict[str, Process] = {}
        self._peers = peers
        for name in names:
            reason = environments.prepare(peers[name], install)
            if reason is not None:
                self.absent[name] = reason

    def process(self, name: str) -> Process | None:
        """The running process of a peer, started if need be; None if it is absent."""
        if name in self.absent or name not in self._peers:
            return None
        if name not in self._processes:
            try:
                self._processes[name] = Process(self._peers[name])
            except Gone as reason:
                self.absent[name] = str(reason)
                return None
        return self._processes[name]

    def drop(self, name: str) -> None:
        """Ends a peer's process; the next use starts a fresh one."""
        process = self._processes.pop(name, None)
        if process is not None:
            process.close()

    def versions(self) -> dict[str, dict[str, str]]:
        """Versions of what ran, by peer."""
        return {name: process.versions for name, process in self._processes.items()}

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._processes):
            self.drop(name)

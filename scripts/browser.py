"""A headless Chromium that tests and scripts drive: pages are opened, clicked and photographed.

It speaks the DevTools protocol over a pipe, which the standard library is enough for: messages are JSON, divided by
zero bytes, on the descriptors 3 and 4 of the browser.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.site_pictures import arguments, browser

__all__ = ["Browser", "browser", "opened"]

_SECONDS = 50.0
"""The longest wait for an answer of the browser, or for a condition on a page."""


class Browser:
    """One tab.

    Attributes:
      requests: the addresses that the page asked for, the page itself included.
      messages: the errors and console messages of the page.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session: str | None = None
        self.requests: list[str] = []
        self.messages: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Calls a method of the protocol; returns its result.

        Raises:
          RuntimeError: with the browser's message, if it fails.
          TimeoutError: if there is no answer.
        """
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        """The next message; events are noted."""
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._reading], [], [], max(end - time.monotonic(), 0))
            data = os.read(self._reading, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("the browser does not answer")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, said: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Log.entryAdded":
            self.messages.append(said["entry"]["text"])
        elif event == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(part.get("value", part.get("description"))) for part in said["args"]))

    def show(self, width: int, height: int, dark: bool = False) -> None:
        """Sets the size of the tab in pixels, and the color scheme that the page is asked for."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path: Path) -> None:
        """Opens a file, forgetting the requests and messages of the page before."""
        self.requests.clear()
        self.messages.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression on the page, as JSON gives it; a promise is awaited.

        Raises:
          RuntimeError: with the error of the page.
        """
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            details = said["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return said["result"].get("value")

    def wait(self, condition: str) -> None:
        """Waits until a JavaScript expression is true.

        Raises:
          TimeoutError: with the messages of the page.
        """
        end = time.monotonic() + _SECONDS
        while not self.value(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} did not become true; the page said: {self.messages}")
            time.sleep(0.01)

    def click(self, selector: str) -> None:
        """Clicks on the middle of the first element of a CSS selector."""
        middle = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=middle[0], y=middle[1], button="left", clickCount=1
            )  # fmt: skip

    def type(self, text: str) -> None:
        """Types into the focused element."""
        self.call("Input.insertText", text=text)

    def picture(self) -> bytes:
        """The visible part of the page, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


@contextmanager
def opened(chromium: str) -> Iterator[Browser]:
    """A browser for the length of a block.

    Args:
      chromium: the path of the program: see `browser`.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, contextlib.ExitStack() as held:
        to_browser, writing = os.pipe()
        reading, from_browser = os.pipe()
        command = [*arguments(chromium, Path(profile)), "--disable-background-networking", "--remote-debugging-pipe"]
        # The shell puts the pipes where the browser looks for them.
        process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"', "bash", *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        held.callback(os.close, writing)
        held.callback(os.close, reading)
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Browser(reading, writing)
        finally:
            process.terminate()
            process.wait(timeout=_SECONDS)

"""Takes the screenshots of six pages of the site, docs/pictures/site: `python -m scripts.site_pictures`.

Needs Chromium or Chrome on the path, and looks like the committed ones where the fonts Inter and JetBrains Mono are
installed: on Debian, `apt install chromium fonts-inter fonts-jetbrains-mono`. The site is built and served first.
"""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from scripts import build_site

FOLDER = build_site.ROOT / "docs" / "pictures" / "site"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 1440


class Shot(NamedTuple):
    """One page as a picture."""

    page: str
    height: int = 900
    dark: bool = False


SHOTS = {
    "home": Shot("", 1400),
    "guide": Shot("use/gradients/"),
    "dark": Shot("scale/executors/", dark=True),
    "reference": Shot("reference/tf.strings/"),
    "notebook": Shot("notebooks/augmentation/", 1000),
    "deviations": Shot("deviations/"),
}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of a folder on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def browser() -> str | None:
    """The path of a Chromium; None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def arguments(chromium: str, profile: Path) -> list[str]:
    """The start of a command that runs Chromium without a window."""
    return [
        chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        f"--user-data-dir={profile}",
    ]  # fmt: skip


def take(address: str, shot: Shot, target: Path, chromium: str) -> None:
    """Write the picture of a page."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "page.png")
        command = [
            *arguments(chromium, Path(folder, "profile")), f"--window-size={WIDTH},{shot.height}",
            "--virtual-time-budget=5000", f"--screenshot={picture}", *(["--force-dark-mode"] if shot.dark else []),
            f"{address}/{shot.page}",
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with Image.open(picture) as image:
            image.convert("RGB").save(target, "WEBP", quality=82, method=6)


def main() -> None:
    chromium = browser()
    if chromium is None:
        raise SystemExit(f"none of {', '.join(BROWSERS)} is on the path")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served(build_site.build()) as address:
        for name, shot in SHOTS.items():
            target = FOLDER / f"{name}.webp"
            take(address, shot, target, chromium)
            print(f"wrote {target.relative_to(build_site.ROOT)}: {target.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()

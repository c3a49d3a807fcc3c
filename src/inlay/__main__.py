"""`python -m inlay`: the command line."""

from __future__ import annotations

from inlay.command import main

if __name__ == "__main__":
    main(prog_name="inlay")

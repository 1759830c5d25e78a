"""The process of one site of a catalogued algorithm: `python -m grouplock.cli.site NAME ...`.

Not a subcommand: it speaks the launcher's language on its standard pipes, and starts quickly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from grouplock.catalog import find
from grouplock.net.site import serve


def argv(name: str, n: int, slots: int, options: Mapping[str, str]) -> list[str]:
    """What starts one."""
    made_with = json.dumps({"n": n, "slots": slots, "given": dict(options)})
    return [sys.executable, "-m", "grouplock.cli.site", name, made_with]


def main() -> None:
    name, made_with = sys.argv[1:]
    serve(find(name).system(**json.loads(made_with)))


if __name__ == "__main__":
    main()

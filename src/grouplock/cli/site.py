"""The process of one site of a catalogued algorithm: `python -m grouplock.cli.site NAME ...`.

Not a subcommand: it speaks the launcher's language on its standard pipes, and starts quickly.
"""

from __future__ import annotations

import json
import sys

from grouplock.catalog import find
from grouplock.net.site import serve
from grouplock.protocol.system import System


def argv(system: System, groups: int = 1) -> list[str]:
    """What starts one of this system."""
    made_with = json.dumps(
        {
            "n": system.n,
            "slots": system.slots,
            "given": system.options,
            "quorum": system.quorum or None,
            "groups": groups,
        }
    )
    return [sys.executable, "-m", "grouplock.cli.site", system.name, made_with]


def main() -> None:
    name, made_with = sys.argv[1:]
    serve(find(name).system(**json.loads(made_with)))


if __name__ == "__main__":
    main()

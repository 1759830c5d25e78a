"""Builds the pure rooms with mypyc where a C compiler works, and leaves them interpreted elsewhere.

GROUPLOCK_COMPILE=0 leaves them interpreted, =1 makes a failing build an error.
"""

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent

# Rooms of which every module is compiled, and single modules of others.
COMPILED = [
    "protocol",
    "parts",
    "algorithms",
    "properties",
    "service",
    "client/session.py",
    "net/caller.py",
    "measure/demands.py",
    "measure/meter.py",
    "measure/quantiles.py",
    "sim/arrays.py",
    "sim/delays.py",
    "sim/fifo.py",
    "sim/kernel.py",
    "check/explore.py",
]

# What could be compiled and is not, and why.  Other rooms wait for the world, or declare wire
# types that mypyc would unmake.
INTERPRETED = {
    "quorums": "built once for a system; big integers and numpy do the work",
    "measure/__init__.py": "a docstring",
    "service/algorithm.py": "runs once for a daemon",
    "service/codec.py": "msgspec does the work",
    "service/frames.py": "wire types: class keywords",
    "measure/figures.py": "runs once for a run",
    "measure/trace.py": "json does the work",
    "measure/workload.py": "read once for a block of draws",
    "sim": "runs once for a run; what runs for every event is the kernel",
    "check": "runs once for a check; what runs for every state is explore",
}


def compiled_files():
    for entry in COMPILED:
        path = HERE / "src" / "grouplock" / entry
        if path.is_dir():
            names = sorted(p.name for p in path.glob("*.py"))
            yield from (
                str((path / name).relative_to(HERE))
                for name in names
                if f"{entry}/{name}" not in INTERPRETED
            )
        elif path.exists():
            yield str(path.relative_to(HERE))


class OptionalBuild(build_ext):
    """A machine without a C compiler gets the same code interpreted."""

    def run(self):
        try:
            super().run()
        except Exception as failure:
            if os.environ.get("GROUPLOCK_COMPILE") == "1":
                raise
            print(f"grouplock stays interpreted: {failure}", file=sys.stderr)
            self.extensions = []


def extensions():
    if os.environ.get("GROUPLOCK_COMPILE") == "0":
        return []
    from mypyc.build import mypycify

    made = mypycify(
        [
            *("--config-file", str(HERE / "pyproject.toml")),
            "--follow-imports=silent",  # what is not compiled may import what is not here to build
            *compiled_files(),
        ],
        opt_level="3",
        debug_level="0",
        group_name="grouplock",
    )
    if sys.platform != "win32":  # our functions are called by us alone: they can be inlined
        for extension in made:
            extension.extra_compile_args.append("-fvisibility=hidden")
    return made


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})

"""The repository's own rules: each takes a text and answers with what is wrong in it.

A complaint says what to do instead.  The tests beside this file apply the rules to the
repository, and show for each of them a sample that it refuses.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grouplock.catalog import Algorithm

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "grouplock"

# Rooms without clock, chance, I/O and logging: what happens there is a function of what is said.
PURE: Final = ("protocol", "parts", "quorums", "algorithms", "properties", "service")

# In the whole package: what is called or imported, and what to use instead.
BANNED: Final = {
    "time.time": "time.monotonic: the wall clock can be set back",
    "datetime.datetime.now": "time.monotonic",
    "random": "random.Random or a numpy generator, made from the run's seed",
    "pickle": "save and load: compiled objects cannot be pickled",
    "copy.deepcopy": "save and load: compiled objects cannot be copied",
    "eval": "ast, or a table",
    "exec": "a function",
    "os.system": "subprocess.run with a list",
}
ALLOWED: Final = ("random", "random.Random")  # the module, for its seeded generator
BANNED_IN_PURE: Final = {
    "random": "an argument drawn by a driver",
    "time": "virtual or real time given as an argument",
    "logging": "the effects: a driver writes traces",
    "asyncio": "a driver in net",
    "socket": "a driver in net",
    "threading": "nothing: a step is sequential",
    "os": "an argument",
    "sys": "an argument",
    "open": "an argument",
    "input": "an argument",
    "numpy.random": "an argument drawn by a driver",
}
LONGEST: Final = {"src": 500, "tests": 600}
# One subject that does not come apart, and how long it may be.
LONG_SUBJECTS: Final = {  # compiled loops
    "src/grouplock/sim/kernel.py": 800,
    "src/grouplock/check/explore.py": 650,
}


def source_files(*rooms: str) -> list[Path]:
    folders = [PACKAGE / room for room in rooms] if rooms else [PACKAGE]
    return sorted([p for folder in folders for p in folder.rglob("*.py")])


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def is_bare(room: str) -> bool:
    """A room that has its name and nothing else yet, or not even that."""
    folder = PACKAGE / room
    files = [p.name for p in folder.glob("*.py")]
    return "__init__.py" not in files or len(files) == 1


# Calls and imports.


def names_used(source: str) -> Iterator[tuple[int, str]]:
    """Every imported or dotted name, in full, as (line, name)."""
    tree = ast.parse(source)
    full: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield node.lineno, f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            head, _, rest = name.partition(".")
            if head in full:
                yield node.lineno, f"{full[head]}.{rest}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, full.get(node.func.id, node.func.id)


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def banned_calls(source: str, room: str = "") -> list[str]:
    banned = dict(BANNED)
    if room in PURE:
        banned |= BANNED_IN_PURE
    if is_a_command(source):
        banned.pop("sys", None)
    elif room != "cli":
        banned["print"] = "an effect, an exception, or a command in cli"
    allowed = () if room in PURE else ALLOWED
    return [
        f"line {line}: {name} is not used here; instead: {instead}"
        for line, name in sorted(set(names_used(source)))
        for ban, instead in banned.items()
        if (name == ban or name.startswith(f"{ban}.")) and name not in allowed
    ]


def is_a_command(source: str) -> bool:
    """Whether the file is a process of its own when it is run: it may print then."""
    return 'if __name__ == "__main__":' in source


def bare_excepts(source: str) -> list[str]:
    return [
        f"line {node.lineno}: name the exception that is expected"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]


# Walks over sets: a run must be repeatable.


def walks_over_sets(source: str) -> list[str]:
    tree = ast.parse(source)
    sets = {name for node in ast.walk(tree) for name in assigned_sets(node)}

    def is_set(node: ast.expr) -> bool:
        if isinstance(node, (ast.Set, ast.SetComp)):
            return True
        if isinstance(node, ast.Call):
            return dotted(node.func) in ("set", "frozenset")
        if isinstance(node, ast.BinOp):
            return is_set(node.left) or is_set(node.right)
        return dotted(node) in sets

    walked: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            walked.append(node.iter)
        elif isinstance(node, ast.Call) and dotted(node.func) in ("list", "tuple", "next", "iter"):
            walked += node.args[:1]
        elif isinstance(node, ast.Call) and not node.args and dotted(node.func).endswith(".pop"):
            assert isinstance(node.func, ast.Attribute)
            walked.append(node.func.value)
    return [
        f"line {node.lineno}: a set has no order; walk over a list, or sorted({ast.unparse(node)})"
        for node in walked
        if is_set(node)
    ]


def assigned_sets(node: ast.AST) -> Iterator[str]:
    """Names that an assignment or a parameter makes a set."""
    if isinstance(node, ast.AnnAssign):
        if is_set_type(node.annotation) or (node.value is not None and makes_set(node.value)):
            yield dotted(node.target)
    elif isinstance(node, ast.arg):
        if node.annotation is not None and is_set_type(node.annotation):
            yield node.arg
    elif isinstance(node, ast.Assign) and makes_set(node.value):
        for target in node.targets:
            yield dotted(target)


def makes_set(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return dotted(node.func) in ("set", "frozenset")
    return isinstance(node, (ast.Set, ast.SetComp))


def is_set_type(node: ast.expr) -> bool:
    named = node.value if isinstance(node, ast.Subscript) else node
    if dotted(named).rpartition(".")[2] == "Final" and isinstance(node, ast.Subscript):
        return is_set_type(node.slice)
    return dotted(named).rpartition(".")[2] in ("set", "frozenset", "Set", "MutableSet")


# Comments, lengths, headers.


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def unfinished(source: str) -> list[str]:
    return [
        f"line {line}: finish it, or write it down where work is planned: {text}"
        for line, text in comments(source)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text)
    ]


def too_long(source: str, limit: int) -> list[str]:
    lines = len(source.splitlines())
    return [f"{lines} lines; {limit} is what a reader takes in: split it"] if lines > limit else []


def skipped_tests(source: str) -> list[str]:
    return [
        f"line {line}: a test runs or it goes: {name}"
        for line, name in names_used(source)
        if re.fullmatch(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)", name)
    ]


def sleeps(source: str) -> list[str]:
    """`sleep(0)` lets others run and is no wait."""
    return [
        f"line {node.lineno}: wait for the event itself, not for some time: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and dotted(node.func).rpartition(".")[2] == "sleep"
        and not (node.args and ast.unparse(node.args[0]) == "0")
    ]


def class_keywords(source: str) -> list[str]:
    return [
        f"line {node.lineno}: mypyc drops class keywords silently; leave this module interpreted"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and node.keywords
    ]


def no_docstring(source: str) -> list[str]:
    return [] if ast.get_docstring(ast.parse(source)) else ["say at the top what may live here"]


def header(source: str) -> list[str]:
    """An algorithm's file opens with its idea, its source, what it needs and what it costs."""
    said = ast.get_docstring(ast.parse(source)) or ""
    wanted = ("Idea:", "Source:", "Channels:", "Cost:")
    return [f"the header does not say {word}" for word in wanted if word not in said]


# Tags: a line of the pseudo-code, in the code and on the page.

TAG: Final = re.compile(r"#\s*L(\d+)\b")
PSEUDO: Final = re.compile(r"^\s*L(\d+)\s", re.MULTILINE)


def tags(source: str) -> list[tuple[int, int]]:
    """(tag, line of the file), in the order of the file."""
    return [(int(found[1]), line) for line, text in comments(source) if (found := TAG.match(text))]


def file_of(algorithm: Algorithm) -> str:
    """Where its `make` lives; one file may serve several entries of the catalog."""
    return algorithm.make.__module__.rpartition(".")[2]


def pseudo_code(page: str) -> list[int]:
    return [int(found) for block in blocks(page, "text") for found in PSEUDO.findall(block)]


def tag_mismatch(source: str, page: str) -> list[str]:
    code, text = [tag for tag, _ in tags(source)], pseudo_code(page)
    wrong = [] if code else ["no line is tagged"]
    for where, found in (("the code", code), ("the page", text)):
        if found != list(range(1, len(found) + 1)):
            wrong.append(f"{where} counts {found}, not 1, 2, 3 and so on")
    missing = [f"L{tag}" for tag in code if tag not in text]
    extra = [f"L{tag}" for tag in text if tag not in code]
    if missing:
        wrong.append(f"the page lacks {', '.join(missing)}")
    if extra:
        wrong.append(f"the code lacks {', '.join(extra)}")
    return wrong


# Pages.

FENCE: Final = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*src=\"([^\"]+)\"")


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(page: str, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(page) if kind == language]


def dead_links(page: str, folder: Path) -> list[str]:
    wrong = []
    for match in LINK.finditer(FENCE.sub("", page)):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = folder / name if name else None
        if file is not None and not file.exists():
            wrong.append(f"{target} leads nowhere")
        elif anchor and anchor not in anchors(file.read_text() if file else page):
            wrong.append(f"{target}: no such heading")
    return wrong


def anchors(page: str) -> list[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in headings]


MACHINE: Final = re.compile(r"(?<![\w.<])(/(home|Users|work|root|tmp|mnt)/|[A-Z]:\\)\w*")


def machine_paths(text: str) -> list[str]:
    return [f"a path of one machine: {found[0]}" for found in MACHINE.finditer(text)]


def unknown_commands(page: str, commands: set[str], targets: set[str]) -> list[str]:
    """`grouplock X` and `make X` in code that do not exist."""
    code = "\n".join([*re.findall(r"`([^`\n]+)`", page), *blocks(page, "sh")])
    wrong = [
        f"there is no grouplock {name}"
        for name in re.findall(r"^\s*grouplock ([a-z][a-z-]*)", code, re.MULTILINE)
        if name not in commands
    ]
    return wrong + [
        f"there is no make {name}"
        for name in re.findall(r"^\s*make ([a-z][a-z-]*)", code, re.MULTILINE)
        if name not in targets
    ]


def make_targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))

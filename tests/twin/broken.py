"""The service with one mistake: the twin has to find each within a stated number of seeds."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final, NamedTuple

from grouplock.twin.judge import ANSWERS, BELIEFS, FENCES, TABLES
from grouplock.twin.world import SHIPPED, Parts, Verdict
from tests.variants import read

SERVICE: Final = "service/service.py"
KEEPER: Final = "service/keeper.py"
SESSION: Final = "client/session.py"


class Broken(NamedTuple):
    name: str
    file: str  # empty: the disk forgets
    before: str
    after: str
    caught_by: tuple[str, ...]
    seed: int  # of the seeds from 1 on the first that catches it

    def parts(self) -> Parts:
        if not self.file:
            return SHIPPED._replace(disk_forgets=True)
        module = self.made(self.file, read(self.file))
        if self.file == SESSION:
            return SHIPPED._replace(session=module.Session)
        if self.file == KEEPER:
            right = "from grouplock.service.keeper import"
            text = read(SERVICE).replace(right, f"from {module.__name__} import")
            module = run("service", self.name, text)
        return SHIPPED._replace(service=module.LockService)

    def made(self, file: str, text: str) -> ModuleType:
        assert text.count(self.before) == 1, f"{self.name}: {self.before!r} stands elsewhere now"
        return run(file, self.name, text.replace(self.before, self.after))


def run(file: str, name: str, text: str) -> ModuleType:
    module = ModuleType(f"tests.twin.broken_{file[:-3].replace('/', '_')}_{name.replace('-', '_')}")
    sys.modules[module.__name__] = module
    exec(compile(text, f"{file} as {name}", "exec"), module.__dict__)
    return module


def replayed(verdict: Verdict) -> str:
    return f"grouplock twin --seed {verdict.seed}: {verdict.violated}: {verdict.reason}"


BROKEN: Final = [
    Broken(
        "lease-from-the-answer",
        SESSION,
        "end = sent_at + DRIFT * self.lease",
        "end = self.now() + DRIFT * self.lease",
        (BELIEFS,),
        1564,
    ),
    Broken(
        "trusts-any-clock",
        SESSION,
        "DRIFT: Final = 0.998",
        "DRIFT: Final = 1.3",
        (BELIEFS,),
        375,
    ),
    Broken(
        "renewed-by-a-new-process",
        SESSION,
        " or (lease.epoch and epoch > lease.epoch):",
        ":",
        (BELIEFS,),
        676,
    ),
    Broken(
        "renewed-too-late",
        SESSION,
        "if self.now() >= lease.unbroken_until or (",
        "if (",
        (BELIEFS,),
        14,
    ),
    Broken(
        "a-loss-that-nobody-hears",
        SESSION,
        "                self.lose(request, said)\n                self.take_back(request)\n",
        "                self.requests.pop(request.seq, None)\n"
        "                self.lose(request, said)\n",
        (ANSWERS,),
        21,
    ),
    Broken(
        "no-wait-after-a-crash",
        SERVICE,
        "now if clean or not records else now + self.lease",
        "now",
        (BELIEFS,),
        25,
    ),
    Broken(
        "clean-with-holds",
        SERVICE,
        "return None if held or waits else",
        "return None if False else",
        (BELIEFS,),
        291,
    ),
    Broken(
        "half-a-lease",
        SERVICE,
        "client.lease_end = now + self.lease",
        "client.lease_end = now + 0.5 * self.lease",
        (BELIEFS,),
        38,
    ),
    Broken(
        "leave-past-what-is-parked",
        SERVICE,
        "            if self.parked:\n                self.parked = [",
        "            if self.parked:\n                [",
        (ANSWERS,),
        15,
    ),
    Broken(
        "an-entry-that-stays",
        SERVICE,
        "        out.hang_up(entry.conn)\n        self.detach(entry, self.now, out)",
        "        out.hang_up(entry.conn)",
        (TABLES, ANSWERS),
        1,
    ),
    Broken(
        "an-answer-to-the-newest-hello-alone",
        SERVICE,
        "back.attachment < entry.since",
        "back.attachment != entry.attachment",
        (ANSWERS,),
        1000,
    ),
    Broken(
        "a-fence-without-its-epoch",
        KEEPER,
        "fence = self.epoch << FENCE_BITS | request.session",
        "fence = request.session",
        (FENCES, ANSWERS),
        1,
    ),
    Broken("a-disk-that-forgets", "", "", "", (FENCES,), 1),
]

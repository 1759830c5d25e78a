"""What an algorithm promises, each as a verdict with a reason.  Nothing here changes anything.

The names below are those of the catalog's promises, of `check --json` and of every report.
"""

from __future__ import annotations

from typing import Final

EXCLUSION: Final = "exclusion"  # at most `slots` groups inside; a plain mutex: at most one site
SERVED: Final = "served"  # every request is granted in the end
NO_DEADLOCK: Final = "no-deadlock"  # while somebody waits, something can still happen
CONCURRENT_ENTRY: Final = "concurrent-entry"  # nobody conflicts: all get in, though nobody leaves
TOGETHER: Final = "together"  # sometimes two are inside together
ONE_TOKEN: Final = "one-token"  # the unique token exists exactly once
OVERTAKING: Final = "overtaking"  # a request is passed by at most so many sessions
INTEGRITY: Final = "integrity"  # each request is answered once, with a group that it named
ASSERTION: Final = "assertion"  # no handler fails

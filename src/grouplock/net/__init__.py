"""Real time: asyncio, TCP, one process for each site.

From the wire inwards: `frames` (bytes to bodies), `wire` (bodies to what is said), `link` (numbers,
acknowledgements, sending again), `conversation` (one connection, without a socket), `switchboard`
(the sockets).  On top: `host` (one site with its clients), `site` (its process), `launcher` (all
of them, and the verdict).  Handed a `System` as a value; it never asks which algorithm it drives.
What goes wrong out there is a `NetError`; an assertion is our bug.
"""

"""Real time: asyncio, TCP, one process for each site."""

"""All interleavings of small systems: explore, judge, minimise, replay."""

"""The laboratory: many runs of the simulator, spread over the cores, and figures drawn of them."""

"""What applications import: connect to nodes, be one, hold locks; asynchronous and not."""

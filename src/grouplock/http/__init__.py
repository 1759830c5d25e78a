"""HTTP for programs in other languages and for whoever watches a node; a client of the node."""

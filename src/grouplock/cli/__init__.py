"""One command: grouplock."""

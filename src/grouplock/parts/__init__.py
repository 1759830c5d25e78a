"""What several algorithms share: vectors, stamps, queues.  Nothing here sends anything."""

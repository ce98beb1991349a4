"""Two runs over the same cases side by side."""

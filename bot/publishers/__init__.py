"""Where posts go."""

"""All that outlives the process: one SQLite file."""

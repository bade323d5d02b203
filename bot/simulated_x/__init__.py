"""A local X at the wire, for tests, rehearsals and the demo."""

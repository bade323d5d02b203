"""Where posts go."""

from typing import Final

DESTINATION: Final = "x"
"""The destination's name in the outbox."""

"""shinglebot: posts the news of your feeds, each story once."""

from typing import Final

__version__: Final = "0.1.0"

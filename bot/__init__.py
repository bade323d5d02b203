"""shinglebot: posts the news of your feeds, each story once."""

__version__ = "0.1.0"

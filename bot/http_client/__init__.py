"""The one door to HTTP: bytes from strangers' servers, within limits of time, size and reach.

It knows nothing of feeds beyond the media types it asks for. It keeps nothing between calls: what a server
said (validators, a new address, when to come back) is handed to the caller, who stores it.
"""

from bot.http_client.answers import Called, NotModified, Response
from bot.http_client.door import HttpClient

__all__ = ["Called", "HttpClient", "NotModified", "Response"]

"""Posts to Mastodon, and reads back what stands on the account."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.model import Receipt
from bot.core.pictures import Uploaded, picture_in
from bot.core.recognition import OwnPost, words_hash
from bot.core.rulers import MastodonRuler, Ruler
from bot.errors import Refused
from bot.mastodon_client import Limits, NewStatus, Visibility

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.core.model import Post
    from bot.core.weighted_length import Measured
    from bot.mastodon_client import MastodonClient

KEPT: Final = timedelta(hours=24)
"""A server keeps an upload that no status shows for a day (its own cleaning job)."""

LOOKS: Final = 5
BETWEEN_LOOKS: Final = 0.5
"""Seconds. A picture takes a second or two to be processed; a post that comes too early is tried again in a minute."""


class _Learnt:
    """Measures as Mastodon does by default and, once the account was asked for, as its server does."""

    def __init__(self) -> None:
        self.ruler = MastodonRuler()

    @property
    def limit(self) -> int:
        return self.ruler.limit

    def measure(self, text: str) -> Measured:
        return self.ruler.measure(text)

    def weigh_plain(self, text: str) -> int:
        return self.ruler.weigh_plain(text)


class MastodonPublisher:
    """Sends posts to one account at a Mastodon server.

    Each post has a key that the server remembers for an hour: sent twice, it is there once.

    Args:
        client: knows the account.
        name: the destination's name.
        visibility: who sees the posts.
        language: of the posts, None: the server's guess.
        clock: aware UTC now.
        pause: waits for so many seconds, or until the bot is to stop.
    """

    def __init__(
        self,
        client: MastodonClient,
        *,
        name: str,
        visibility: Visibility = Visibility.PUBLIC,
        language: str | None = None,
        clock: Callable[[], datetime],
        pause: Callable[[float], object],
    ) -> None:
        self.name = name
        self._limits = Limits()
        self._learnt = _Learnt()
        self.ruler: Ruler = self._learnt
        self._client = client
        self._visibility = visibility
        self._language = language
        self._clock = clock
        self._pause = pause

    def key(self, row_id: int, now: datetime, _newest_id: str | None) -> str:
        """Return the key of a row's post at this server."""
        return f"shinglebot-{row_id}-{int(now.timestamp() * 1000)}"

    def publish(self, post: Post) -> Receipt:
        """Send `post` now, once. Raises what `MastodonClient.post` raises."""
        if post.repost_of is not None:
            number = self._client.conversations.repost(post.repost_of)
            return Receipt(remote_id=number)
        status = NewStatus(
            text=post.text,
            visibility=self._visibility,
            language=self._language,
            warning=post.warning,
            media=post.media,
            sensitive=bool(post.warning and post.media),
            reply_to=post.reply_to,
        )
        return self._client.post(status, post.key or self.key(0, self._clock(), None))

    def upload_picture(self, data: bytes) -> Uploaded:
        """Hand over a picture for a post. Raises what `MastodonClient.upload` raises."""
        if len(data) > self._limits.picture_bytes:
            raise Refused(f"the server takes pictures of at most {self._limits.picture_bytes // 1000} kB")
        number = self._client.upload(data, picture_in(data).media_type)
        for _ in range(LOOKS):
            if self._client.is_ready(number):
                break
            self._pause(BETWEEN_LOOKS)
        return Uploaded(id=number, expires_at=self._clock() + KEPT)

    def describe_picture(self, number: str, words: str) -> None:
        """Give an uploaded picture its alt text. Raises what `MastodonClient.describe` raises."""
        self._client.describe(number, words[: self._limits.alt])

    def delete(self, remote_id: str) -> bool:
        """Delete a post; return False when it is not there any more. Raises what `MastodonClient.delete` raises."""
        return self._client.delete(remote_id)

    def account(self) -> str:
        """Return the account's number, and learn what its server takes. Raises what `MastodonClient` raises."""
        number = self._client.me().id
        self._limits = self._client.limits()
        self._learnt.ruler = MastodonRuler(limit=self._limits.characters, url=self._limits.url)
        return number

    def own_posts(self, since_id: str | None, limit: int) -> list[OwnPost]:
        """Return the account's own posts as the reconciling wants them. Raises as `MastodonClient.own_statuses`."""
        return [
            OwnPost(
                id=status.id,
                words=words_hash(status.text),
                links=status.links,
                created_at=status.created_at,
                url=status.url,
                answers=status.answers,
            )
            for status in self._client.own_statuses(since_id, limit)
        ]

"""Posts to Bluesky, and reads back what stands on the account."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.bluesky_client.records import LARGEST_BLOB, Blob, Card, NewPost, Shown
from bot.core.facets import facets_of
from bot.core.pictures import Uploaded, picture_in
from bot.core.recognition import OwnPost, words_hash
from bot.core.record_keys import record_key
from bot.core.rulers import BlueskyRuler, Ruler
from bot.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.bluesky_client import BlueskyClient
    from bot.core.model import Post, Receipt

KEPT: Final = timedelta(hours=1)
"""A server may throw away a blob that no record names after about that (the PDS's own figure)."""


class BlueskyPublisher:
    """Sends posts to one account at Bluesky.

    Each post has a key of its own in the account's repository: written twice, it is there once.

    Args:
        name: the destination's name.
        client: knows the account.
        languages: what the posts are written in, at most three tags.
        clock: aware UTC now.
    """

    def __init__(
        self,
        client: BlueskyClient,
        *,
        name: str,
        languages: Sequence[str] = (),
        clock: Callable[[], datetime],
    ) -> None:
        self.name = name
        self.ruler: Ruler = BlueskyRuler()
        self._client = client
        self._languages = tuple(languages)
        self._clock = clock

    def key(self, row_id: int, now: datetime, newest_id: str | None) -> str:
        """Return the key of a row's post: later than every one before."""
        return record_key(now, row_id, after=newest_id)

    def publish(self, post: Post) -> Receipt:
        """Send `post` now, once. Raises what `BlueskyClient.put_post` raises."""
        now = self._clock()
        key = post.key or self.key(0, now, None)
        if post.repost_of is not None:
            return self._client.repost(key, post.repost_of, now)
        pictures = tuple(Blob(reference=json.loads(said)) for said in post.media)
        alts = (*post.alt, *[""] * len(pictures))
        card = post.card
        new = NewPost(
            text=post.text,
            created_at=now,
            facets=facets_of(post.text, [post.link] if post.link else []),
            languages=self._languages,
            card=None
            if card is None
            else Card(
                url=card.url,
                title=card.title,
                description=card.description,
                thumb=pictures[0] if pictures else None,
            ),
            pictures=()
            if card is not None
            else tuple(Shown(blob=blob, alt=alt) for blob, alt in zip(pictures, alts, strict=False)),
            labels=(post.warning,) if post.warning else (),
        )
        return self._client.put_post(key, new, answers=post.reply_to)

    def upload_picture(self, data: bytes) -> Uploaded:
        """Hand over a picture for a post. Raises what `BlueskyClient.upload` raises."""
        if len(data) > LARGEST_BLOB:
            raise Refused(f"Bluesky takes pictures of at most {LARGEST_BLOB // 1000} kB")
        blob = self._client.upload(data, picture_in(data).media_type)
        return Uploaded(id=json.dumps(blob.reference, sort_keys=True), expires_at=self._clock() + KEPT)

    def describe_picture(self, number: str, words: str) -> None:
        """Do nothing: alt texts stand in the post."""

    def delete(self, remote_id: str) -> bool:
        """Delete a post; return False when it is not there any more. Raises what `BlueskyClient.delete_post` raises."""
        return self._client.delete_post(remote_id)

    def account(self) -> str:
        """Return the account's DID. Raises what `BlueskyClient.account` raises."""
        return self._client.account()

    def own_posts(self, since_id: str | None, limit: int) -> list[OwnPost]:
        """Return the account's own posts as the reconciling wants them. Raises what `BlueskyClient.posts` raises."""
        return [
            OwnPost(
                id=post.key,
                words=words_hash(post.text),
                links=post.links,
                created_at=post.created_at,
                url=self._client.address(post.key),
                answers=post.above,
            )
            for post in self._client.posts(since_id, limit)
        ]

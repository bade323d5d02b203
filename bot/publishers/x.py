"""Posts to X, and reads back what stands on the account."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.core.model import Receipt
from bot.core.recognition import OwnPost, words_hash
from bot.core.rulers import Ruler, XRuler
from bot.core.weighted_length import MAX_WEIGHT
from bot.errors import PublishError
from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from datetime import datetime

    from bot.core.model import Post
    from bot.core.pictures import Uploaded
    from bot.x_client import XClient

NAME: Final = DESTINATION


class XPublisher:
    """Sends posts to one account at X.

    Args:
        client: knows the account.
        username: of the account, for links to its posts; None to ask X for it, once.
        limit: the most that a post may weigh; more than the usual takes an account with Premium.
    """

    def __init__(self, client: XClient, *, username: str | None = None, limit: int = MAX_WEIGHT) -> None:
        self.name = NAME
        self.ruler: Ruler = XRuler(limit)
        self._client = client
        self._username = username
        self._asked = username is not None

    def key(self, _row_id: int, _now: datetime, _newest_id: str | None) -> None:
        """Return None: X knows no keys."""

    def publish(self, post: Post) -> Receipt:
        """Send `post` now, once. Raises what `XClient.create_post` raises."""
        # Asked before the post goes out: between its going out and its being written down nothing may wait.
        if post.repost_of is not None:
            self._client.repost(post.repost_of)
            return Receipt(
                remote_id=f"repost-{post.repost_of}", url=f"https://x.com/i/web/status/{post.repost_of}"
            )
        username = self._name_of_account()
        receipt = self._client.create_post(post.text, post.media, reply_to=post.reply_to)
        if username is None:
            return receipt
        return replace(receipt, url=f"https://x.com/{username}/status/{receipt.remote_id}")

    def upload_picture(self, data: bytes) -> Uploaded:
        """Hand over a picture for a post. Raises what `XClient.upload_picture` raises."""
        return self._client.upload_picture(data)

    def describe_picture(self, number: str, words: str) -> None:
        """Give an uploaded picture its alt text. Raises what `XClient.describe_picture` raises."""
        self._client.describe_picture(number, words)

    def account(self) -> str:
        """Return the account's id. Raises what `XClient.account_id` raises."""
        return self._client.account_id()

    def own_posts(self, since_id: str | None, limit: int) -> list[OwnPost]:
        """Return the account's own posts as the reconciling wants them. Raises what `XClient.own_posts` raises."""
        return [
            OwnPost(
                id=post.id,
                words=words_hash(post.text),
                links=post.urls,
                created_at=post.created_at,
                url=f"https://x.com/i/web/status/{post.id}",
                answers=post.answers,
            )
            for post in self._client.own_posts(since_id, limit)
        ]

    def _name_of_account(self) -> str | None:
        """Return the account's name, None when X does not tell; links without it work, too."""
        if not self._asked:
            self._asked = True
            try:
                self._username = self._client.me().username
            except PublishError:
                return None
        return self._username

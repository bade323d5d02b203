"""A dry run shows what would go out, in order, and reaches nobody."""

from __future__ import annotations

from bot.core.model import Post
from bot.core.rulers import XRuler
from bot.publishers.stdout import StdoutPublisher


def test_every_post_is_shown_and_numbered():
    shown = []
    publisher = StdoutPublisher(shown.append)
    posts = [Post(text=text, weight=3, limit=280, has_link=False) for text in ("One", "Two")]
    receipts = [publisher.publish(post) for post in posts]
    assert shown == posts
    assert [receipt.remote_id for receipt in receipts] == ["dry-run:1", "dry-run:2"]
    assert all(receipt.url is None for receipt in receipts)


def test_it_plays_the_destination_that_it_is_told_to():
    publisher = StdoutPublisher(lambda _: None, name="elsewhere", ruler=XRuler(500))
    assert (publisher.name, publisher.ruler.limit) == ("elsewhere", 500)
    assert (StdoutPublisher(lambda _: None).name, StdoutPublisher(lambda _: None).ruler.limit) == ("x", 280)

"""Pictures at X: handed over before the post that shows them, and described for those who do not see them.

Both may be done twice without harm: an upload that no post shows is forgotten by X, and a description replaces another.
"""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.pictures import Uploaded
from bot.core.prices import Item
from bot.errors import PictureRefused, PublishError, Refused
from bot.x_client.asking import Asking, unreadable
from bot.x_client.posts import NotUnderstood, media_id
from bot.x_client.wire import Declined

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.x_client.outcomes import Answer

UPLOAD: Final = "/2/media/upload"
METADATA: Final = "/2/media/metadata"

CATEGORY: Final = "tweet_image"
"""Of what is uploaded in one request: X's OpenAPI document 2.167 knows it, and two others that are no pictures of posts."""

KEPT: Final = timedelta(hours=24)
"""How long X keeps an upload for a post where its answer does not say (`expires_after_secs` is 86400 in its examples)."""

LONGEST_KEPT: Final = timedelta(days=30)
"""More is not believed."""


def upload(asking: Asking, data: bytes, clock: Callable[[], datetime]) -> Uploaded:
    """Hand a picture over. Costs nothing. Raises a PublishError; OutcomeUnknown is as harmless as NotSent."""
    body = {"media": base64.b64encode(data).decode("ascii"), "media_category": CATEGORY}
    failure: PublishError
    before = clock()
    try:
        payload = asking.ask("POST", UPLOAD, body=body)
        return Uploaded(id=media_id(payload), expires_at=before + _kept(payload))
    except Declined as declined:
        failure = asking.error(declined.answer, write=True)
    except NotUnderstood as error:
        failure = unreadable(error)
    raise failure


def describe(asking: Asking, number: str, words: str) -> None:
    """Give an uploaded picture its alt text. Costs a metadata request, each time. Raises a PublishError."""
    body = {"id": number, "metadata": {"alt_text": {"text": words}}}
    failure: PublishError
    try:
        asking.priced(
            "POST",
            METADATA,
            Item.MEDIA_METADATA,
            1,
            _was_described,
            lambda _: [number],
            body=body,
            again=False,
        )
    except Declined as declined:
        failure = asking.error(declined.answer, write=True)
    except NotUnderstood as error:
        failure = unreadable(error)
    else:
        return
    raise failure


def of_post(failure: PublishError, answer: Answer) -> PublishError:
    """Return the error of a post with pictures: `PictureRefused` where X says no to them and not to the post."""
    if type(failure) is Refused and answer.speaks_of("media"):
        return PictureRefused(str(failure))
    return failure


def _was_described(payload: Any) -> None:
    if not isinstance(payload, dict) or not isinstance(payload.get("data"), dict):
        raise NotUnderstood("it does not say that the picture was described")


def _kept(payload: Any) -> timedelta:
    seconds = payload["data"].get("expires_after_secs")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 0:
        return KEPT
    return min(timedelta(seconds=min(seconds, 10**9)), LONGEST_KEPT)

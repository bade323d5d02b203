"""The JSON of users and posts, in both of X's vocabularies.

X is changing `tweet` to `post` in the names of parameters and fields; answers follow the parameter that was
sent. Text is HTML-escaped and its links are wrapped, as X's is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.core.weighted_length import MAX_WEIGHT, measure

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bot.simulated_x.world import SimulatedUser, StoredPost

VOCABULARIES: Final = {"tweet.fields": "tweet", "post.fields": "post"}


def user_json(user: SimulatedUser) -> dict[str, Any]:
    """Return a user with X's default fields."""
    return {"id": user.id, "name": user.name, "username": user.username}


def post_json(post: StoredPost, vocabulary: str, fields: Collection[str] = ()) -> dict[str, Any]:
    """Return a post with X's default fields and those of `fields` that it has something for."""
    text, entities = _wrapped(post)
    form: dict[str, Any] = {"id": post.id, "text": text, f"edit_history_{vocabulary}_ids": [post.id]}
    if measure(post.text).weight > MAX_WEIGHT:
        # What a timeline shows of a long post: its beginning, and links that are whole in it. The rest is in the note.
        beginning = text[: MAX_WEIGHT - 1]
        form["text"] = cut = f"{beginning.rpartition(' ')[0] or beginning}…"
        if f"note_{vocabulary}" in fields:
            form[f"note_{vocabulary}"] = {"text": text, "entities": {"urls": entities}}
        entities = [entity for entity in entities if entity["end"] < len(cut)]
    if "created_at" in fields:
        form["created_at"] = f"{post.created_at:%Y-%m-%dT%H:%M:%S}.000Z"
    if "author_id" in fields:
        form["author_id"] = post.author.id
    if "entities" in fields and entities:
        form["entities"] = {"urls": entities}
    referenced = [
        {"type": kind, "id": other}
        for kind, other in (("replied_to", post.reply_to), ("quoted", post.quote_of))
        if other is not None
    ]
    if "attachments" in fields and post.media:
        form["attachments"] = {"media_keys": [media.key for media in post.media]}
    if f"referenced_{vocabulary}s" in fields and referenced:
        form[f"referenced_{vocabulary}s"] = referenced
    return form


def page_json(
    posts: Sequence[StoredPost], vocabulary: str, fields: Collection[str], next_token: str | None
) -> dict[str, Any]:
    """Return one page of a timeline; X leaves `data` out when there is nothing."""
    meta: dict[str, Any] = {"result_count": len(posts)}
    if posts:
        meta |= {"newest_id": posts[0].id, "oldest_id": posts[-1].id}
    if next_token is not None:
        meta["next_token"] = next_token
    form: dict[str, Any] = {"meta": meta}
    if posts:
        form["data"] = [post_json(post, vocabulary, fields) for post in posts]
    return form


def _wrapped(post: StoredPost) -> tuple[str, list[dict[str, Any]]]:
    text, at = "", 0
    entities = []
    for link in post.links:
        text += _escaped(post.text[at : link.start])
        entities.append(
            {
                "start": len(text),
                "end": len(text) + len(link.tco),
                "url": link.tco,
                "expanded_url": link.expanded,
                "display_url": link.display,
            }
        )
        text += link.tco
        at = link.end
    text += _escaped(post.text[at:])
    if post.media:  # one link for all, explained once for each
        start = len(text) + (1 if text else 0)
        entities += [
            {
                "start": start,
                "end": start + len(post.media_link),
                "url": post.media_link,
                "expanded_url": f"https://x.com/{post.author.username}/status/{post.id}/photo/1",
                "display_url": f"pic.x.com/{post.media_link.rpartition('/')[2]}",
                "media_key": media.key,
            }
            for media in post.media
        ]
        text = f"{text} {post.media_link}".lstrip()
    return text, entities


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

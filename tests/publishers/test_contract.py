"""What every publisher promises, proved before every server: X's and Mastodon's at the wire, and two of others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from bot.core.compose import composed
from bot.core.model import Card, Entry, Post
from bot.core.pictures import Uploaded
from bot.core.recognition import link_keys, words_hash
from bot.errors import Refused, SaidDuplicate, TooManyPosts
from tests.pictures import png

SCRIPTS = {
    "Ukrainian": "Пором на острів Чайка знову ходить: об'їзду більше немає",
    "Greek": "Το πλοίο επέστρεψε στο νησί των γλάρων",
    "Arabic": "عادت العبارة إلى جزيرة النورس",
    "Hebrew": "המעבורת חזרה לאי השחפים",
    "Hindi": "गंगा पर नाव फिर से चल पड़ी",
    "Thai": "เรือข้ามฟากกลับมาที่เกาะนางนวล",
    "Chinese": "海鸥岛的渡轮恢复通航",
    "Japanese": "カモメ島のフェリーが再開",
    "Korean": "갈매기섬 여객선이 다시 다닌다",
    "Georgian": "ბორანი თოლიების კუნძულზე დაბრუნდა",
    "emoji": "The ferry 👨‍👩‍👧‍👦 is back 🏴󠁧󠁢󠁳󠁣󠁴󠁿 at 1️⃣ o'clock 🇺🇦",
    "marks": 'Ferry & <b>"boat"</b> — it\'s 5 < 6 &amp; so on',
}
_rows = count(1)


def post_of(subject, title: str, **more) -> Post:
    """Return the post of a story, measured as the destination does, with its key."""
    ruler, number = subject.publisher.ruler, next(_rows)
    entry = Entry(feed="a", title=title, link=f"https://example.com/{number}")
    post = composed(
        entry, template="{title} {link}", hashtags=(), limit=ruler.limit, link=entry.link, ruler=ruler
    ).post
    return keyed(subject, replace(post, **more), number)


def keyed(subject, post: Post, number: int, newest: str | None = None) -> Post:
    return replace(post, key=subject.publisher.key(number, datetime.now(UTC), newest))


def own(subject, since: str | None = None, limit: int = 100):
    return subject.publisher.own_posts(since, limit)


def test_a_post_goes_out_and_is_read_back(subject):
    assert subject.publisher.account() == subject.publisher.account() != ""
    assert own(subject) == []
    post = post_of(subject, "The ferry is back")
    receipt = subject.publisher.publish(post)
    (read,) = own(subject)
    assert read.id == receipt.remote_id
    assert read.words == words_hash(post.text)
    assert link_keys(read.links, anchored=False) == link_keys([post.link], anchored=False)
    assert abs(read.created_at - datetime.now(UTC)) < timedelta(minutes=15)
    assert receipt.url.startswith("http")
    assert post.text.endswith(post.link)


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_comes_back_as_it_went_out(subject, script):
    post = post_of(subject, SCRIPTS[script])
    receipt = subject.publisher.publish(post)
    (read,) = own(subject)
    assert (read.id, read.words) == (receipt.remote_id, words_hash(post.text))
    assert link_keys(read.links, anchored=False) == link_keys([post.link], anchored=False)
    assert subject.seen(receipt.remote_id).links == (post.link,), (
        "a reader can click it, whatever stands before it"
    )


@pytest.mark.parametrize("word", ["ferry ", "паром ", "渡轮", "👨‍👩‍👧‍👦", "é"])
def test_a_long_story_fills_the_destination_and_is_taken(subject, word):
    subject.publisher.account()
    post = post_of(subject, (word * 600).strip())
    # Bluesky has 3,000 bytes beside its 300 graphemes, and where both are near their ends a sixth may stay empty.
    assert post.limit * 5 // 6 <= post.weight <= post.limit
    subject.publisher.publish(post)
    assert [read.words for read in own(subject)] == [words_hash(post.text)]


def test_what_is_too_long_is_refused_and_not_there(subject):
    subject.needs("length")
    subject.publisher.account()
    post = replace(post_of(subject, "x"), text="w" * (subject.publisher.ruler.limit + 1), link=None)
    with pytest.raises(Refused):
        subject.publisher.publish(post)
    assert own(subject) == []


def test_a_picture_goes_with_its_post(subject):
    subject.publisher.account()
    uploaded = subject.publisher.upload_picture(png())
    assert isinstance(uploaded, Uploaded)
    assert uploaded.expires_at > datetime.now(UTC)
    subject.publisher.describe_picture(uploaded.id, "A ferry at its pier 🌊")
    receipt = subject.publisher.publish(
        post_of(subject, "With a picture", media=(uploaded.id,), alt=("A ferry at its pier 🌊",))
    )
    assert [read.id for read in own(subject)] == [receipt.remote_id]
    assert subject.seen(receipt.remote_id).alts == ("A ferry at its pier 🌊",)


def test_a_card_shows_the_story_with_its_picture(subject):
    subject.needs("card")
    subject.publisher.account()
    uploaded = subject.publisher.upload_picture(png())
    post = post_of(subject, "The ferry is back", media=(uploaded.id,))
    card = Card(url=post.link, title="Паром повернувся", description="Об'їзду більше немає")
    receipt = subject.publisher.publish(replace(post, card=card))
    assert subject.seen(receipt.remote_id).card == ("Паром повернувся", post.link, True)


def test_a_warning_stands_before_its_post(subject):
    subject.needs("warning")
    subject.publisher.account()
    receipt = subject.publisher.publish(post_of(subject, "A diary of the war", warning="graphic-media"))
    assert subject.seen(receipt.remote_id).warning == "graphic-media"


def test_one_key_is_one_post_however_often_it_is_sent(subject):
    post = post_of(subject, "The ferry is back")
    first = subject.publisher.publish(post)
    if post.key is None:
        with pytest.raises(SaidDuplicate):
            subject.publisher.publish(post)
    else:
        assert [subject.publisher.publish(post).remote_id for _ in range(3)] == [first.remote_id] * 3
    assert [read.id for read in own(subject)] == [first.remote_id]


def test_another_key_is_another_post(subject):
    first = subject.publisher.publish(post_of(subject, "One"))
    second = subject.publisher.publish(post_of(subject, "Two"))
    assert [read.id for read in own(subject)] == [second.remote_id, first.remote_id]


def test_a_post_is_deleted_once(subject):
    subject.needs("deletion")
    receipt = subject.publisher.publish(post_of(subject, "A mistake"))
    stays = subject.publisher.publish(post_of(subject, "No mistake"))
    assert subject.publisher.delete(receipt.remote_id)
    assert not subject.publisher.delete(receipt.remote_id)
    assert [read.id for read in own(subject)] == [stays.remote_id]


def test_an_answer_stands_under_its_post_and_is_read_back(subject):
    first = subject.publisher.publish(post_of(subject, "The ferry is late"))
    answer = subject.publisher.publish(
        post_of(subject, "Correction: the ferry is not late", reply_to=first.remote_id)
    )
    again = subject.publisher.publish(
        post_of(subject, "Correction: the ferry is a little late", reply_to=answer.remote_id)
    )
    assert [read.id for read in own(subject)] == [again.remote_id, answer.remote_id, first.remote_id]


def test_what_is_gone_is_not_answered(subject):
    subject.needs("deletion")
    subject.needs("answers")
    first = subject.publisher.publish(post_of(subject, "A mistake"))
    assert subject.publisher.delete(first.remote_id)
    with pytest.raises(Refused):
        subject.publisher.publish(post_of(subject, "Correction", reply_to=first.remote_id))
    assert own(subject) == []


def test_own_posts_are_the_newest_first_whole_or_an_error(subject):
    ids = [subject.publisher.publish(post_of(subject, f"Number {n}")).remote_id for n in range(6)]
    newest = ids[::-1]
    assert [read.id for read in own(subject)] == newest
    assert [read.id for read in own(subject, ids[2])] == newest[:3]
    assert own(subject, ids[5]) == []
    assert [read.id for read in own(subject, limit=5)] == newest[:5]
    with pytest.raises(TooManyPosts):
        own(subject, ids[0], 4)


def test_posts_over_many_pages_are_all_read(subject, monkeypatch):
    for place in ("bot.bluesky_client.client.PAGE", "bot.mastodon_client.client.PAGE"):
        monkeypatch.setattr(place, 2)
    ids = [subject.publisher.publish(post_of(subject, f"Number {n}")).remote_id for n in range(7)]
    assert [read.id for read in own(subject, ids[0])] == ids[:0:-1]


def test_a_later_key_is_later_whatever_the_clock_says(subject):
    """A clock that was set back gives no key before those that are known: what came later has to be read as later."""
    long_ago = datetime.now(UTC) - timedelta(days=3)
    first = subject.publisher.publish(post_of(subject, "First"))
    post = replace(
        post_of(subject, "Second"), key=subject.publisher.key(next(_rows), long_ago, first.remote_id)
    )
    second = subject.publisher.publish(post)
    assert [read.id for read in own(subject, first.remote_id)] == [second.remote_id]

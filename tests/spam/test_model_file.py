"""A model's file: what was saved is what is loaded, and what is not whole is refused with a sentence."""

from __future__ import annotations

import hashlib
import json
import pickle

import pytest

from bot.core.spam import Margin, SpamModel
from bot.core.spam_article import fit_centroids
from bot.core.spam_linear import Linear
from bot.errors import ConfigError
from bot.spam.model_file import LARGEST, load_model, save_model

MARGIN = Margin(low=-0.5, high=0.25)
LINEAR = SpamModel(judge=Linear(weights={" win": (2.0, 1.5), "meet": (1.5, -2.0)}, base=-0.25), margin=MARGIN)
ARTICLE = SpamModel(
    judge=fit_centroids(
        ["win a prize now", "win money now", "meet me at noon", "lunch at noon"], [True, True, False, False]
    ),
    margin=MARGIN,
)


@pytest.mark.parametrize("model", [LINEAR, ARTICLE], ids=["linear", "article"])
def test_a_loaded_model_judges_as_the_saved_one(model, tmp_path):
    save_model(model, tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.margin == MARGIN
    for text in ("win win a prize", "meet at noon", "", "неизвестно"):
        assert loaded.check(text)[0] == pytest.approx(model.check(text)[0], abs=1e-4)
        assert loaded.check(text)[1] == model.check(text)[1]
    assert loaded.check("win a prize")[0] > loaded.check("meet at noon")[0]
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def signed(body: object, version: int = 1) -> bytes:
    written = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = {"shinglebot_spam_model": version, "sha256": hashlib.sha256(written).hexdigest()}
    return json.dumps(head).encode() + b"\n" + written + b"\n"


class Evil:
    def __reduce__(self):
        return (pytest.fail, ("it ran",))


GOOD = {"method": "linear", "low": 0, "high": 1, "base": 0, "terms": [["a", 1, 1]]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no model of this bot"),
        (pickle.dumps(Evil()), "no model of this bot"),
        (b"\xff\xfe" * 50, "no model of this bot"),
        (signed(GOOD, version=2), "another version"),
        (signed(GOOD).replace(b'"high": 1', b'"high": 2'), "checksum"),
        (signed(GOOD)[:-20], "checksum"),
        (signed(b"[" * 100_000), "no model of this bot, or damaged"),
        (signed([]), "no table"),
        (signed(GOOD | {"method": "os.system"}), "method"),
        (signed(GOOD | {"low": 2}), "upside down"),
        (signed(b'{"method": "linear", "low": NaN, "high": 1}'), "a number"),
        (signed(b'{"method": "linear", "low": 1e999, "high": 1}'), "a number"),
        (signed(GOOD | {"low": 10**400}), "a number"),
        (signed(GOOD | {"base": True}), "a number"),
        (signed(GOOD | {"terms": {"a": 1}}), "no list of terms"),
        (signed(GOOD | {"terms": [["a", 1]]}), "not its numbers"),
        (signed(GOOD | {"terms": [["a" * 1000, 1, 1]]}), "no short text"),
        (signed(GOOD | {"terms": [["a", 0, 1]]}), "rarity"),
        (b"x" * (LARGEST + 1), "larger than"),
    ],
)
def test_what_is_no_whole_model_is_refused_with_a_sentence(data, said, tmp_path):
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(ConfigError, match=said) as refused:
        load_model(tmp_path / "m")
    assert str(tmp_path / "m") in str(refused.value)
    assert "shinglebot spam train" in str(refused.value)


def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_model(tmp_path / "none")

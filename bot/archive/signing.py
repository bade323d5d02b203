"""Documents to arrays: what the index keeps of a text. It runs in processes of its own, one a core.

A text of fewer than `SHORT` words, a headline or a post, gets the engine's signature and its keys beside its runs:
one changed word leaves such a text hardly a run of five.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bot.archive.methods import METHODS
from bot.archive.words import Hashes, hashed, words_of_document
from bot.core.signature import Signature, candidate_keys, encode, sign

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.archive.model import Document, Reading

SHORT: Final = 60
"""Words below which the engine for headlines is asked as well; it reads 32 of a title and 60 of a summary."""
_LONGEST_SIGNED: Final = 4_000


class Signed(NamedTuple):
    """A batch of documents as arrays, laid end to end.

    Attributes:
        words, keys: of all documents, one after another.
        word_counts, key_counts: how many of them are each document's.
        signatures: the engine's signature of each, encoded, b"" for a long text.
    """

    words: Hashes
    word_counts: list[int]
    keys: Hashes
    key_counts: list[int]
    signatures: list[bytes]


def sign_batch(documents: Sequence[Document], reading: Reading) -> Signed:
    """Make the arrays of a batch."""
    method = METHODS[reading.method]
    words: list[Hashes] = []
    keys: list[Hashes] = []
    signatures: list[bytes] = []
    for document in documents:
        found = hashed(words_of_document(document), reading.stop_words)
        made = method.keys(found, reading.width)
        blob = b""
        if reading.method == "exact" and len(found) < SHORT:
            signature = signature_of(document)
            blob = encode(signature)
            made = np.union1d(made, folded(candidate_keys(signature)))
        words.append(found)
        keys.append(made)
        signatures.append(blob)
    return Signed(
        joined(words),
        [len(found) for found in words],
        joined(keys),
        [len(made) for made in keys],
        signatures,
    )


def signature_of(document: Document) -> Signature:
    """Give the engine's signature of a short text."""
    return sign(document.title, document.text[:_LONGEST_SIGNED])


def folded(keys: Iterable[int]) -> Hashes:
    """Give the engine's 64-bit keys as 32-bit ones."""
    wide = np.array(list(keys), dtype=np.int64).astype(np.uint64)
    return ((wide * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)).astype(np.uint32)


def joined(arrays: Sequence[Hashes]) -> Hashes:
    """Lay arrays end to end."""
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.uint32)

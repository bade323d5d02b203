"""The archive at scale: time, memory and growth beside peers, and what is found and wrongly taken.

    python bench/archive.py speed --data DIR [--count 118000]
    python bench/archive.py growth --data DIR --counts 10000 100000 [--peers-python PYTHON]
    python bench/archive.py pairs --data DIR
    python bench/archive.py edits --data DIR
    python bench/archive.py read --data DIR        (prints stories, for reading them)

PYTHON is an interpreter that has datasketch, rensa, gaoya and text-dedup; peers get the same texts, read from one file.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from archive_texts import EDITS, QUOTED, archive, articles, quoted

from bot.archive.dedup import dedup
from bot.archive.index import Index
from bot.archive.meeting import holders
from bot.archive.methods import METHODS
from bot.archive.model import Document, Judging, Reading
from bot.archive.readers import Fields, read
from bot.archive.signing import sign_batch
from bot.archive.verdicts import weigh
from bot.archive.weighing import Scales
from bot.archive.words import hashed, numbers_in, runs, words_of_document, words_of_text

EXACT = METHODS["exact"]


def made(data: Path, count: int, folder: Path) -> Path:
    """Write an archive of JSON lines."""
    path = folder / f"{count}.jsonl"
    with path.open("w") as file:
        for key, text in archive(data, count):
            file.write(json.dumps({"id": key, "text": text}, ensure_ascii=False) + "\n")
    return path


def cpu() -> float:
    """Give the seconds of computing of this process and of its children that ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def speed(data: Path, count: int) -> None:
    """Print time and memory from the file to the stories, and of single checks."""
    with tempfile.TemporaryDirectory() as folder:
        path = made(data, count, Path(folder))
        lengths = [len(words_of_text(json.loads(line)["text"])) for line in path.open().readlines()[:5000]]
        print(f"{count:,} articles, {path.stat().st_size >> 20} MB, median {median(lengths):.0f} words")
        line(path, Path(folder) / "index", keep=True)
        with Index(Path(folder) / "index", writing=False) as index:
            checks(data, index)


def line(path: Path, folder: Path, *, keep: bool = False) -> None:
    """Run the whole way over one archive and print a line."""
    begun, used = time.perf_counter(), cpu()
    with Index(folder, writing=True) as index:
        found = dedup(index, read(path, Fields(names={})), Reading(), Judging(), processes=2)
        right = wrong = 0
        for copy, lead in index.db.execute(
            "select c.key, l.key from copies join documents c on c.number = copies.number"
            " join documents l on l.number = copies.lead"
        ):
            same = copy.split("/")[0] == lead.split("/")[0]
            right, wrong = right + same, wrong + (not same)
        copies = index.db.execute("select count(*) from documents where key like '%/%'").fetchone()[0]
    seconds, used = time.perf_counter() - begun, cpu() - used
    own, child = (
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    peak = (own + 2 * child) >> 10  # the largest of the two processes is known, not both
    print(
        f"| shinglebot | {found.total:,} | {seconds:.0f} | {used:.0f} | {1000 * used / found.total:.2f} | {peak} |"
        f" {right / max(1, copies):.3f} | {right / max(1, right + wrong):.4f} | {found.pairs:,} pairs",
        flush=True,
    )
    if not keep:
        Index.remove(folder)


def checks(data: Path, index: Index) -> None:
    """Print how long it takes to look one text up: read, signed, met, weighed."""
    scales = Scales(index, Reading(), Judging())
    draw = random.Random(7)
    texts = [item["text"] for item in articles(data)]
    took, parts = [], []
    for text in draw.sample(texts, 1000):
        begun = time.process_time()
        words = hashed(words_of_text(text))
        middle = time.process_time()
        numbers, shared = np.unique(holders(index.met, EXACT.keys(words, 3), 64), return_counts=True)
        features = EXACT.features(words, 3)
        for number in numbers[np.argsort(-shared, kind="stable")[:4]].tolist():
            weigh(features, EXACT.features(index.words_of(number), 3), Judging().level)
        took.append(1000 * (time.process_time() - begun))
        parts.append(1000 * (middle - begun))
    del scales
    print(
        f"a check, ms of computing: median {median(took):.2f} ms (of it {median(parts):.2f} to read the text), "
        f"p99 {quantiles(took, n=100)[98]:.2f} ms; limit 1 in the median"
    )


def growth(data: Path, counts: list[int], python: str | None) -> None:
    """Print a line for each size, beside the peers on the same texts."""
    print(
        "| who | texts | s | CPU s | CPU ms a text | MB | copies found | precision |\n|---|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            path = made(data, count, Path(folder))
            subprocess.run(
                [sys.executable, __file__, "line", "--path", path, "--folder", f"{folder}/index"], check=True
            )
            if python:
                for peer in ("rensa", "gaoya", "datasketch", "text-dedup"):
                    subprocess.run(
                        [python, Path(__file__).with_name("archive_peers.py"), peer, path], check=False
                    )
            path.unlink()


def pairs(data: Path) -> None:
    """Print what becomes of all pairs with exact resemblance of .5 and more, found by brute force."""
    sets: dict[str, list[Document]] = {
        f"news, {lang}": [
            Document(item["url"], item["title"], item["text"])
            for item in articles(data)
            if item["lang"] == lang
        ]
        for lang in ("ru", "en")
    }
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt") as file:
        sets["Telegram posts"] = [
            Document(str(at), "", json.loads(text)["text"]) for at, text in enumerate(file)
        ]
    print(
        "| archive | texts | pairs >= .5 | candidates | same numbers | judged copies | in one story |\n|---|---|---|---|---|---|---|"
    )
    for name, documents in sets.items():
        texts = [hashed(words_of_document(document)) for document in documents]
        alike = brute_force(texts)
        signed = sign_batch(documents, Reading())
        ends = np.cumsum(signed.key_counts)
        keys = [
            frozenset(signed.keys[end - count : end].tolist())
            for end, count in zip(ends, signed.key_counts, strict=True)
        ]
        with tempfile.TemporaryDirectory() as folder, Index(Path(folder) / "i", writing=True) as index:
            dedup(index, documents, Reading(), Judging(), processes=1)
            leads = dict(index.db.execute("select number, lead from copies"))
            scales = Scales(index, Reading(), Judging())
            numbers = [index.number_of(document.key) for document in documents]
            met = sum(not keys[one].isdisjoint(keys[other]) for one, other in alike)
            same = [pair for pair in alike if numbers_in(texts[pair[0]]) == numbers_in(texts[pair[1]])]
            copies = sum(scales.weigh(numbers[one], numbers[other]).is_copy for one, other in same)
            together = sum(
                leads.get(numbers[one], numbers[one]) == leads.get(numbers[other], numbers[other])
                for one, other in same
            )
        print(
            f"| {name} | {len(documents):,} | {len(alike):,} | {met / len(alike):.4f} | {len(same):,} |"
            f" {copies / len(same):.4f} | {together / len(same):.4f} |",
            flush=True,
        )


def brute_force(texts: list[np.ndarray]) -> list[tuple[int, int]]:
    """Give every pair with a resemblance of .5 and more over runs of three words, through all runs in common."""
    sets = [np.unique(runs(words, 3)) for words in texts]
    by_run: dict[int, list[int]] = {}
    found = []
    for number, own in enumerate(sets):
        counts: dict[int, int] = {}
        for run in own.tolist():
            there = by_run.setdefault(run, [])
            for other in there:
                counts[other] = counts.get(other, 0) + 1
            there.append(number)
        found += [
            (other, number)
            for other, shared in counts.items()
            if shared >= 0.5 * (len(own) + len(sets[other]) - shared)
        ]
    return found


def edits(data: Path) -> None:
    """Print how many edited copies of real articles are found, and by what."""
    draw = random.Random(3)
    news = [item for item in articles(data) if len(item["text"].split()) >= 100]
    draw.shuffle(news)
    originals = news[:1000]
    others = (
        [item["text"] for item in news[1000:] if item["lang"] == "ru"],
        [item["text"] for item in news[1000:] if item["lang"] == "en"],
    )
    print("| edit | candidates | judged copies |\n|---|---|---|")
    for name, edit in {**EDITS, QUOTED: quoted}.items():
        met = copies = 0
        for item in originals:
            one = hashed(words_of_text(item["text"]))
            other = hashed(words_of_text(edit(item["text"], draw, others[item["lang"] == "en"])))
            met += bool(np.intersect1d(EXACT.keys(one, 3), EXACT.keys(other, 3)).size)
            copies += EXACT.weigh(EXACT.features(one, 3), EXACT.features(other, 3), Judging().level).is_copy
        print(f"| {name} | {met / len(originals):.3f} | {copies / len(originals):.3f} |", flush=True)


def to_read(data: Path) -> None:
    """Print 100 copies of each real archive with their leads, drawn at random, for a person."""
    news = [Document(item["url"], item["title"], item["text"]) for item in articles(data)]
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt") as file:
        posts = [Document(str(at), "", json.loads(text)["text"]) for at, text in enumerate(file)]
    for documents in (news, posts):
        with tempfile.TemporaryDirectory() as folder, Index(Path(folder) / "i", writing=True) as index:
            dedup(index, documents, Reading(), Judging(), processes=2)
            by_key = {document.key: document for document in documents}
            rows = index.db.execute(
                "select c.key, l.key, resemblance, of_copy, of_lead from copies join documents c"
                " on c.number = copies.number join documents l on l.number = copies.lead"
            ).fetchall()
        for copy, lead, *shares in random.Random(5).sample(rows, 100):
            print("\n==", *(f"{share:.2f}" for share in shares))
            for key in (lead, copy):
                print("--", by_key[key].title, "|", " ".join(by_key[key].text.split())[:260])


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "growth", "pairs", "edits", "read", "line"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=118_000)
    parser.add_argument("--counts", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--peers-python")
    parser.add_argument("--path", type=Path)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    match options.what:
        case "speed":
            speed(options.data, options.count)
        case "growth":
            growth(options.data, options.counts, options.peers_python)
        case "pairs":
            pairs(options.data)
        case "edits":
            edits(options.data)
        case "read":
            to_read(options.data)
        case "line":
            line(options.path, options.folder)


if __name__ == "__main__":
    main()

"""One peer over an archive of JSON lines that `bench/archive.py` made: time, memory, and the copies found.

    PYTHON bench/archive_peers.py rensa|gaoya|datasketch|text-dedup FILE

Each is given runs of five words as features, with 32 bands of 4 of its 128 min-values. A copy counts as found when its original or
another copy of that is among what the peer gives for it; precision is the share of the texts given anything for which that is so.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WORD = re.compile(r"\w+")


def features(text: str) -> list[str]:
    """Give the runs of five words."""
    words = WORD.findall(text.lower())
    return [" ".join(words[at : at + 5]) for at in range(max(1, len(words) - 4))]


def rensa() -> Callable[[int, str], Iterable[int]]:
    """Give the look-up-and-add of rensa."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=0.5, num_perm=128, num_bands=32)

    def take(number: int, text: str) -> list[int]:
        signed = RMinHash(num_perm=128, seed=1)
        signed.update(features(text))
        found = index.query(signed)
        index.insert(number, signed)
        return found

    return take


def datasketch() -> Callable[[int, str], Iterable[int]]:
    """Give that of datasketch."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=128, params=(32, 4))

    def take(number: int, text: str) -> list[int]:
        signed = MinHash(num_perm=128)
        signed.update_batch([run.encode() for run in features(text)])
        found = index.query(signed)
        index.insert(number, signed)
        return found

    return take


def gaoya() -> Callable[[int, str], Iterable[int]]:
    """Give that of gaoya, which makes the runs itself."""
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.3,
        num_bands=32,
        band_size=4,
        analyzer="word",
        lowercase=True,
        ngram_range=(5, 5),
    )

    def take(number: int, text: str) -> list[int]:
        found = index.query(text)
        index.insert_document(number, text)
        return found

    return take


def text_dedup(path: Path) -> tuple[int, None, None]:
    """Run text-dedup as a command; return how many texts it read."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "text_dedup.minhash",
            "--path",
            "json",
            "--data_files",
            str(path),
            "--split",
            "train",
        ]
        command += [
            "--cache_dir",
            folder,
            "--output",
            f"{folder}/out",
            "--column",
            "text",
            "--ngram",
            "5",
            "--num_perm",
            "128",
        ]
        command += ["--b", "32", "--r", "4", "--num_proc", "2", "--batch_size", "1000"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            print(f"| text-dedup | does not run: {ended.stderr.strip().splitlines()[-1][:150]} |")
            sys.exit(1)
    return sum(1 for _ in path.open()), None, None


def run(path: Path, take: Callable[[int, str], Iterable[Any]]) -> tuple[int, float, float]:
    """Look up and add every text; return the count, the share of copies found, and the precision."""
    bases: list[str] = []
    copies = right = given = 0
    with path.open() as file:
        for number, line in enumerate(file):
            record = json.loads(line)
            base, _, copy = record["id"].partition("/")
            found = list(take(number, record["text"]))
            same = any(bases[other] == base for other in found)
            copies += bool(copy)
            right += bool(copy) and same
            given += bool(found)
            bases.append(base)
    return len(bases), right / copies, right / given


def main() -> None:
    """Run the peer that the command line names."""
    peer, path = sys.argv[1], Path(sys.argv[2])
    begun = time.perf_counter()
    if peer == "text-dedup":
        count, found, precision = text_dedup(path)
    else:
        count, found, precision = run(
            path, {"rensa": rensa, "gaoya": gaoya, "datasketch": datasketch}[peer]()
        )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(part.ru_utime + part.ru_stime for part in used)
    shares = " | ".join("-" if share is None else f"{share:.3f}" for share in (found, precision))
    print(
        f"| {peer} | {count:,} | {time.perf_counter() - begun:.0f} | {cpu:.0f} | {1000 * cpu / count:.2f} |"
        f" {max(part.ru_maxrss for part in used) >> 10} | {shares} |",
        flush=True,
    )


if __name__ == "__main__":
    main()

"""Recorded feeds: folders or tar archives of snapshots, merged in order of time.

A snapshot is a file `<UTC time>_<anything>.xml`, its time written as 20200421T004301Z. A folder that holds
snapshots is one feed, and so is a tar archive (plain or compressed); its name is the feed's. A folder of such
folders and archives is all of them.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from types import TracebackType
    from typing import Self

_NAME: Final = re.compile(r"(\d{8}T\d{6}Z)_[^/]*\.xml$")
_ARCHIVE: Final = re.compile(r"\.(tar|tar\.(gz|bz2|xz)|tgz|tbz2|txz)$")

SNAPSHOT_CAP: Final = 50 * 1024 * 1024
"""Bytes: a larger member of an archive is no feed."""


@dataclass(frozen=True, slots=True, order=True)
class Snapshot:
    """One recorded body of one feed.

    Attributes:
        at: when it was recorded (aware UTC).
        feed: the feed's name.
        path: where its bytes are.
    """

    at: datetime
    feed: str
    path: Path


class Snapshots:
    """The snapshots of one replay; a context manager, because archives are unpacked into a temporary folder.

    Attributes:
        ignored: files that are no snapshots, by path; a member of an archive as "archive: member".
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = places
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._found: list[Snapshot] = []
        self.ignored: list[str] = []

    def __enter__(self) -> Self:
        return self if self._temporary else self.open()

    def open(self) -> Self:
        """Find and unpack everything; raise ConfigError when a place holds no recording. `with` closes it."""
        self._temporary = tempfile.TemporaryDirectory(prefix="shinglebot-replay-")
        try:
            for place in self._places:
                self._add(place)
            self._require_some()
        except BaseException:
            self._temporary.cleanup()
            raise
        self._found.sort()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(self._found)

    @property
    def feeds(self) -> list[str]:
        """The names of the feeds, sorted."""
        return sorted({snapshot.feed for snapshot in self._found})

    def keep(self, feeds: Container[str]) -> None:
        """Leave out the snapshots of all other feeds."""
        self._found = [snapshot for snapshot in self._found if snapshot.feed in feeds]

    def _add(self, place: Path) -> None:
        if not place.exists():
            raise ConfigError(f"{place} does not exist")
        if place.is_file():
            if not _ARCHIVE.search(place.name):
                raise ConfigError(
                    f"{place} is neither a folder nor a tar archive (.tar, .tar.gz, .tar.bz2, .tar.xz)"
                )
            self._add_archive(place)
            return
        before = len(self._found)
        for path in sorted(place.iterdir()):
            if path.is_symlink() and path.is_dir():
                self.ignored.append(str(path))  # a folder that leads back to itself has no end
            elif path.is_dir() or _ARCHIVE.search(path.name):
                self._add(path)
            else:
                self._add_file(path.name, place.resolve().name, path, label=str(path))
        if len(self._found) == before and not any(place.iterdir()):
            raise ConfigError(f"the folder {place} holds no files")

    def _require_some(self) -> None:
        if not self._found:
            raise ConfigError(
                "no snapshots found: give folders or tar archives of files named like 20200421T004301Z_1a2b.xml"
            )

    def _add_file(self, name: str, feed: str, path: Path, *, label: str) -> bool:
        at = _time_of(name)
        if at is None:
            self.ignored.append(label)
            return False
        self._found.append(Snapshot(at=at, feed=feed, path=path))
        return True

    def _add_archive(self, place: Path) -> None:
        feed = _ARCHIVE.sub("", place.name)
        assert self._temporary is not None  # noqa: S101 - entered
        folder = Path(tempfile.mkdtemp(dir=self._temporary.name))
        try:
            with tarfile.open(place) as archive:
                for number, member in enumerate(archive):
                    name = member.name.rsplit("/", 1)[-1]
                    file = (
                        archive.extractfile(member)
                        if member.isfile() and member.size <= SNAPSHOT_CAP
                        else None
                    )
                    label = f"{place}: {member.name}"
                    if file is None:
                        if not member.isdir():
                            self.ignored.append(label)
                        continue
                    target = folder / f"{number}.xml"
                    if self._add_file(name, feed, target, label=label):
                        target.write_bytes(file.read())
        except (tarfile.TarError, EOFError, OSError, ValueError) as error:
            raise ConfigError(f"{place} cannot be read as a tar archive: {error}") from error


def _time_of(name: str) -> datetime | None:
    match = _NAME.search(name)
    if match is None:
        return None
    try:
        return datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None

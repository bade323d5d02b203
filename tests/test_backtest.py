from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.errors import ConfigError
from bot.snapshots import Snapshots

ITEM = "<item><guid>{id}</guid><link>https://example.com/{id}</link><title>{title}</title><pubDate>{date}</pubDate></item>"
FIELDS = ["time", "feed", "guid", "link", "title", "published", "verdict", "reason", "of", "resemblance"]


def body(*items: tuple[str, str], date: str = "Mon, 30 Nov 2026 08:00:00 GMT") -> bytes:
    inside = "".join(ITEM.format(id=key, title=title, date=date) for key, title in items)
    return f'<rss version="2.0"><channel><title>F</title><link>https://example.com/</link><description/>{inside}</channel></rss>'.encode()


SNAPSHOTS = {
    "20261130T090000Z_a.xml": body(("1", "The ferry is back")),
    "20261130T100000Z_b.xml": b"<!DOCTYPE html><html><body>502</body></html>",
    "20261130T110000Z_c.xml": b"",
    "20261130T120000Z_d.xml": body(
        ("2", "Council votes for the bridge"), ("1", "The ferry to Gull Island is back")
    ),
    "20261130T130000Z_e.xml": body(
        ("2", "Council votes for the bridge"), ("1", "The ferry to Gull Island is back")
    ),
}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "gazette"
    place.mkdir()
    for name, content in SNAPSHOTS.items():
        (place / name).write_bytes(content)
    (place / "README.txt").write_text("not a snapshot")
    return place


def archive(folder: Path, mode: str, name: str) -> Path:
    path = folder.parent / name
    with tarfile.open(path, mode) as tar:
        for member, content in SNAPSHOTS.items():
            info = tarfile.TarInfo(f"./{member}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def replayed(*arguments: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(group, ["replay", "--json", *arguments])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_distinct_entry_is_one_object_the_first_time_it_is_seen(folder):
    found = replayed(str(folder))
    assert [(o["title"], o["verdict"], o["reason"]) for o in found] == [
        ("The ferry is back", "seeded", "first_run"),
        ("The ferry to Gull Island is back", "duplicate", "same_guid"),
        ("Council votes for the bridge", "fresh", "new"),
    ]
    assert all(set(FIELDS) <= set(o) for o in found)
    assert found[0] == {
        "time": "2026-11-30T09:00:00Z",
        "feed": "gazette",
        "guid": "1",
        "link": "https://example.com/1",
        "title": "The ferry is back",
        "published": "2026-11-30T08:00:00Z",
        "verdict": "seeded",
        "reason": "first_run",
        "of": None,
        "resemblance": None,
    }
    assert found[1]["of"] == {
        "link": "https://example.com/1",
        "title": "The ferry is back",
        "feed": "gazette",
        "time": "2026-11-30T09:00:00Z",
    }


@pytest.mark.parametrize(
    ("mode", "name"), [("w:xz", "gazette.tar.xz"), ("w:gz", "gazette.tgz"), ("w", "gazette.tar")]
)
def test_an_archive_is_read_like_a_folder(folder, mode, name):
    assert replayed(str(archive(folder, mode, name))) == replayed(str(folder))


def test_several_feeds_are_merged_in_order_of_time(folder):
    other = folder.parent / "wire"
    other.mkdir()
    (other / "20261130T093000Z_x.xml").write_bytes(body(("9", "Begin")))
    (other / "20261130T123000Z_y.xml").write_bytes(body(("10", "Council votes for the bridge")))
    found = replayed(str(folder.parent))
    assert [o["time"] for o in found] == sorted(o["time"] for o in found)
    assert found[-1]["feed"] == "wire"
    assert {o["feed"] for o in found} == {"gazette", "wire"}


def test_options_override_the_defaults(folder):
    assert replayed(str(folder), "--first-run", "all")[0]["verdict"] == "fresh"
    assert replayed(str(folder), "--max-age", "1h")[-1]["reason"] == "too_old"
    bad = CliRunner().invoke(group, ["replay", str(folder), "--max-age", "soon"])
    assert bad.exit_code == 2
    assert "--max-age" in bad.output


def test_held_entries_are_released_or_kept(folder):
    quiet = {f"{n:02}": f"Story {n}" for n in range(40)}
    (folder / "20261130T140000Z_f.xml").write_bytes(
        body(*quiet.items(), date="Mon, 30 Nov 2026 13:30:00 GMT")
    )
    kept = replayed(str(folder), "--held", "keep")
    assert sum(o["verdict"] == "held" for o in kept) == 40
    released = replayed(str(folder))
    assert sum(o["reason"] == "released" and o["verdict"] == "fresh" for o in released) == 40


def test_the_table_names_what_could_not_be_read_and_the_rate(folder):
    done = CliRunner().invoke(group, ["replay", str(folder)])
    assert done.exit_code == 0
    assert "unreadable 1 x gazette" in done.output
    assert "snapshots a second" in done.output
    assert "README.txt" in done.output


@pytest.mark.parametrize("make", ["missing", "empty", "text", "torn"])
def test_what_is_no_recording_is_a_sentence(tmp_path, make):
    place = tmp_path / "x.tar"
    if make == "empty":
        place = tmp_path
    elif make == "text":
        place = tmp_path / "x.txt"
        place.write_text("x")
    elif make == "torn":
        place.write_bytes(b"x" * 100)
    with pytest.raises(ConfigError, match=r"x.t|holds no files"), Snapshots([place]):
        pass


def test_an_archive_without_snapshots_hides_no_other_and_what_it_holds_is_named(tmp_path):
    for name, member in (("a.tar", "notes/README.txt"), ("b.tar", "20261130T090000Z_b.xml")):
        with tarfile.open(tmp_path / name, "w") as tar:
            info = tarfile.TarInfo(member)
            info.size = 4
            tar.addfile(info, io.BytesIO(b"text"))
    with Snapshots([tmp_path]) as found:
        assert found.feeds == ["b"]
        assert found.ignored == [f"{tmp_path / 'a.tar'}: notes/README.txt"]


def test_a_member_cannot_leave_the_temporary_folder(tmp_path):
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as tar:
        info = tarfile.TarInfo("../../../../tmp/20261130T090000Z_evil.xml")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"evil"))
        link = tarfile.TarInfo("20261130T100000Z_link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with Snapshots([path]) as found:
        assert [s.path.read_bytes() for s in found] == [b"evil"]
        assert found.ignored == [f"{path}: 20261130T100000Z_link.xml"]
    assert not Path("/tmp/20261130T090000Z_evil.xml").exists()  # noqa: S108 - the place that it aimed at

"""The documents tell the truth: every command, every key, every room."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import bot
from bot.cli import group

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(path, command)] if path else []
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            found += commands(child, (*path, name))
    return found


ALL = commands(group)


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_every_command_has_help_and_stands_in_the_readme(path, command):
    assert command.help
    assert command.help.strip().endswith((".", ")")) or "\n" in command.help
    assert f"shinglebot {path[0]}" in README
    assert path[-1] in README
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{path} {parameter.name}"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_pages_name_only_commands_that_exist(page):
    known = {path[0] for path, _ in ALL}
    text = page.read_text(encoding="utf-8")
    in_code = re.findall(r"`[^`\n]+`", text) + re.findall(r"```.*?```", text, re.DOTALL)
    for code in in_code:
        for name in re.findall(r"\bshinglebot ([a-z]+)\b", code):
            assert name in known, name


def test_the_code_map_names_every_room_and_only_rooms():
    package = Path(bot.__file__).parent
    rooms = {f"bot/{p.name}/" for p in package.iterdir() if p.is_dir() and p.name != "__pycache__"}
    rooms |= {f"bot/{p.name}" for p in package.glob("*.py") if not p.name.startswith("__")}
    named = set(re.findall(r"`(bot/[\w/]+(?:\.py|/))`", ARCHITECTURE))
    assert {room for room in named if room.count("/") == 1 or room.endswith("/")} == rooms


def test_every_target_of_make_that_the_documents_name_exists_and_has_its_line_of_help():
    targets = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    for document in (README, ARCHITECTURE, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for line in re.findall(r"make ((?:[a-z-]+ ?)+?)(?:`|\s{2}|$)", document, re.MULTILINE):
            assert set(line.split()) <= targets, line


def anchors(text: str) -> set[str]:
    """The names that a page's headings get on the web."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_what_a_page_links_to_is_there(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), target


def test_the_readme_leads_to_every_page():
    for page in (ROOT / "docs").glob("*.md"):
        assert f"](docs/{page.name})" in README, page


def test_exit_codes_of_the_readme_are_the_codes():
    from bot.cli import exits

    for code in (exits.OK, exits.FAILED, exits.USAGE, exits.TEMPORARY, exits.CONFIG):
        assert f"`{code}`" in README


def test_the_unit_starts_what_is_there():
    unit = (ROOT / "systemd" / "shinglebot@.service").read_text(encoding="utf-8")
    assert "shinglebot --config /etc/shinglebot/%i.toml run" in unit
    assert "RestartPreventExitStatus=78" in unit


def test_versions_agree():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert bot.__version__
    assert "## Unreleased" in changelog

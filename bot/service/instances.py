"""An instance of the service by its name: where its configuration, its state and its secrets are, and who owns them.

The shipped unit runs `shinglebot@NAME` as a user that systemd makes for it, with its state in a directory that no other
user may enter. A command of the operator's that is to write there must do it as that user: a file of root's would lock the bot out.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import ConfigError, StateError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,19}")
"""Of an instance: what stands as it is in the names of a unit and of its user, which has 31 characters at most."""

LARGEST_SECRET: Final = 65_536
"""Bytes of a credential."""

INSIDE: Final = "SHINGLEBOT_INSTANCE"
"""Set in the environment of a command that runs as the instance's user already."""

REMEDY: Final = "install the bot to /opt/shinglebot, with a Python that is in no home directory"

_LINE: Final = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_NEEDED: Final = ("unshare", "setpriv", "mount", "sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """Where the parts of one instance are.

    Attributes:
        name: what stands after the @ of its unit.
        root: of the file system, "/" but in tests.
    """

    name: str
    root: Path = Path("/")

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ConfigError(
                f"{self.name!r} is no name of an instance: it has letters, digits, '-' and '_', at most 20"
            )

    @property
    def config(self) -> Path:
        """Its configuration."""
        return self.root / "etc/shinglebot" / f"{self.name}.toml"

    @property
    def credentials(self) -> Path:
        """The directory of its secrets, a file each."""
        return self.root / "etc/shinglebot" / f"{self.name}.credentials"

    @property
    def sealed(self) -> Path:
        """The directory of those that `systemd-creds` has sealed."""
        return self.root / "etc/shinglebot" / f"{self.name}.encrypted"

    @property
    def environment_file(self) -> Path:
        """Secrets the older way, a line each."""
        return self.root / "etc/shinglebot" / f"{self.name}.env"

    @property
    def state(self) -> Path:
        """Its state directory."""
        return self.root / "var/lib/shinglebot" / self.name

    @property
    def seen_at(self) -> Path:
        """Where its state directory is shown to a command that runs as its user."""
        return self.root / "run/shinglebot" / self.name

    def require(self) -> None:
        """Raise ConfigError, which names the instances that there are, when there is no configuration of it."""
        try:
            if self.config.is_file():
                return
            known = sorted(path.stem for path in self.config.parent.glob("*.toml"))
        except PermissionError:
            raise ConfigError(f"{self.config.parent} may not be looked at by this user: use sudo") from None
        there = f"there are {', '.join(known)}" if known else "there is none yet"
        raise ConfigError(
            f"there is no instance {self.name}: {self.config} does not exist ({there}); "
            f"`shinglebot service install --instance {self.name}` makes it"
        )

    def owner(self) -> tuple[int, int] | None:
        """Return the uid and gid that own its state; None where there is no state yet. Raises StateError."""
        try:
            found = self.state.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateError(f"{self.state} may not be looked at ({error.strerror}): use sudo") from error
        if not stat.S_ISDIR(found.st_mode):
            raise StateError(f"{self.state} is no directory: move it away; the service makes its own")
        return found.st_uid, found.st_gid

    def secrets(self) -> dict[str, str]:
        """Return its secrets by name, as the unit hands them over; what is sealed is opened by `systemd-creds`.

        Raises ConfigError when one of them cannot be read.
        """
        found = _lines_of(self.environment_file)
        for path in _files_in(self.sealed):
            found[path.name] = self._opened(path)
        for path in _files_in(self.credentials):
            found[path.name] = _text_of(path)
        return found

    def _opened(self, path: Path) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - the command is systemd's, the path ours
                ["systemd-creds", "decrypt", f"--name=sealed_{path.name}", str(path), "-"],  # noqa: S607 - on the PATH
                check=False,
                capture_output=True,
                timeout=30,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"{path} is sealed, and systemd-creds cannot be run: {error}") from None
        if done.returncode != 0:
            why = done.stderr.decode(errors="replace").strip().splitlines()
            raise ConfigError(
                f"{path} cannot be opened by systemd-creds: {why[-1] if why else 'it does not say why'}"
            )
        return done.stdout.decode(errors="replace").rstrip("\r\n")


def hidden(executable: Path) -> bool:
    """Say whether a program, or what it is a link to, is in a home directory: the unit sees none."""
    homes = (Path("/home"), Path("/root"), Path("/run/user"))
    return any(
        path.is_relative_to(home) for path in (executable.absolute(), executable.resolve()) for home in homes
    )


def environment_of(instance: Instance, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a command for `instance`: its state directory and its secrets beside what is there."""
    return {
        **environment,
        **instance.secrets(),
        "STATE_DIRECTORY": str(instance.seen_at),
        INSIDE: instance.name,
    }


def command_as_owner(instance: Instance, owner: tuple[int, int], command: Sequence[str]) -> list[str]:
    """Return what runs `command` as the owner of the instance's state, which is shown to it at `seen_at`.

    The state of a unit with DynamicUser lies beneath a directory that only root may enter, so it is bound to another place,
    in a mount namespace that ends with the command.
    """
    uid, gid = owner
    return [
        "unshare", "--mount", "--propagation", "private",
        "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh",
        str(instance.state.resolve()), str(instance.seen_at),
        "setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs",
        *command,
    ]  # fmt: skip


def become(instance: Instance, arguments: Sequence[str]) -> None:
    """Replace this process by one that runs `arguments` as the instance's user does; return when it is that one already.

    A user who is not root is left who they are, and told by the first file that they may not read.

    Raises:
        ConfigError, StateError: there is no such instance, or its files cannot be used.
    """
    instance.require()
    if os.environ.get(INSIDE) == instance.name:
        return
    if os.geteuid() != 0:
        os.environ["STATE_DIRECTORY"] = str(instance.state)
        return
    owner = instance.owner()
    if owner is None:
        raise StateError(
            f"{instance.state} does not exist yet: `systemctl start shinglebot@{instance.name}` makes it, "
            f"and `shinglebot --config {instance.config} check` needs no state"
        )
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        raise StateError(f"{', '.join(missing)} cannot be found: install util-linux")
    instance.seen_at.mkdir(mode=0o755, parents=True, exist_ok=True)
    if hidden(Path(sys.executable)):
        raise StateError(
            f"{sys.executable} is in a home directory, where the instance's user may not look: {REMEDY}"
        )
    command = [sys.executable, "-P", "-m", "bot", *arguments]
    line = command_as_owner(instance, owner, command)
    sys.stdout.flush()
    os.execvpe(line[0], line, environment_of(instance, os.environ))  # noqa: S606 - no shell reads the arguments


def _files_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{folder} cannot be read: {error.strerror}") from None


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_SECRET:
            raise ConfigError(f"{path} is larger than a secret may be, {LARGEST_SECRET} bytes")
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no UTF-8 text: write the secret anew") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def _lines_of(path: Path) -> dict[str, str]:
    """Return the variables of a file as systemd's EnvironmentFile= has them, as far as secrets go."""
    if not path.is_file():
        return {}
    found = {}
    for line in _text_of(path).splitlines():
        if (said := _LINE.fullmatch(line)) and not line.lstrip().startswith(("#", ";")):
            value = said[2].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[said[1]] = value[1:-1] if quoted else value
    return found

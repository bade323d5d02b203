"""An instance of the service written to disk: the units, the configuration and the secrets, planned first and then written.

What is there already and differs is never overwritten without a word: a person's configuration and secrets stay.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import ConfigError, StateError
from bot.service.instances import REMEDY, hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.service.instances import Instance

UNITS: Final = ("shinglebot@.service", "shinglebot-once@.service", "shinglebot-once@.timer")
PRIVATE_RANGES: Final = "shinglebot@.service.d/private-ranges.conf"
USUAL_EXECUTABLE: Final = "/opt/shinglebot/bin/shinglebot"

_UNIT_SAFE: Final = re.compile(r"/[A-Za-z0-9_./+-]+")
"""A path that stands in a unit as it is: without blanks, and without %, $ and \\ which mean something there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One file or directory to make.

    Attributes:
        path: of it.
        body: of the file; None for a directory.
        mode: its permissions.
        secret: whether the body is to be shown to nobody.
    """

    path: Path
    body: bytes | None
    mode: int
    secret: bool = False

    @property
    def is_done(self) -> bool:
        """Say whether it is there already, just so."""
        if self.body is None:
            return self.path.is_dir() and self.path.stat().st_mode & 0o777 == self.mode
        return (
            self.path.is_file()
            and self.path.read_bytes() == self.body
            and self.path.stat().st_mode & 0o777 == self.mode
        )

    def make(self) -> None:
        """Make it, whole or not at all; raise StateError when the disk refuses."""
        try:
            if self.body is None:
                self.path.mkdir(parents=True, exist_ok=True)
                self.path.chmod(self.mode)
                return
            self.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            draft = self.path.with_name(f".{self.path.name}.new")
            draft.unlink(missing_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.body)
                os.fchmod(descriptor, self.mode)
                file.flush()
                os.fsync(descriptor)
            draft.replace(self.path)
        except OSError as error:
            raise StateError(
                f"cannot write {self.path}: {error.strerror}; run this as root (sudo)"
            ) from error


def plan(
    instance: Instance,
    *,
    executable: Path,
    config: bytes | None,
    secrets: Mapping[str, str],
    private_ranges: bool,
) -> list[Step]:
    """Return what is to be made for `instance`, in the order of making.

    Args:
        instance: its name and the root of the file system.
        executable: what the units start.
        config: the configuration; None where the one that is there stays.
        secrets: by the names that the configuration gives them.
        private_ranges: whether private ranges are denied.

    Raises:
        ConfigError: the executable would not be seen by the service, there is no configuration, or another one is there.
    """
    _require_executable(executable)
    units = instance.root / "etc/systemd/system"
    steps = [Step(path=units / name, body=_unit(name, executable), mode=0o644) for name in UNITS]
    if private_ranges:
        steps.append(Step(path=units / PRIVATE_RANGES, body=unit_text(PRIVATE_RANGES), mode=0o644))
    if config is None:
        instance.require()
    else:
        if instance.config.is_file() and instance.config.read_bytes() != config:
            raise ConfigError(
                f"{instance.config} is there already, and differs: edit that one, or move it away"
            )
        steps.append(Step(path=instance.config, body=config, mode=0o644))
    steps += [Step(path=folder, body=None, mode=0o700) for folder in (instance.credentials, instance.sealed)]
    steps += [
        Step(path=instance.credentials / name, body=f"{value}\n".encode(), mode=0o600, secret=True)
        for name, value in sorted(secrets.items())
        if not (instance.sealed / name).exists()
    ]
    return steps


def unit_text(name: str) -> bytes:
    """Return a unit as it is shipped."""
    packaged = resources.files("bot.service").joinpath("units", *name.split("/"))
    if packaged.is_file():
        return packaged.read_bytes()
    return (Path(__file__).parents[2] / "systemd" / name).read_bytes()


def _unit(name: str, executable: Path) -> bytes:
    return unit_text(name).replace(USUAL_EXECUTABLE.encode(), str(executable).encode())


def _require_executable(executable: Path) -> None:
    if not _UNIT_SAFE.fullmatch(str(executable)):
        raise ConfigError(
            f"{executable} cannot stand in a unit: it has to be a whole path of plain characters"
        )
    if not executable.is_file() or not os.access(executable, os.X_OK):
        raise ConfigError(f"{executable} is no program that can be run")
    if hidden(executable):
        raise ConfigError(f"{executable} is in a home directory, which the service cannot see: {REMEDY}")
    interpreter = executable.parent / "python"
    if interpreter.exists() and hidden(interpreter):
        raise ConfigError(
            f"{interpreter} leads to {interpreter.resolve()}, a home directory, which the service cannot see: {REMEDY}"
        )

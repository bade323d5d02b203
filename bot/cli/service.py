"""`service`: the bot made a service of systemd's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from bot.cli import exits
from bot.errors import ConfigError


@click.group()
def service() -> None:
    """Have systemd run the bot: an instance for each."""


@service.command()
@click.option(
    "--instance", "name", required=True, metavar="NAME", help="What the instance is called, as `news`."
)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The configuration to install; without it the one in /etc/shinglebot stays.",
)
@click.option(
    "--executable",
    type=click.Path(path_type=Path),
    help="What the service starts; usually the program that runs this command.",
)
@click.option("--private-ranges", is_flag=True, help="Deny private and link-local addresses, too.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and do nothing.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/"),
    show_default=True,
    help="Of the file system to write to, such as the image of a machine.",
)
def install(
    *,
    name: str,
    source: Path | None,
    executable: Path | None,
    private_ranges: bool,
    dry_run: bool,
    root: Path,
) -> int:
    """Write the units, the configuration and the secrets of an instance.

    Secrets that the configuration refers to are taken from where they are found now, such as the environment; those that are
    found nowhere are named, and put into /etc/shinglebot/NAME.credentials by hand.
    """
    from bot.service.installing import plan
    from bot.service.instances import Instance

    instance = Instance(name=name, root=root)
    config = source or instance.config
    if source is None:
        instance.require()
    secrets, missing = _secrets_for(config)
    steps = plan(
        instance,
        executable=executable or _this_program(),
        config=source.read_bytes() if source else None,
        secrets=secrets,
        private_ranges=private_ranges,
    )
    for step in steps:
        if step.is_done:
            word = "is there"
        elif dry_run:
            word = "would be made"
        else:
            step.make()
            word = "made"
        click.echo(f"{step.path}: {word} ({step.mode:04o}{', a secret' if step.secret else ''})")
    there = instance.credentials, instance.sealed
    for reference in missing:
        if not any((folder / reference).exists() for folder in there):
            click.echo(
                f"{reference} was not found: put it into {instance.credentials / reference}, mode 0600"
            )
    unit = f"shinglebot@{name}"
    if root == Path("/") and not dry_run:
        _reload()
    click.echo(f"To start it, and at each boot: systemctl enable --now {unit}")
    return exits.OK


def _this_program() -> Path:
    found = shutil.which(sys.argv[0]) or sys.argv[0]
    return Path(found).absolute()


def _secrets_for(config: Path) -> tuple[dict[str, str], list[str]]:
    """Return the secrets by name that the configuration refers to and that are found, and the names of the others."""
    import re

    from bot.config.faults import Unfit
    from bot.config.secrets import NotFound, Vault

    text = "\n".join(
        line for line in config.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")
    )
    vault, found, missing = Vault(os.environ), {}, []
    for name in sorted(set(re.findall(r'"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"', text))):
        try:
            found[name] = vault.look_up(name)[0].reveal()
        except NotFound:
            missing.append(name)
        except Unfit as error:
            raise ConfigError(f"{name}: {error}") from None
    return found, missing


def _reload() -> None:
    if shutil.which("systemctl") is None:
        click.echo("There is no systemctl here: the units wait for a systemd.", err=True)
        return
    done = subprocess.run(["systemctl", "daemon-reload"], capture_output=True, text=True, check=False)  # noqa: S607 - on the PATH
    if done.returncode != 0:
        click.echo(
            f"systemd has not read the units yet ({done.stderr.strip()}): run `systemctl daemon-reload`",
            err=True,
        )

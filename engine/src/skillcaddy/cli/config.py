"""`skillcaddy config`: what is set, where each value came from, and what is wrong with it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from skillcaddy.config import load
from skillcaddy.loaded import Loaded
from skillcaddy.paths import CONFIG_VARIABLE
from skillcaddy.settings import setting_fields, variable_of
from skillcaddy.settings_errors import masked, shown
from skillcaddy.validation import allowed, default_of

config_app = typer.Typer(
    help="Show the settings in force, check the configuration, or say where it lives.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, for scripts.")]


@config_app.command("show")
def show(as_json: AsJson = False) -> None:
    """Print each setting, its value and where that came from; secrets are masked.

    A value comes from the first of: SKILLCADDY_* variable, config file, default. What a host's own configuration
    says stands between the first two; only the host knows it. Exits with 1 when the configuration has a fault.
    """
    loaded = load(strict=False)
    if as_json:
        typer.echo(_document(_as_data(loaded)))
    else:
        _print_table(loaded)
    for warning in loaded.warnings:
        typer.echo(f"warning: {warning}", err=True)
    raise typer.Exit(1 if loaded.warnings else 0)


@config_app.command("check")
def check(
    file: Annotated[Path | None, typer.Argument(help="Check this file instead of the one in use.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say all that is wrong with the config file and the SKILLCADDY_* variables; exits with 1 when anything is."""
    loaded = load(config_file=file, strict=False)
    if as_json:
        document = {"ok": not loaded.problems, "config_file": loaded.config_file, "problems": loaded.problems}
        typer.echo(_document(document))
    elif loaded.problems:
        typer.echo("\n".join(loaded.problems))
    else:
        typer.echo(f"Nothing is wrong. Config file: {_place(loaded.config_file)}")
    raise typer.Exit(1 if loaded.problems else 0)


@config_app.command("path")
def path(as_json: AsJson = False) -> None:
    """Print where the config file, the state, the shared library and the logs are, or will be."""
    loaded = load(strict=False)
    rows = {
        "config_file": loaded.config_file,
        "state_dir": str(loaded.locations.state_dir),
        "data_dir": str(loaded.locations.data_dir),
        "log_dir": str(loaded.locations.log_dir),
    }
    if as_json:
        typer.echo(_document(rows))
    else:
        typer.echo("\n".join(f"{name:11}  {_place(place)}" for name, place in rows.items()))


def _document(data: Any) -> str:
    return json.dumps(data, indent=2)


def _as_data(loaded: Loaded) -> dict[str, Any]:
    settings = {}
    for field in setting_fields(type(loaded.settings)):
        value = getattr(loaded.settings, field.name)
        secret = bool(field.metadata.get("secret"))
        origin = loaded.origins[field.name]
        settings[field.name] = {
            "value": masked(value, secret=secret),
            "from": origin.kind,
            "where": origin.where,
            "default": default_of(field),
            "secret": secret,
            "variable": variable_of(field.name),
            "help": field.metadata["help"],
        }
    return {"settings": settings, "config_file": loaded.config_file, "warnings": loaded.warnings}


def _print_table(loaded: Loaded) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("from", overflow="fold")
    table.add_column("what it is, and what it may be", overflow="fold")
    for field in setting_fields(type(loaded.settings)):
        origin = loaded.origins[field.name]
        value = shown(getattr(loaded.settings, field.name), secret=bool(field.metadata.get("secret")))
        style = "dim" if origin.kind == "default" and not origin.where else "bold"
        kind = allowed(field, type(loaded.settings))
        text = f"{field.metadata['help']} Allowed: {kind}."
        table.add_row(field.name, Text(value, style=style), Text(origin.where or origin.kind), Text(text, style="dim"))
    console = Console()
    console.print(table)
    console.print(Text(f"Config file: {_place(loaded.config_file)}"), soft_wrap=True)


def _place(path: str) -> str:
    if not path:
        return f"none, by {CONFIG_VARIABLE}=off"
    return path if os.path.lexists(path) else f"{path} (not there yet)"

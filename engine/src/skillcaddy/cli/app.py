"""The commands for people, as one typer application."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

import typer

from skillcaddy.cli import LIGHT
from skillcaddy.cli.config import config_app
from skillcaddy.cli.evaluation import evaluate_command
from skillcaddy.cli.lint import lint_command
from skillcaddy.cli.stats import stats_command

app = typer.Typer(
    name="skillcaddy",
    help="Hands an AI agent the one skill it needs, out of a library of any size.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("eval")(evaluate_command)
app.command("lint")(lint_command)
app.command("stats")(stats_command)
app.add_typer(config_app, name="config")


def _light(module: str) -> Callable[[typer.Context], None]:
    def command(context: typer.Context) -> None:
        sys.exit(import_module(module).run(context.args))

    return command


# Listed here so that `skillcaddy --help` shows them; `main` runs them without ever importing this module.
for _name, (_module, _help) in LIGHT.items():
    app.command(
        _name,
        help=_help,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
    )(_light(_module))

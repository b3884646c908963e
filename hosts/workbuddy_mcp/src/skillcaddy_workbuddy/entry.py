"""What the plugin's launchers run: the hook's process and the MCP server, with this host's settings.

Both start for a user who waits, so nothing is imported before it is needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from skillcaddy.loaded import Loaded
    from skillcaddy.mcp_tools import Toolbox
    from skillcaddy.models import ChatModel

HOST_ID = "workbuddy"


def hook() -> NoReturn:
    """Answer one hook event on stdin; the process ends with exit code 0 whatever happens."""
    from skillcaddy.lean import spare

    spare()
    from skillcaddy.hook import run
    from skillcaddy_workbuddy.folders import HELD_NAME, data_folder

    folder = data_folder()
    run(host=HOST_ID, load=settings, held=None if folder is None else folder / HELD_NAME)


def mcp() -> NoReturn:
    """Serve the two tools over stdin and stdout until the host closes them."""
    from skillcaddy.mcp import serve

    def open_toolbox(client_model: Callable[[], ChatModel | None]) -> Toolbox:
        from skillcaddy.mcp_tools import Toolbox

        return Toolbox(settings, host=HOST_ID, client_model=client_model, injects=True)

    serve(open_toolbox)


def settings() -> Loaded:
    """The settings of this host, with `config.json` of its data folder as the host's layer; never raises."""
    from dataclasses import replace

    from skillcaddy.snapshot import load_fast
    from skillcaddy_workbuddy.folders import CONFIG_NAME, data_folder
    from skillcaddy_workbuddy.settings import WorkBuddySettings

    folder = data_folder()
    values, problem = ({}, "") if folder is None else _config(str(folder / CONFIG_NAME))
    loaded = load_fast(host=values, host_name=HOST_ID, settings_class=WorkBuddySettings, host_folder=folder)
    if problem:
        loaded = replace(loaded, warnings=(problem, *loaded.warnings), problems=(problem, *loaded.problems))
    return loaded


def _config(path: str) -> tuple[dict[str, Any], str]:
    """The values of the file and what is wrong with it; nothing of either where there is no file."""
    import json

    try:
        with open(path, encoding="utf-8-sig") as file:
            values = json.load(file)
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, RecursionError) as error:
        return {}, f"{path} can't be read ({type(error).__name__}: {error}), so it is ignored."
    if not isinstance(values, dict):
        return {}, f"{path} should hold one JSON object with settings, so it is ignored."
    return values, ""

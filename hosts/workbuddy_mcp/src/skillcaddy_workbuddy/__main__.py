"""`python -m skillcaddy_workbuddy`: prints the folder that the client's `plugin marketplace add` takes."""

from __future__ import annotations

from skillcaddy_workbuddy.places import marketplace_folder

if __name__ == "__main__":
    print(marketplace_folder())  # noqa: T201 - the command's answer

"""`python -m skillcaddy`."""

from __future__ import annotations

from skillcaddy.cli import main

if __name__ == "__main__":
    main()

"""skillcaddy for Raven. The host imports this package to find raven-plugin.toml in it, so nothing happens here."""

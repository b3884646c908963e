"""What runs inside Hermes; imported when the host calls `register`."""

from __future__ import annotations

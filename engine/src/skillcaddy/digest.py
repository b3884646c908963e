"""Digests for names, contents and seals; not for secrets."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # hashlib is this and OpenSSL, whose loading alone costs a turn's process 2 ms
except ImportError:  # pragma: no cover - another implementation of Python
    from hashlib import blake2b

__all__ = ["blake2b", "digest"]


def digest(data: bytes) -> str:
    """32 bytes of BLAKE2b as hexadecimal text."""
    return blake2b(data, digest_size=32).hexdigest()

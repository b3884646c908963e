"""Bytes of a file that should be text, made text whatever its encoding."""

from __future__ import annotations

import codecs
import re

_SAMPLE = 8_192
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\x0b\x0c\r\x1b")) + b"\x7f"
_MAX_CONTROLS = 0.03
_MAX_NULS = 0.2
_BINARY_STARTS = (b"\x89PNG", b"PK\x03\x04", b"\x7fELF", b"%PDF-", b"\x1f\x8b", b"\xff\xd8\xff", b"GIF8", b"MZ\x90")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


def text_of(data: bytes, *, whole: bool = True) -> str | None:
    """The text, without byte order mark and NUL characters; None for binary data. Line breaks stay as they are.

    UTF-8, UTF-16 and UTF-32 with a mark; UTF-8 and evident UTF-16 without; else GB 18030 where the bytes pair up as
    Chinese does, else Windows-1252. `whole=False` says that the data were cut, so that their last character may be too.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_wide(data[len(mark) :], encoding)
    if data.startswith(_BINARY_STARTS):
        return None
    utf16 = _evident_utf16(data)
    if utf16:
        return _decode_wide(data, utf16)
    if _is_binary(data):
        return None
    return _decode_8_bit(data, whole).replace("\x00", "")


def _decode_wide(data: bytes, encoding: str) -> str | None:
    text = data.decode(encoding, "replace")
    return None if _is_binary(text[:_SAMPLE].encode("utf-8", "replace")) else text.replace("\x00", "")


def _is_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > len(sample) * _MAX_CONTROLS + 2 or sample.count(0) > len(sample) * _MAX_NULS + 2


def _evident_utf16(data: bytes) -> str:
    """The kind of UTF-16 that data without a mark evidently are (every other byte is mostly NUL), or ""."""
    sample = data[:_SAMPLE]
    if b"\x00" not in sample or len(sample) < 8:
        return ""
    half = len(sample) // 2
    first, second = sample[::2].count(0) / half, sample[1::2].count(0) / half
    if min(first, second) < 0.05 and max(first, second) > 0.4:
        return "utf-16-le" if second > first else "utf-16-be"
    return ""


def _decode_8_bit(data: bytes, whole: bool) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8")
    repaired = data.decode("utf-8", "replace")
    damaged = repaired.count("\ufffd")
    # A few damaged bytes in much sound UTF-8: reading all of it as another encoding would garble the rest.
    if sum(not character.isascii() for character in repaired[:100_000]) > 8 * damaged:
        return repaired
    runs = _HIGH_RUN.findall(data, 0, 100_000)
    if sum(map(len, runs)) >= 4 and sum(len(run) % 2 == 0 for run in runs) > 0.9 * len(runs):
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")

"""Text made fit to be written down: without keys, tokens, mail addresses, long numbers and credentials in URLs."""

from __future__ import annotations

import re

MASK = "***"

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_URL_USER = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_URL_QUERY = re.compile(r"(https?://[^\s?#\"'<>]*)\?[^\s\"'<>)\]]+")
_NAMED = re.compile(
    r"""(?ix)
    ( (?: \b | _ ) (?: api[_-]?key | access[_-]?key | auth(?:orization)? | bearer | client[_-]?secret | credentials?
        | cookie | passphrase | passw(?:or)?d | pwd | secret | session[_-]?id | signature | token )
      ["']? \s* (?: [:=：] \s* | \s (?=[^\s"']*\d) )
      (?: (?:bearer|basic|token) \s+ )? ["']? )
    [^\s"',;]+
    | ( (?: 密码 | 口令 | 密钥 | 令牌 | パスワード ) \s* (?: [:=：是为は] \s* )+ ) [^\s"',;，。；]+
    """
)
_KNOWN_KEY = re.compile(
    r"""(?x) (?<![A-Za-z0-9])
    (?: sk-[\w-]{8,} | sk_(?:live|test)_\w+ | rk_live_\w+ | gh[opsur]_\w{16,} | github_pat_\w+ | glpat-[\w-]+
      | xox[abeoprs]-[\w-]+ | A[KS]IA[A-Z0-9]{12,} | AIza[\w-]{20,} | hf_\w{16,} | npm_\w{16,} | pypi-[\w-]{16,}
      | eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)? )
    """
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LONG_HEX = re.compile(r"(?<![\w])(?:[0-9a-fA-F]{20,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?![\w])")
# A path or a long compound word has no digit, or a separator within reach; a key in base64 has neither for long.
_LONG_BASE64 = re.compile(
    r"(?<![\w+/=-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])[A-Za-z0-9_+-]{28,}(?:[/+][A-Za-z0-9_+/-]*)?={0,2}"
)
_LONG_NUMBER = re.compile(r"(?<!\w)\+?\d(?:[ .-]?\d){8,}(?!\w)")


def redacted(text: str) -> str:
    """The text with everything that looks like a secret or like a person's address or number masked; never raises.

    It errs on the side of masking: what is left over is read by people who look for reasons, not for data.
    """
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _URL_USER.sub(MASK, text)
    text = _URL_QUERY.sub(lambda match: f"{match.group(1)}?{MASK}", text)
    text = _NAMED.sub(lambda match: f"{match.group(1) or match.group(2)}{MASK}", text)
    for pattern in (_KNOWN_KEY, _MAIL, _LONG_HEX, _LONG_BASE64, _LONG_NUMBER):
        text = pattern.sub(MASK, text)
    return text

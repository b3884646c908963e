"""Print the fields of a PDF form: name, type, allowed values, current value. Needs pypdf."""

from __future__ import annotations

import sys

from pypdf import PdfReader

KINDS = {"/Tx": "text", "/Btn": "button", "/Ch": "choice", "/Sig": "signature"}


def main(path: str) -> int:
    reader = PdfReader(path)
    fields = reader.get_fields() or {}
    if not fields:
        form = reader.trailer["/Root"].get("/AcroForm", {})
        print("no fields, XFA present" if "/XFA" in form else "no fields")
        return 1
    pages = {
        annotation.get_object().get("/T"): number
        for number, page in enumerate(reader.pages, start=1)
        for annotation in page.get("/Annots", [])
    }
    for name, field in fields.items():
        kind = KINDS.get(str(field.get("/FT")), "group")
        if kind == "group":
            continue
        states = field.get("/_States_") or field.get("/Opt") or []
        parts = [name, kind]
        if states:
            parts.append("one of " + ", ".join(map(str, states)))
        if "/MaxLen" in field:
            parts.append(f"max {field['/MaxLen']}")
        parts.append(f"value {field.get('/V', '')!s}")
        last = name.rsplit(".", 1)[-1]
        if last in pages:
            parts.append(f"page {pages[last]}")
        print("\t".join(parts))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: list_fields.py FORM.pdf")
    sys.exit(main(sys.argv[1]))

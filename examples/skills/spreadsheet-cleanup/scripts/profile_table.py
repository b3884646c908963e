"""Print what the columns of a CSV look like: how full, how many values, which shapes, where the odd ones are."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from pathlib import Path


def shape(value: str) -> str:
    """The value with its digits as 9 and its letters as a; runs of letters and white space shortened."""
    letters = re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", value))
    return re.sub(r"\s+", " ", re.sub(r"a{4,}", "aaa+", letters))


def main(path: str) -> int:
    text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:20000], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    rows = list(csv.reader(io.StringIO(text, newline=""), dialect))
    if not rows:
        print("the file is empty")
        return 1
    header, body = rows[0], rows[1:]
    uneven = sum(len(row) != len(header) for row in body)
    print(f"{len(body)} rows, {len(header)} columns, {uneven} rows with another number of cells")
    for index, name in enumerate(header):
        cells = [(number, row[index]) for number, row in enumerate(body, start=2) if index < len(row)]
        filled = [(number, cell) for number, cell in cells if cell.strip()]
        shapes = Counter(shape(cell.strip()) for _, cell in filled)
        blanks = sum(cell != cell.strip() or "\u00a0" in cell for _, cell in filled)
        distinct = len({cell.strip() for _, cell in filled})
        print(f"\n{name or '(no name)'}: {len(filled)} filled, {distinct} distinct, {blanks} with stray blanks")
        for form, count in shapes.most_common(3):
            print(f"  {count:6}  {form[:50]}")
        for form, count in shapes.most_common()[3:][-3:]:
            number, example = next((n, cell) for n, cell in filled if shape(cell.strip()) == form)
            print(f"  {count:6}  {form[:50]}  rare, first in row {number}: {example[:40]!r}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: profile_table.py TABLE.csv")
    sys.exit(main(sys.argv[1]))

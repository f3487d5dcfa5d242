"""Text and HTML for people."""

from __future__ import annotations

import html


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun, such as ``1 state`` or ``2 states``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def table(title: str, rows: list[tuple[str, str]]) -> str:
    """Return a table with two columns, as HTML for notebooks."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"

"""What is good to look at: tables, texts and pages, in a terminal and in a notebook."""

from __future__ import annotations

import base64
import html
import tempfile
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def number(value: Any) -> str:
    """A value as people read it.

    >>> number(0.1), number(2.5e7), number(True), number(None), number("steel")
    ('0.1', '2.5e+07', 'true', '', 'steel')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]], limit: int = 40) -> str:
    """A table in plain text."""
    rows = list(rows)
    shown = rows[:limit]
    widths = [max(len(r[i]) for r in [head, *shown]) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in [head, *shown]]
    if len(rows) > limit:
        lines.append(f"… and {len(rows) - limit} more")
    return "\n".join(lines)


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], limit: int = 200) -> str:
    """A table for a notebook."""
    rows = list(rows)
    left = 'style="text-align:left"'
    out = ["<table><thead><tr>"]
    out += [f"<th {left}>{html.escape(cell)}</th>" for cell in head]
    out.append("</tr></thead><tbody>")
    for row in rows[:limit]:
        out.append("<tr>" + "".join(f"<td {left}>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    if len(rows) > limit:
        out.append(f'<tr><td {left} colspan="{len(head)}">… and {len(rows) - limit} more</td></tr>')
    out.append("</tbody></table>")
    return "".join(out)


def picture(svg: str) -> str:
    """A picture that keeps its styles to itself."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img style="max-width:100%" src="data:image/svg+xml;base64,{data}"/>'


class Text(str):
    """A text that shows itself as it is: ``model.flat`` in a notebook is text, not a quoted string."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="max-height:40em;overflow:auto">{html.escape(str(self))}</pre>'


class Page:
    """A page for a browser: inline in a notebook, with ``show()`` anywhere, with ``save(path)`` in a file."""

    def __init__(self, page: str, name: str) -> None:
        self.html = page
        self._name = name

    def save(self, path: str | Path) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def show(self) -> None:
        """Shows the page: in a notebook below the cell, otherwise in a browser."""
        if in_notebook():
            from IPython.display import HTML, display

            display(HTML(self._framed()))
            return
        with tempfile.NamedTemporaryFile(
            "w", suffix=".html", prefix=f"{self._name}-", delete=False, encoding="utf-8"
        ) as file:
            file.write(self.html)
        webbrowser.open(Path(file.name).as_uri())

    def _framed(self) -> str:
        # What the page says about itself stays in the frame.
        page = html.escape(self.html, quote=True)
        return f'<iframe style="width:100%;height:40em;border:1px solid #8886" srcdoc="{page}"></iframe>'


class Explanation(Page):
    """What the translation did with a model and why: words, and a page with matrices and loops."""

    def __init__(self, text: str, page: str, name: str) -> None:
        super().__init__(page, name)
        self.text = text

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self._framed()


def in_notebook() -> bool:
    """Is this a notebook?"""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in shell.config

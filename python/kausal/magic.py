"""``%%modelica``: a cell with the text of a model.

    %%modelica motor --library Parts
    model Motor …
    end Motor;

makes ``motor`` a :class:`kausal.Model`; without a name it is called as its class. The cell knows Modelica as soon as ``kausal`` is
imported in a notebook, or with ``%load_ext kausal``.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from .errors import RequestError
from .model import load


def modelica(line: str, cell: str, names: dict[str, Any]) -> Any:
    """Loads the text of a cell and puts the model among the names of the notebook."""
    words = shlex.split(line)
    target: str | None = None
    library: list[str] = []
    while words:
        word = words.pop(0)
        if word in ("--library", "-L"):
            if not words:
                raise RequestError("%%modelica --library needs a folder")
            library.append(words.pop(0))
        elif word.isidentifier() and target is None:
            target = word
        else:
            raise RequestError(f"%%modelica does not know {word}: it takes a name and --library FOLDER")
    model = load(cell + "\n", library=library)
    names[target or re.sub(r"\W", "_", model.name.rsplit(".", 1)[-1])] = model
    return model


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext kausal``"""

    def cell_magic(line: str, cell: str) -> Any:
        return modelica(line, cell, shell.user_ns)

    shell.register_magic_function(cell_magic, "cell", "modelica")


def _in_notebook() -> None:
    import sys

    # Nobody pays for IPython who does not use it.
    if "IPython" in sys.modules:
        from IPython.core.getipython import get_ipython

        shell = get_ipython()
        if shell is not None:
            load_ipython_extension(shell)


_in_notebook()

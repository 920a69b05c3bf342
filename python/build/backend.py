"""Builds the wheel: maturin, with the library that goes into FMUs built before and packed beside the modules.

``python build/backend.py`` only puts the library there, for ``maturin build``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).resolve().parent.parent


def put_library() -> None:
    """Builds the library for FMUs and copies it into the package."""
    root = PYTHON.parent
    command = ["cargo", "build", "--release", "--quiet", "--package", "kausal-fmu", "--message-format", "json"]
    said = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    made = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    files = [Path(file) for message in made if message.get("reason") == "compiler-artifact" for file in message["filenames"]]
    library = next(file for file in reversed(files) if "kausal_fmu" in file.name and file.suffix in (".so", ".dll", ".dylib"))
    folder = PYTHON / "kausal" / "lib"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(library, folder / library.name)


def __getattr__(name: str) -> Any:
    import maturin

    return getattr(maturin, name)


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    import maturin

    put_library()
    return str(maturin.build_wheel(directory, settings, metadata))


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    import maturin

    put_library()
    return str(maturin.build_editable(directory, settings, metadata))


if __name__ == "__main__":
    put_library()

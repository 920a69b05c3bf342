"""The examples in the documentation of the package run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import kausal

MODULES = ["kausal", *(f"kausal.{m.name}" for m in pkgutil.iter_modules(kausal.__path__) if m.name != "_kausal")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0

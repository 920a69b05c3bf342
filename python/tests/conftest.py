"""What the tests share."""

from __future__ import annotations

import pytest

import kausal as ka

from models import BALL, LONG, MOTOR


@pytest.fixture(scope="session")
def motor() -> ka.Model:
    return ka.load(MOTOR)


@pytest.fixture(scope="session")
def ball() -> ka.Model:
    return ka.load(BALL)


@pytest.fixture(scope="session")
def long() -> ka.Model:
    return ka.load(LONG)

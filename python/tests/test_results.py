"""Results in the tables and pictures that people use."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

import kausal as ka


def test_columns_are_no_copies(motor: ka.Model) -> None:
    r = motor.simulate(1)
    w = r["w"]
    assert not w.flags.owndata and not w.flags.writeable and w is r["w"]
    assert np.shares_memory(w, np.asarray(r._core.column("w")))
    # Values live as long as somebody looks at them.
    kept = w.copy()
    del r
    gc.collect()
    assert np.array_equal(w, kept)


def test_tables(motor: ka.Model) -> None:
    r = motor.simulate(1, J=2, intervals=10)
    frame = r.to_pandas("w", "y")
    assert list(frame.columns) == ["w", "y"] and frame.index.name == "time" and frame.attrs["units"]["y"] == "W"
    assert np.array_equal(frame["w"], r["w"])
    assert list(r.to_polars("w").columns) == ["time", "w"]
    table = r.to_arrow()
    assert table.column_names == ["time", *r.names]
    assert table.schema.field("w").metadata == {b"unit": b"rad/s", b"description": b"speed"}
    for name in r.names:
        assert np.array_equal(table[name].to_numpy(), r[name]), name
    # No copy: Arrow looks at the same memory.
    assert table["w"].chunk(0).buffers()[1].address == r["w"].__array_interface__["data"][0]
    import polars as pl

    assert pl.DataFrame(r)["w"].to_list() == list(r["w"])
    data = r.to_xarray()
    assert data["w"].attrs == {"units": "rad/s", "long_name": "speed"} and data["w"].sel(time=1.0) == r["w"][-1]


def test_arrow_outlives_its_solution(motor: ka.Model) -> None:
    r = motor.simulate(1)
    table, kept = r.to_arrow(), r["w"].copy()
    del r
    gc.collect()
    assert np.array_equal(table["w"].to_numpy(), kept)


def test_instants(ball: ka.Model) -> None:
    r = ball.simulate(1, tolerance=1e-9)
    assert abs(r.at(0.1)["h"] - (1 - 9.81 * 0.005)) < 1e-4
    bounce = float(r.events[0])
    assert abs(bounce - np.sqrt(2 / 9.81)) < 1e-6
    before, after = r.at(bounce, side="left"), r.at(bounce)
    assert abs(before["v"] + 9.81 * bounce) < 1e-5 and abs(after["v"] - 0.5 * 9.81 * bounce) < 1e-5
    several = r.at([0.1, 0.2])
    assert np.allclose(several["h"], [r.at(0.1)["h"], r.at(0.2)["h"]])
    assert r.at(1.0)["h"] == r.final["h"] == r["h"][-1]
    with pytest.raises(ka.RequestError, match="there is no time"):
        r.at(2.0)
    assert "h" in repr(r.at(0.1)) and "<table>" in r.at(0.1)._repr_html_()


def test_names_that_are_none(motor: ka.Model) -> None:
    r = motor.simulate(1)
    with pytest.raises(ka.RequestError, match="did you mean"):
        r["ww"]
    assert "w" in r and "ww" not in r and "time" in r
    with pytest.raises(ka.RequestError, match="no variable"):
        r.to_pandas("zz*")


def test_plots(ball: ka.Model, motor: ka.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = ball.simulate(1).plot("h", "v")
    assert [axis.get_ylabel() for axis in axes] == ["h [m]", "v [m/s]"]
    assert axes[-1].get_xlabel() == "time [s]"
    one = motor.simulate(1).plot("w")
    assert one.get_ylabel() == "w [rad/s]" and len(one.lines) == 1
    assert motor.simulate(1).plot("y", ax=one, color="red") is one and len(one.lines) == 2
    with pytest.raises(ka.RequestError):
        motor.simulate(1).plot("nothing")


def test_reprs(ball: ka.Model) -> None:
    r = ball.simulate(1)
    assert repr(r).startswith("<Solution of Ball: 0 to 1 s, ")
    page = r._repr_html_()
    assert "data:image/svg+xml;base64," in page and "events" in page
    assert r.svg("h").startswith("<svg")


def test_files(motor: ka.Model, tmp_path: Path) -> None:
    r = motor.simulate(1)
    r.write(tmp_path / "r.parquet")
    import pyarrow.parquet as pq

    assert np.array_equal(pq.read_table(tmp_path / "r.parquet")["w"].to_numpy(), r["w"])
    with pytest.raises(ka.OutputError):
        r.write(tmp_path / "none" / "r.csv")

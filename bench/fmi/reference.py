#!/usr/bin/env python3
"""Imports the Reference-FMUs of the Modelica Association and compares their curves with the results that come with them.

    reference.py --fmus DIR --sources DIR [--kausal PROGRAM]

`sources` is a checkout of modelica/Reference-FMUs, `fmus` has folders `2` and `3` with the FMUs that it builds:

    cmake -S Reference-FMUs -B build2 -DFMI_VERSION=2 && cmake --build build2    (fmus in build2/fmus)

The reference results are those of steps of one size with Euler's method, inside of the FMUs for Co-Simulation (the size is in
`config.h`). Model Exchange with the same steps (`--method euler --step H`) has to give the same numbers.

Exit code 0: all agree. 1: something does not. 3: the FMUs are not there.
"""

import argparse
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

MODELS = ["BouncingBall", "Dahlquist", "VanDerPol", "Stair", "Feedthrough", "Resource", "StateSpace"]
# Both sides make the same operations in another order: what is left is rounding, and where an event moved by it, a bounce.
EXACT = 1e-6


def table(path):
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def value(text):
    return {"true": 1.0, "false": 0.0}.get(text, None) if text in ("true", "false") else float(text)


def reference(path):
    """Time, and columns by name; arrays are written as one column with spaces between the elements."""
    head, rows = table(path)
    times = [float(row[0]) for row in rows]
    columns = {}
    for k, name in enumerate(head[1:], 1):
        parts = [row[k].split() for row in rows]
        try:
            values = [[value(part) for part in row] for row in parts]
        except ValueError:
            continue
        for element in range(len(values[0])):
            called = name if len(values[0]) == 1 else f"{name}[{element + 1}]"
            columns[called] = [row[element] for row in values]
    return times, columns


def at(times, values, t, last):
    """The value at an instant: behind an event there, or before it. Between rows values are interpolated."""
    found = [v for s, v in zip(times, values) if abs(s - t) <= 1e-9 * max(1.0, abs(t))]
    if found:
        return found[-1] if last else found[0]
    for (s, v), (s2, v2) in zip(zip(times, values), zip(times[1:], values[1:])):
        if s <= t <= s2:
            return v + (v2 - v) * (t - s) / (s2 - s)
    return math.nan


def inner_step(sources, model):
    with open(os.path.join(sources, model, "config.h")) as file:
        return float(re.search(r"FIXED_SOLVER_STEP\s+(\S+)", file.read())[1])


def one(kausal, fmu, version, kind, model, sources, folder):
    times, columns = reference(os.path.join(sources, model, f"{model}_out.csv"))
    step = times[1] - times[0]
    out = os.path.join(folder, f"{model}.{version}.{kind}.csv")
    command = [kausal, "simulate", fmu, "--fmu-kind", kind, "--allow-external", "-o", out, "--stop", repr(times[-1]), "--quiet"]
    command += ["--output-interval", repr(step)]
    if kind == "cs":
        command += ["--set", f"communicationInterval={step!r}"]
    else:
        command += ["--method", "euler", "--step", repr(inner_step(sources, model)), "--events", "at-steps"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return "failed: " + done.stderr.strip().splitlines()[0], math.inf
    head, rows = table(out)
    ours = {name: [value(row[k]) for row in rows] for k, name in enumerate(head) if name == "time" or name in columns}
    worst, where = 0.0, ""
    for name, wanted in columns.items():
        if name not in ours:
            continue
        size = max(max(abs(v) for v in wanted), 1e-12)
        for t, v in zip(times, wanted):
            error = min(abs(at(ours["time"], ours[name], t, last) - v) for last in (True, False)) / size
            if not error <= worst:
                worst, where = error, f"{name} at {t:g}"
    missing = [name for name in columns if name not in ours]
    left = f", without {', '.join(missing)}" if missing else ""
    return f"{len(columns) - len(missing)} signals, {len(times)} instants, largest error {worst:.1e} of the range {where}{left}", worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fmus", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--kausal", default="target/release/kausal")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.fmus, "3")):
        print("skipped: there are no Reference-FMUs")
        sys.exit(3)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for version in ("2", "3"):
            for model in MODELS:
                fmu = os.path.join(options.fmus, version, f"{model}.fmu")
                if not os.path.isfile(fmu):
                    continue
                for kind in ("me", "cs"):
                    said, worst = one(options.kausal, fmu, version, kind, model, options.sources, folder)
                    verdict = "agrees " if worst <= EXACT else "DIFFERS"
                    wrong += worst > EXACT
                    print(f"{verdict} FMI {version} {kind} {model}: {said}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Exports models as FMUs, imports these again and compares the curves with those of the model itself.

    again.py [--kausal PROGRAM] [--fmi 2,3] [--kind me,cs] [--jobs N] [MODEL …]

Without models, all examples of the built-in library are taken. Model Exchange: our integrators have the states of the FMU. Co-Simulation:
the FMU integrates, and shows values at communication points, 500 of them.

Exit code 0: all agree. 1: something does not.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# Both sides run the same code with the same tolerance: what is left is where steps end.
TOLERANCE = 1e-8
VALUE, SPAN = 2e-3, 1e-3


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def is_number(field):
    try:
        return float(field) is not None
    except ValueError:
        return field in ("true", "false")


def rows_at(path, points, near):
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    # One row at each point: the last one, behind an event there.
    rows_of, at = {}, 0
    for row in rows:
        t = float(row[0])
        while at + 1 < len(points) and points[at] < t - near:
            at += 1
        if abs(points[at] - t) <= near:
            rows_of[at] = row
    kept = [head, *rows_of.values()]
    with open(path, "w", newline="") as file:
        # Texts are columns that are left out, and known by their quotation marks.
        texts = [not is_number(field) for field in (kept[1] if len(kept) > 1 else [])]
        keep = lambda row: [field for field, text in zip(row, texts) if not text]
        csv.writer(file).writerows(map(keep, kept))


def one(job):
    kausal, model, version, kind, folder = job
    base = os.path.join(folder, f"{model}.{version}.{kind}")
    fmu, again, own = base + ".fmu", base + ".again.csv", base + ".own.csv"
    made = run(kausal, "export", model, "--fmi", version, "-o", fmu)
    if made.returncode != 0:
        return model, version, kind, "export: " + made.stderr.strip()[:200]
    facts = json.loads(run(kausal, "import", fmu, "--kind", kind, "--json", "-o", base + ".mo").stdout)
    tolerance = ["--tolerance", str(TOLERANCE)]
    ours = run(kausal, "simulate", model, "-o", own, *tolerance, "--json")
    if ours.returncode != 0:
        return model, version, kind, "model: " + ours.stderr.strip()[:200]
    span = json.loads(ours.stdout)
    interval = (span["stop"] - span["start"]) / 500
    if kind == "cs":
        run(kausal, "simulate", model, "-o", own, *tolerance, "--output-interval", repr(interval))
    extra = ["--set", f"communicationInterval={interval!r}"] if kind == "cs" else []
    done = run(kausal, "simulate", fmu, "--fmu-kind", kind, "--allow-external", "-o", again, *tolerance,
               "--set", f"fmuTolerance={TOLERANCE}", *extra)
    if done.returncode != 0:
        return model, version, kind, "run: " + done.stderr.strip()[:300]
    if kind == "cs":
        points = [span["start"] + k * interval for k in range(501)]
        near = 1e-9 * (span["stop"] - span["start"])
        rows_at(own, points, near)
        rows_at(again, points, near)
    with open(again, newline="") as file:
        names = set(next(csv.reader(file)))
    with open(own, newline="") as file:
        common = [n for n in next(csv.reader(file))[1:] if n in names]
    signals = [o for n in common[:300] for o in ("--signals", n.replace("[", "?").replace("]", "?"))]
    judged = run(kausal, "compare", again, own, "--tolerance", str(VALUE), "--time-tolerance", str(SPAN), *signals)
    if judged.returncode != 0:
        return model, version, kind, "curves: " + (judged.stdout or judged.stderr).strip()[:300]
    return model, version, kind, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*")
    parser.add_argument("--kausal", default="target/release/kausal")
    parser.add_argument("--fmi", default="2,3")
    parser.add_argument("--kind", default="me,cs")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    kausal = os.path.abspath(arguments.kausal)
    listed = json.loads(run(kausal, "examples", "--json").stdout)
    models = arguments.models or [e["name"] for e in listed if not e["tutorial"]]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kausal-again-") as folder:
        jobs = [(kausal, m, v, k, folder) for m in models for v in arguments.fmi.split(",") for k in arguments.kind.split(",")]
        with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
            for model, version, kind, why in pool.map(one, jobs):
                failed += why is not None
                print(f"{model} FMI {version} {kind}: {why or 'agrees'}", flush=True)
    print(f"{len(jobs) - failed} of {len(jobs)} agree")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Exports models as FMUs and lets FMPy validate and simulate them: are its curves those of `kausal simulate`?

    compare.py [--kausal PROGRAM] [--fmi 2,3] [--kind me,cs] [--jobs N] [--keep DIR] [--list FILE] [MODEL …]

FMPy (from PyPI) has its own reader of model descriptions, its own checks, and CVODE for Model Exchange: nothing of it is ours.
Without models, all examples of the built-in library are taken; `msl.txt` lists 71 of the Modelica Standard Library (`MODELICAPATH`
names its folder). Both sides are compared by `kausal compare`, within the tube that
its options say. What was recorded is what the model gives to the outside and its states; where it has neither, everything.

Exit code 0: all agree. 1: something does not. 3: FMPy is not there.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

# What FMPy's CVODE is asked for: errors of many steps add up, and our own integrators estimate theirs in another way.
TIGHT = 1e-8
# Width of the tube, in shares of the range and of the span: a few tolerances, and what an event may be apart.
VALUE, SPAN = 2e-3, 1e-3


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def examples(kausal):
    listed = json.loads(run(kausal, "examples", "--json").stdout)
    return [e["name"] for e in listed if not e["tutorial"]]


def wanted(description):
    states = [v.derivative.name for v in description.modelVariables if v.derivative is not None]
    # Sets of states that are selected in the run are the translation's, and in no result.
    declared = [v for v in description.modelVariables if not v.name.startswith(("stateset", "der(stateset"))]
    states = [name for name in states if not name.startswith("stateset")]
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    names = list(dict.fromkeys(states + outputs))
    local = [v for v in declared if v.causality == "local" and v.type != "String"]
    if not names:
        names = [v.name for v in local if v.type in ("Float64", "Real") and v.variability == "continuous"]
    if not names:
        names = [v.name for v in local if v.variability == "discrete"]
    return names[:200]


def at_points(table, points, near):
    """Keeps one row of a result at each communication point: Co-Simulation shows nothing in between, so events there are no rows, and
    values behind an event at the point itself."""
    with open(table, newline="") as file:
        head, *rows = csv.reader(file)
    kept, at = {}, 0
    for row in rows:
        t = float(row[0])
        while at + 1 < len(points) and points[at] < t - near:
            at += 1
        if abs(points[at] - t) <= near:
            kept[at] = row
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([head, *kept.values()])


def determined(comparison):
    """Up to when two runs with different tolerances are the same, if not to the end."""
    deviations = json.loads(comparison.stdout or "{}").get("deviations", [])
    return min((d["since"] for d in deviations if "since" in d), default=None)


def until(table, end):
    with open(table, newline="") as file:
        head, *rows = csv.reader(file)
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([head, *[row for row in rows if float(row[0]) <= end]])


def written(table, names, result):
    """Writes what FMPy recorded; arrays are columns of their elements, whose names are given back."""
    import numpy as np

    shapes = {n: result.dtype[n].shape for n in names}
    elements = [f"{n}[{','.join(str(i + 1) for i in index)}]" if index else n for n in names for index in np.ndindex(shapes[n])]
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time"] + elements)
        for row in result:
            values = [row[0]] + [v for n in names for v in np.ravel(row[n])]
            writer.writerow([repr(float(v)) for v in values])
    return elements


def one(job):
    kausal, model, version, kind, folder = job
    from fmpy import read_model_description, simulate_fmu
    from fmpy.validation import validate_fmu

    began = time.time()
    name = f"{model}.{version}"
    fmu = os.path.join(folder, f"{name}.{kind}.fmu")
    made = run(kausal, "export", model, "--fmi", version, "--json", "-o", fmu)
    if made.returncode != 0:
        return model, version, kind, "export", made.stderr.strip(), 0.0
    try:
        problems = validate_fmu(fmu)
    except Exception as error:
        problems = [repr(error)]
    if problems:
        return model, version, kind, "validation", "; ".join(problems[:3]), 0.0
    description = read_model_description(fmu)
    if (kind == "cs" and description.coSimulation is None) or (kind == "me" and description.modelExchange is None):
        return model, version, kind, "kind", "not offered", 0.0
    recorded = [n for n in wanted(description) if n != "time" and "event indicator" not in n]
    experiment = description.defaultExperiment
    start = float(experiment.startTime or 0) if experiment else 0.0
    stop = float(experiment.stopTime or start + 1) if experiment else 1.0
    interval = (stop - start) / 500

    def simulate(interval, tolerance=TIGHT):
        return simulate_fmu(
            fmu,
            fmi_type="ModelExchange" if kind == "me" else "CoSimulation",
            start_time=start,
            stop_time=stop,
            output_interval=interval,
            relative_tolerance=tolerance,
            output=recorded,
            record_events=True,
        )

    try:
        while True:
            try:
                result = simulate(interval)
                break
            except RuntimeError as error:
                # FMPy lets CVODE take 500 steps from one output point to the next.
                if "mxstep" not in str(error) or (stop - start) / interval > 1e5:
                    raise
                interval /= 20
    except Exception as error:
        return model, version, kind, "simulation", repr(error), 0.0
    table = os.path.join(folder, f"{name}.{kind}.csv")
    names = written(table, recorded, result)
    reference = os.path.join(folder, f"{name}.{kind}.reference.csv")

    def own(tolerance, path):
        return run(kausal, "simulate", model, "--tolerance", str(tolerance), "-o", path, "--output-interval", str(interval),
                   *[o for n in names for o in ("--variables", n.replace("[", "?").replace("]", "?"))])

    def compared(one, other):
        return run(kausal, "compare", one, other, "--tolerance", str(VALUE), "--time-tolerance", str(SPAN), "--json",
                   *[o for n in names for o in ("--signals", n.replace("[", "?").replace("]", "?"))])

    ours = own(TIGHT, reference)
    if ours.returncode != 0:
        return model, version, kind, "reference", ours.stderr.strip()[:300], 0.0
    if kind == "cs":
        at_points(reference, [row[0] for row in result], 1e-9 * (stop - start))
    judged, note = compared(table, reference), ""
    if judged.returncode != 0:
        # A chaotic model makes errors of any tolerance as large as itself: it is compared for as long as each tool gives the same with
        # a looser tolerance.
        looser = os.path.join(folder, f"{name}.{kind}.looser.csv")
        ends = []
        if own(100 * TIGHT, looser).returncode == 0:
            ends.append(determined(compared(looser, reference)))
        written(looser, recorded, simulate(interval, 100 * TIGHT))
        ends.append(determined(compared(looser, table)))
        end = min((end for end in ends if end), default=None)
        if end:
            until(table, end)
            until(reference, end)
            judged, note = compared(table, reference), f", compared up to {end:g}"
    if judged.returncode != 0:
        return model, version, kind, "curves", (judged.stdout or judged.stderr).strip()[:400], 0.0
    return model, version, kind, None, note, time.time() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*")
    parser.add_argument("--kausal", default="target/release/kausal")
    parser.add_argument("--fmi", default="2,3")
    parser.add_argument("--kind", default="me,cs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--list")
    arguments = parser.parse_args()
    try:
        import fmpy  # noqa: F401
    except ImportError:
        print("skipped: FMPy is not installed")
        sys.exit(3)
    folder = arguments.keep or tempfile.mkdtemp(prefix="kausal-fmi-")
    os.makedirs(folder, exist_ok=True)
    kausal = os.path.abspath(arguments.kausal)
    models = list(arguments.models)
    if arguments.list:
        with open(arguments.list) as file:
            models += [line.strip() for line in file if line.strip() and not line.startswith("#")]
    models = models or examples(kausal)
    jobs = [(kausal, m, v, k, folder) for m in models for v in arguments.fmi.split(",") for k in arguments.kind.split(",")]
    failed = 0
    with ProcessPoolExecutor(max_workers=arguments.jobs) as pool:
        for model, version, kind, stage, why, seconds in pool.map(one, jobs):
            if stage:
                failed += 1
                print(f"{model} FMI {version} {kind}: {stage}: {why}", flush=True)
            else:
                print(f"{model} FMI {version} {kind}: agrees ({seconds:.1f} s){why}", flush=True)
    print(f"{len(jobs) - failed} of {len(jobs)} agree")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Exports models as C text, lets a compiler make libraries of it without a warning, and lets FMPy run them: are the curves those of the model?

    source.py [--kausal PROGRAM] [--fmi 2,3] [--inline METHOD] [MODEL …]

Events of C text take effect at the ends of steps, so `kausal simulate` does the same with the same steps. Without models, all examples
of the built-in library are taken that can be C text (K0713 says which cannot).

Exit code 0: all agree. 1: something does not. 3: FMPy is not there.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

from compare import at_points, wanted

# Both sides do the same operations; what is left is how far iterations go.
VALUE, SPAN = 1e-4, 1e-3


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def one(kausal, model, version, inline, folder):
    from fmpy import platform, platform_tuple, read_model_description, simulate_fmu
    from fmpy.validation import validate_fmu

    fmu, unpacked = os.path.join(folder, "m.fmu"), os.path.join(folder, f"{model}.{version}")
    made = run(kausal, "export", model, "--source", "--inline", inline, "--fmi", version, "-o", fmu)
    if made.returncode != 0:
        return ("refused: " if "K0713" in made.stderr else "export: ") + made.stderr.strip()[:200]
    problems = validate_fmu(fmu)
    if problems:
        return "validation: " + "; ".join(problems[:3])
    description = read_model_description(fmu)
    run("unzip", "-q", "-o", fmu, "-d", unpacked)
    binaries = os.path.join(unpacked, "binaries", platform if version == "2" else platform_tuple)
    os.makedirs(binaries, exist_ok=True)
    library = os.path.join(binaries, description.coSimulation.modelIdentifier + ".so")
    compiled = run("cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC", "-shared", "-o", library,
                   os.path.join(unpacked, "sources", f"fmi{version}.c"), "-lm")
    if compiled.returncode != 0:
        return "compiler: " + compiled.stderr.strip()[:300]
    experiment = description.defaultExperiment
    start, stop = float(experiment.startTime or 0), float(experiment.stopTime or 1)
    step = next(float(v.start) for v in description.modelVariables if v.name.endswith("_kausal.step"))
    names = [n for n in wanted(description) if n != "time"][:100]
    table, own = os.path.join(folder, "fmu.csv"), os.path.join(folder, "own.csv")
    pattern = lambda n: n.replace("[", "?").replace("]", "?")
    ours = run(kausal, "simulate", model, "--inline", inline, "--step", repr(step), "--events", "at-steps", "--output-interval", repr(step),
               "--stop", repr(stop), "-o", own, "--tolerance", "1e-10", *[o for n in names for o in ("--variables", pattern(n))])
    if ours.returncode != 0:
        return "refused: the model itself cannot make these steps: " + ours.stderr.strip()[:200]
    result = simulate_fmu(unpacked, fmi_type="CoSimulation", start_time=start, stop_time=stop, output_interval=step, output=names)
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time"] + names)
        writer.writerows([repr(float(row[n])) for n in ["time", *names]] for row in result)
    at_points(own, [row[0] for row in result], 1e-9 * (stop - start))
    judged = run(kausal, "compare", table, own, "--tolerance", str(VALUE), "--time-tolerance", str(SPAN), "--json",
                 *[o for n in names for o in ("--signals", pattern(n))])
    return None if judged.returncode == 0 else "curves: " + (judged.stdout or judged.stderr).strip()[:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--kausal", default="target/release/kausal")
    parser.add_argument("--fmi", default="2,3")
    parser.add_argument("--inline", default="implicit-euler")
    options = parser.parse_args()
    try:
        import fmpy  # noqa: F401
    except ImportError:
        print("skipped: FMPy is not installed")
        sys.exit(3)
    kausal = os.path.abspath(options.kausal)
    models = options.models or [e["name"] for e in json.loads(run(kausal, "examples", "--json").stdout) if not e["tutorial"]]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="kausal-source-") as folder:
        for model in models:
            for version in options.fmi.split(","):
                try:
                    why = one(kausal, model, version, options.inline, folder)
                except Exception as error:
                    why = repr(error)[:300]
                wrong += why is not None and not why.startswith("refused")
                print(f"{model} FMI {version}: {why or 'agrees'}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What FMUs cost: exporting, their size, steps of a Co-Simulation beside `kausal simulate`, many instances, leaks.

    measure.py [--kausal PROGRAM] [--valgrind] [MODEL …]

A program in C carries the instances on (`driver.c`). What is said of steps is time of the processor, so another load on the machine changes little: the
difference between 20,500 and 500 communication points, against the same difference of output points of `kausal simulate` with the same
tolerance. With --valgrind each model is exported, run and freed under valgrind, which must find nothing lost and no wrong access.

Exit code 0: within bounds. 1: something is not. 3: there is no C compiler.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile

FEW, MANY = 500, 20500
# What a step may cost beside one of `kausal simulate`.
RATIO = 1.2
INSTANCES = 1000
MODELS = ["FourBar", "MotorControl", "Robot", "Rectifier", "RC"]
REPEATED = 4


def cpu(*command):
    """Seconds of the processor that a command takes, at best."""
    best = float("inf")
    for _ in range(REPEATED):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[:300])
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


class Fmu:
    def __init__(self, kausal, model, folder):
        path = os.path.join(folder, model + ".fmu")
        began = time.monotonic()
        subprocess.run([kausal, "export", model, "-o", path, "--quiet"], check=True)
        self.seconds, self.bytes = time.monotonic() - began, os.path.getsize(path)
        self.folder = os.path.join(folder, model)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder)
        with open(os.path.join(self.folder, "modelDescription.xml")) as file:
            xml = file.read()
        self.token = re.search(r'instantiationToken="([^"]*)"', xml)[1]
        identifier = re.search(r'<CoSimulation modelIdentifier="([^"]*)"', xml)[1]
        platform = next(os.scandir(os.path.join(self.folder, "binaries"))).name
        self.library = os.path.join(self.folder, "binaries", platform, identifier + ".so")
        stop = re.search(r'stopTime="([^"]*)"', xml)
        self.stop = float(stop[1]) if stop else 1.0
        state = re.search(r'name="([^"]*)" valueReference="(\d+)"[^>]*>(?=[\s\S]*derivative="\2")', xml)
        self.signal = state[1] if state else None

    def driven(self, driver, steps, instances=1, stop=None, tolerance="1e-6"):
        resources = os.path.join(self.folder, "resources") + os.sep
        return [driver, self.library, self.token, resources, repr(stop or self.stop), str(steps), tolerance, str(instances)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--kausal", default="target/release/kausal")
    parser.add_argument("--valgrind", action="store_true")
    options = parser.parse_args()
    kausal = os.path.abspath(options.kausal)
    models = options.models or [f"Kausal.Examples.{name}" for name in MODELS]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="kausal-measure-") as folder:
        driver = os.path.join(folder, "driver")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.c")
        compiled = subprocess.run(["cc", "-O2", "-o", driver, source, "-ldl"], capture_output=True, text=True)
        if compiled.returncode != 0:
            print("skipped: there is no C compiler", compiled.stderr[:200])
            sys.exit(3)
        for model in models:
            fmu = Fmu(kausal, model, folder)
            print(f"{model}: exported in {fmu.seconds:.2f} s, {fmu.bytes / 1e6:.1f} MB", flush=True)
            if options.valgrind:
                command = fmu.driven(driver, 20, 2, min(fmu.stop, 1.0))
                kinds = "--errors-for-leak-kinds=definite,indirect,possible"
                done = subprocess.run(["valgrind", "--error-exitcode=9", "--leak-check=full", kinds, *command], capture_output=True, text=True)
                lost = [line.split("== ")[1].strip() for line in done.stderr.splitlines() if "lost:" in line or "ERROR SUMMARY" in line]
                wrong += done.returncode != 0
                print(f"  valgrind: {'; '.join(lost) or 'nothing lost'}", flush=True)
                continue
            step = (cpu(*fmu.driven(driver, MANY)) - cpu(*fmu.driven(driver, FEW))) / (MANY - FEW)
            table = os.path.join(folder, "own.mat")
            own = [kausal, "simulate", model, "--tolerance", "1e-6", "--quiet", "-o", table]
            own += ["--variables", re.sub(r"[\[\]]", "?", fmu.signal)] if fmu.signal else []
            span = lambda points: cpu(*own, "--output-interval", repr(fmu.stop / points))
            beside = (span(MANY) - span(FEW)) / (MANY - FEW)
            ratio = step / beside
            wrong += ratio > RATIO
            print(f"  a step: {1e6 * step:.2f} us, of kausal simulate: {1e6 * beside:.2f} us, ratio {ratio:.2f}", flush=True)
        if not options.valgrind:
            done = subprocess.run(fmu.driven(driver, 10, INSTANCES), capture_output=True, text=True)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            wrong += done.returncode != 0
            print(f"{INSTANCES} instances of {models[-1]}: {done.stdout.strip() or done.stderr.strip()[:300]} s to start and to run, {usage:.0f} MB at most")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

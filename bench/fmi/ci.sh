#!/usr/bin/env bash
# What CI runs: FMPy in a virtual environment of its own, and a choice of examples with everything that events, states and types can
# be: both versions, both kinds.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --release
venv=target/fmpy
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import fmpy' 2>/dev/null || "$venv/bin/pip" install --quiet fmpy
examples=(BouncingBall BuckConverter CoupledClutches DoublePendulum FourBar HeatedRod MotorControl Pendulum RC Rectifier SampledControl
  Stops Thermostat TwoFilters)
"$venv/bin/python" bench/fmi/compare.py "$@" "${examples[@]/#/Kausal.Examples.}"

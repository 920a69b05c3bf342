"""Parts (a) and (c) of bench/ensembles with diffrax (JAX) on the same GPU: seconds of the second call of a compiled, batched solve.

    python3 bench/peers/diffrax_ensembles.py [a] [c]

Double precision, relative and absolute tolerance 1e-6, final states kept on the device: (a) Lorenz from 0 to 1 with Tsit5, 10^6 runs;
(c) van der Pol with mu around 1000 to 2000 with Kvaerno5, 10^5 runs. Needs jax and diffrax.
"""
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)
import diffrax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def lorenz(_, y, rho):
    return jnp.stack([10.0 * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]])


def van_der_pol(_, y, mu):
    return jnp.stack([y[1], mu * (1.0 - y[0] * y[0]) * y[1] - y[0]])


PARTS = {
    "a": (lorenz, diffrax.Tsit5(), [1.0, 1.0, 1.0], (24.0, 32.0), 1.0, 1_000_000, 4096),
    "c": (van_der_pol, diffrax.Kvaerno5(), [2.0, 0.0], (900.0, 1100.0), 2000.0, 100_000, 100_000),
}


def main():
    for part in sys.argv[1:] or list(PARTS):
        right, solver, start, (low, high), stop, runs, steps = PARTS[part]
        term = diffrax.ODETerm(right)
        control = diffrax.PIDController(rtol=1e-6, atol=1e-6)

        def one(p, term=term, solver=solver, start=start, stop=stop, steps=steps, control=control):
            solution = diffrax.diffeqsolve(
                term, solver, 0.0, stop, None, jnp.array(start), args=p, stepsize_controller=control,
                saveat=diffrax.SaveAt(t1=True), max_steps=steps, throw=False,
            )
            return solution.ys[-1], solution.stats["num_steps"]

        solve = jax.jit(jax.vmap(one))
        values = jnp.linspace(low, high, runs)
        begin = time.perf_counter()
        jax.block_until_ready(solve(values))
        first = time.perf_counter() - begin
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            ys, count = jax.block_until_ready(solve(values))
            times.append(time.perf_counter() - begin)
        print(
            f"diffrax ({part}): {runs} runs, {min(times):.4f} s ({first:.1f} s with compilation), "
            f"{float(count.mean()):.0f} steps a run, last state {float(ys[-1][0]):.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

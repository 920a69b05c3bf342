/*
 * Integrates a model that Kausal has written as C with CVODE (SUNDIALS 6), for bench/inline.
 *
 * Compiled with -DMODEL="…" (the C text of the model) and -DTABLES="…" (its relations and discrete variables, written by
 * crates/kausal/examples/inline.rs). Arguments: end, number of instants, seconds to spend at least; tolerances are read from
 * stdin, one a line. Answers each with a line: milliseconds of a run, steps, evaluations of the right side (those for
 * Jacobians included), restarts, and the states at the instants, or "failed".
 *
 * BDF with a dense Jacobian of differences, CVODE's own; relations are its root functions. After a root the discrete part is
 * evaluated until it is at rest; CVODE starts anew only where something has changed that the right side reads.
 */
#include MODEL
#include TABLES

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static model m, first;
static double before[model_variables];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static int evaluate(double t, N_Vector x) {
    m.time = t;
    for (int i = 0; i < model_states; i++)
        m.v[model_state[i]] = NV_Ith_S(x, i);
    return model_dynamics(&m);
}

static int rhs(double t, N_Vector x, N_Vector d, void *user) {
    (void)user;
    int failed = evaluate(t, x);
    for (int i = 0; i < model_states; i++)
        NV_Ith_S(d, i) = m.v[model_derivative[i]];
    return failed;
}

static int roots(double t, N_Vector x, double *g, void *user) {
    (void)user;
    int failed = evaluate(t, x);
    for (int i = 0; i < relations; i++)
        g[i] = m.v[relation_difference[i]];
    return failed;
}

/* The discrete part until it is at rest; has something changed that the right side reads? -1: it failed. A relation whose difference
   has just crossed zero is zero but for rounding, and stays on the side it is put on: crossed says which way each went. */
static int event(const int *crossed) {
    memcpy(before, m.v, sizeof before);
    for (int i = 0; crossed && i < relations; i++)
        if (crossed[i])
            m.v[relation_variable[i]] = crossed[i] < 0 ? 1.0 : 0.0;
    for (int i = 0; i < pres; i++)
        if (!pre_is_discrete[i])
            m.pre[pre_variable[i]] = m.v[pre_variable[i]];
    for (int round = 0, changed = 1; changed; round++) {
        if (round == 100)
            return -1;
        for (int i = 0; i < pres; i++)
            m.v[pre_slot[i]] = m.pre[pre_variable[i]];
        if (model_discrete(&m))
            return -1;
        changed = 0;
        for (int i = 0; i < discretes; i++) {
            double value = m.v[discrete[i]];
            changed |= value != m.pre[discrete[i]];
            m.pre[discrete[i]] = value;
        }
    }
    for (int i = 0; i < notices; i++)
        if (m.v[noticed[i]] != before[noticed[i]])
            return 1;
    return 0;
}

/* Initial values, once. */
static int begin(void) {
    model_start(&m);
    m.initial = 1;
    if (initial_flag >= 0)
        m.v[initial_flag] = 1.0;
    if (homotopy >= 0)
        m.v[homotopy] = 1.0;
    if (model_parameters(&m) || model_initial(&m))
        return 1;
    for (int i = 0; i < discretes; i++)
        m.pre[discrete[i]] = m.v[discrete[i]];
    if (initial_flag >= 0)
        m.v[initial_flag] = 0.0;
    m.initial = 0;
    if (event(NULL) < 0)
        return 1;
    first = m;
    return 0;
}

/* One integration; 0 when it came to the end. */
static int integrate(SUNContext context, double end, int instants, double tolerance, double *states, long counts[3]) {
    m = first;
    N_Vector x = N_VNew_Serial(model_states, context), absolute = N_VNew_Serial(model_states, context);
    for (int i = 0; i < model_states; i++) {
        NV_Ith_S(x, i) = m.v[model_state[i]];
        NV_Ith_S(absolute, i) = tolerance * nominal[i];
    }
    void *memory = CVodeCreate(CV_BDF, context);
    SUNMatrix matrix = SUNDenseMatrix(model_states, model_states, context);
    SUNLinearSolver solver = SUNLinSol_Dense(x, matrix, context);
    CVodeInit(memory, rhs, 0.0, x);
    CVodeSVtolerances(memory, tolerance, absolute);
    CVodeSetMaxNumSteps(memory, 5000000);
    CVodeSetLinearSolver(memory, solver, matrix);
    if (relations > 0) {
        CVodeRootInit(memory, relations, roots);
        CVodeSetNoInactiveRootWarn(memory);
    }
    CVodeSetStopTime(memory, end);
    double t = 0.0;
    int result = 0;
    memset(counts, 0, 3 * sizeof *counts);
    for (int k = 1; k <= instants && result >= 0;) {
        double at = k == instants ? end : end * k / instants;
        /* An event may have been at the instant itself. */
        result = at - t > 1e-12 * end ? CVode(memory, at, x, &t, CV_NORMAL) : 0;
        if (result == CV_ROOT_RETURN) {
            if (evaluate(t, x)) {
                result = -1;
                break;
            }
            int crossed[relations + 1];
            CVodeGetRootInfo(memory, crossed);
            int changed = event(crossed);
            if (changed < 0)
                result = -1;
            if (changed > 0) {
                long steps, evaluations, differences;
                CVodeGetNumSteps(memory, &steps);
                CVodeGetNumRhsEvals(memory, &evaluations);
                CVodeGetNumLinRhsEvals(memory, &differences);
                counts[0] += steps;
                counts[1] += evaluations + differences;
                counts[2]++;
                for (int i = 0; i < model_states; i++)
                    NV_Ith_S(x, i) = m.v[model_state[i]];
                CVodeReInit(memory, t, x);
                CVodeSetStopTime(memory, end);
            }
        } else if (result >= 0) {
            memcpy(states + (k - 1) * model_states, NV_DATA_S(x), sizeof(double) * model_states);
            k++;
        }
    }
    long steps = 0, evaluations = 0, differences = 0;
    CVodeGetNumSteps(memory, &steps);
    CVodeGetNumRhsEvals(memory, &evaluations);
    CVodeGetNumLinRhsEvals(memory, &differences);
    counts[0] += steps;
    counts[1] += evaluations + differences;
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(x);
    N_VDestroy(absolute);
    return result < 0;
}

int main(int argc, char **argv) {
    SUNContext context;
    if (argc < 4 || SUNContext_Create(NULL, &context) || begin())
        return 1;
    double end = atof(argv[1]), seconds = atof(argv[3]), tolerance;
    int instants = atoi(argv[2]);
    double *states = malloc(sizeof(double) * model_states * instants);
    if (!states)
        return 1;
    while (scanf("%lf", &tolerance) == 1) {
        long counts[3];
        double start = now();
        int failed = integrate(context, end, instants, tolerance, states, counts);
        double once = now() - start;
        int repeats = once > 0.0 ? (int)(1e3 * seconds / once) + 1 : 1;
        double best = once;
        for (int k = 0; k < repeats && !failed; k++) {
            start = now();
            failed = integrate(context, end, instants, tolerance, states, counts);
            once = now() - start;
            best = once < best ? once : best;
        }
        if (failed) {
            printf("failed\n");
        } else {
            printf("%.6f %ld %ld %ld", best, counts[0], counts[1], counts[2]);
            for (int i = 0; i < model_states * instants; i++)
                printf(" %.17g", states[i]);
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}

/*
 * Integrates problems of the test set with CVODE (SUNDIALS 6), for bench/cvode.
 *
 * Reads requests from stdin, one a line: name, number of states, end, tolerance, repetitions, then the states at 0 and
 * the sizes that absolute tolerances are relative to. Answers each with a line: milliseconds (the best of the
 * repetitions), steps, evaluations of the right side (those for Jacobians included), and the states at the end, or
 * "failed". The definitions are those of the Rust side, crates/kausal-solver/tests/common/ivp.rs; start, end and
 * reference values are kept there only.
 */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_STATES 100

#define RHS(name) \
    static void name##_body(double t, const double *x, double *d); \
    static int name(double t, N_Vector x, N_Vector d, void *user) { \
        (void)user; \
        name##_body(t, NV_DATA_S(x), NV_DATA_S(d)); \
        return 0; \
    } \
    static void name##_body(double t, const double *x, double *d)

/* J(i, k): the derivative of row i by state k. */
#define JACOBIAN(name, size) \
    static void name##_body(const double *x, double *j); \
    static int name(double t, N_Vector x, N_Vector fx, SUNMatrix jac, void *user, N_Vector a, N_Vector b, N_Vector c) { \
        (void)t, (void)fx, (void)user, (void)a, (void)b, (void)c; \
        memset(SM_DATA_D(jac), 0, sizeof(double) * (size) * (size)); \
        name##_body(NV_DATA_S(x), SM_DATA_D(jac)); \
        return 0; \
    } \
    static void name##_body(const double *x, double *j)

RHS(robertson) {
    (void)t;
    double slow = 0.04 * x[0], fast = 3e7 * x[1] * x[1], back = 1e4 * x[1] * x[2];
    d[0] = -slow + back;
    d[1] = slow - fast - back;
    d[2] = fast;
}

JACOBIAN(robertson_jacobian, 3) {
    j[0] = -0.04;
    j[1] = 0.04;
    j[3] = 1e4 * x[2];
    j[4] = -6e7 * x[1] - 1e4 * x[2];
    j[5] = 6e7 * x[1];
    j[6] = 1e4 * x[1];
    j[7] = -1e4 * x[1];
}

RHS(hires) {
    (void)t;
    d[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    d[1] = 1.71 * x[0] - 8.75 * x[1];
    d[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    d[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    d[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    d[5] = -280.0 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    d[6] = 280.0 * x[5] * x[7] - 1.81 * x[6];
    d[7] = -d[6];
}

JACOBIAN(hires_jacobian, 8) {
#define J(i, k) j[(i) + 8 * (k)]
    J(0, 0) = -1.71, J(0, 1) = 0.43, J(0, 2) = 8.32;
    J(1, 0) = 1.71, J(1, 1) = -8.75;
    J(2, 2) = -10.03, J(2, 3) = 0.43, J(2, 4) = 0.035;
    J(3, 1) = 8.32, J(3, 2) = 1.71, J(3, 3) = -1.12;
    J(4, 4) = -1.745, J(4, 5) = 0.43, J(4, 6) = 0.43;
    J(5, 3) = 0.69, J(5, 4) = 1.71, J(5, 5) = -280.0 * x[7] - 0.43, J(5, 6) = 0.69, J(5, 7) = -280.0 * x[5];
    J(6, 5) = 280.0 * x[7], J(6, 6) = -1.81, J(6, 7) = 280.0 * x[5];
    J(7, 5) = -280.0 * x[7], J(7, 6) = 1.81, J(7, 7) = -280.0 * x[5];
#undef J
}

RHS(van_der_pol) {
    (void)t;
    d[0] = x[1];
    d[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
}

JACOBIAN(van_der_pol_jacobian, 2) {
    j[1] = (-2.0 * x[0] * x[1] - 1.0) / 1e-6;
    j[2] = 1.0;
    j[3] = (1.0 - x[0] * x[0]) / 1e-6;
}

RHS(orego) {
    (void)t;
    d[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
    d[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
    d[2] = 0.161 * (x[0] - x[2]);
}

JACOBIAN(orego_jacobian, 3) {
    j[0] = 77.27 * (1.0 - 2.0 * 8.375e-6 * x[0] - x[1]);
    j[1] = -x[1] / 77.27;
    j[2] = 0.161;
    j[3] = 77.27 * (1.0 - x[0]);
    j[4] = -(1.0 + x[0]) / 77.27;
    j[7] = 1.0 / 77.27;
    j[8] = -0.161;
}

/* Reactions: rate constant, the one or two substances that react; and for each substance the reactions that make it, or
 * with a minus take it away. */
static const double rate[25] = {0.35,  26.6,    12300.0, 0.00086, 0.00082, 15000.0, 0.00013, 24000.0, 16500.0,
                                9000.0, 0.022,  12000.0, 1.88,    16300.0, 4.8e6,   3.5e-4,  0.0175,  1e8,
                                4.44e11, 1240.0, 2.1,    5.78,    0.0474,  1780.0,  3.12};
static const int first[25] = {1, 2, 5, 7, 7, 7, 9, 9, 11, 11, 13, 10, 14, 1, 3, 4, 4, 16, 16, 17, 19, 19, 1, 19, 20};
static const int second[25] = {0, 4, 2, 0, 0, 6, 0, 6, 2, 1, 0, 2, 0, 6, 0, 0, 0, 0, 0, 6, 0, 0, 4, 1, 0};
static const int balance[20][13] = {{-1, -10, -14, -23, -24, 2, 3, 9, 11, 12, 22, 25},
                                    {-2, -3, -9, -12, 1, 21},
                                    {-15, 1, 17, 19, 22},
                                    {-2, -16, -17, -23, 15},
                                    {-3, 4, 4, 6, 7, 13, 20},
                                    {-6, -8, -14, -20, 3, 18, 18},
                                    {-4, -5, -6, 13},
                                    {4, 5, 6, 7},
                                    {-7, -8},
                                    {-12, 7, 9},
                                    {-9, -10, 8, 11},
                                    {9},
                                    {-11, 10},
                                    {-13, 12},
                                    {14},
                                    {-18, -19, 16},
                                    {-20},
                                    {20},
                                    {-21, -22, -24, 23, 25},
                                    {-25, 24}};

RHS(pollution) {
    (void)t;
    double r[25];
    for (int i = 0; i < 25; i++)
        r[i] = rate[i] * x[first[i] - 1] * (second[i] ? x[second[i] - 1] : 1.0);
    for (int i = 0; i < 20; i++) {
        d[i] = 0.0;
        for (const int *b = balance[i]; *b; b++)
            d[i] += *b > 0 ? r[*b - 1] : -r[-*b - 1];
    }
}

JACOBIAN(pollution_jacobian, 20) {
    for (int i = 0; i < 20; i++)
        for (const int *b = balance[i]; *b; b++) {
            int r = abs(*b) - 1;
            double k = *b > 0 ? rate[r] : -rate[r];
            j[i + 20 * (first[r] - 1)] += k * (second[r] ? x[second[r] - 1] : 1.0);
            if (second[r])
                j[i + 20 * (second[r] - 1)] += k * x[first[r] - 1];
        }
}

static double diode(double u) { return 40.67286402e-9 * (exp(17.7493332 * u) - 1.0); }

RHS(ring_modulator) {
    const double c = 1.6e-8, cs = 2e-12, cp = 1e-8, lh = 4.45, ls1 = 2e-3, ls2 = 5e-4, ls3 = 5e-4, r = 25e3, rp = 50,
                 rg1 = 36.3, rg2 = 17.3, rg3 = 17.3, ri = 50, rc = 600;
    double in1 = 0.5 * sin(2e3 * M_PI * t), in2 = 2 * sin(2e4 * M_PI * t);
    double q1 = diode(x[2] - x[4] - x[6] - in2), q2 = diode(-x[3] + x[5] - x[6] - in2),
           q3 = diode(x[3] + x[4] + x[6] + in2), q4 = diode(-x[2] - x[5] + x[6] + in2);
    d[0] = (x[7] - 0.5 * x[9] + 0.5 * x[10] + x[13] - x[0] / r) / c;
    d[1] = (x[8] - 0.5 * x[11] + 0.5 * x[12] + x[14] - x[1] / r) / c;
    d[2] = (x[9] - q1 + q4) / cs;
    d[3] = (-x[10] + q2 - q3) / cs;
    d[4] = (x[11] + q1 - q3) / cs;
    d[5] = (-x[12] - q2 + q4) / cs;
    d[6] = (-x[6] / rp + q1 + q2 - q3 - q4) / cp;
    d[7] = -x[0] / lh;
    d[8] = -x[1] / lh;
    d[9] = (0.5 * x[0] - x[2] - rg2 * x[9]) / ls2;
    d[10] = (-0.5 * x[0] + x[3] - rg3 * x[10]) / ls3;
    d[11] = (0.5 * x[1] - x[4] - rg2 * x[11]) / ls2;
    d[12] = (-0.5 * x[1] + x[5] - rg3 * x[12]) / ls3;
    d[13] = (-x[0] + in1 - (ri + rg1) * x[13]) / ls1;
    d[14] = (-x[1] - (rc + rg1) * x[14]) / ls1;
}

static const struct {
    const char *name;
    CVRhsFn f;
    CVLsJacFn jacobian;
} problems[] = {
    {"robertson", robertson, robertson_jacobian},
    {"hires", hires, hires_jacobian},
    {"vdpol", van_der_pol, van_der_pol_jacobian},
    {"orego", orego, orego_jacobian},
    {"pollution", pollution, pollution_jacobian},
    {"ring", ring_modulator, NULL},
};

/* Milliseconds this process has computed: other processes do not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

/* One integration; 0 when it came to the end. */
static int integrate(SUNContext context, int p, int n, double end, double tolerance, const double *start,
                     const double *size, double *states, long counts[2]) {
    N_Vector x = N_VNew_Serial(n, context), absolute = N_VNew_Serial(n, context);
    for (int i = 0; i < n; i++) {
        NV_Ith_S(x, i) = start[i];
        NV_Ith_S(absolute, i) = tolerance * size[i];
    }
    void *memory = CVodeCreate(CV_BDF, context);
    SUNMatrix matrix = SUNDenseMatrix(n, n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(x, matrix, context);
    CVodeInit(memory, problems[p].f, 0.0, x);
    CVodeSVtolerances(memory, tolerance, absolute);
    CVodeSetMaxNumSteps(memory, 5000000);
    CVodeSetLinearSolver(memory, solver, matrix);
    if (problems[p].jacobian)
        CVodeSetJacFn(memory, problems[p].jacobian);
    CVodeSetStopTime(memory, end);
    double t;
    int result = CVode(memory, end, x, &t, CV_NORMAL);
    long rhs = 0, for_jacobians = 0;
    CVodeGetNumSteps(memory, &counts[0]);
    CVodeGetNumRhsEvals(memory, &rhs);
    CVodeGetNumLinRhsEvals(memory, &for_jacobians);
    counts[1] = rhs + for_jacobians;
    memcpy(states, NV_DATA_S(x), sizeof(double) * n);
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(x);
    N_VDestroy(absolute);
    return result < 0;
}

int main(void) {
    SUNContext context;
    if (SUNContext_Create(NULL, &context))
        return 1;
    char name[32];
    int n, repetitions;
    double end, tolerance;
    while (scanf("%31s %d %lf %lf %d", name, &n, &end, &tolerance, &repetitions) == 5) {
        double start[MOST_STATES], size[MOST_STATES], states[MOST_STATES];
        int p = 0, count = sizeof problems / sizeof *problems;
        while (p < count && strcmp(problems[p].name, name))
            p++;
        if (p == count || n > MOST_STATES)
            return 1;
        for (int i = 0; i < n; i++)
            if (scanf("%lf", &start[i]) != 1)
                return 1;
        for (int i = 0; i < n; i++)
            if (scanf("%lf", &size[i]) != 1)
                return 1;
        double best = INFINITY;
        long counts[2] = {0, 0};
        int failed = 0;
        for (int k = 0; k < repetitions && !failed; k++) {
            double begin = now();
            failed = integrate(context, p, n, end, tolerance, start, size, states, counts);
            best = fmin(best, now() - begin);
        }
        if (failed) {
            printf("failed\n");
        } else {
            printf("%.6f %ld %ld", best, counts[0], counts[1]);
            for (int i = 0; i < n; i++)
                printf(" %.17g", states[i]);
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}

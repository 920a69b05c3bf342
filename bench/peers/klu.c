/*
 * Factorises sparse matrices with KLU (SuiteSparse), for bench/klu.
 *
 * Reads matrices from stdin: n, the number of entries, the repetitions, the column pointers, the rows, two sets of values
 * and a right side. Answers with a line: milliseconds for analysis, first factorisation, refactorisation with the second
 * values and solution (the last two the best of the repetitions), the entries of the factors, and the solution.
 */
#include <suitesparse/klu.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Milliseconds this process has computed: other processes do not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static void read_integers(int *values, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%d", &values[i]) != 1)
            exit(1);
}

static void read_numbers(double *values, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%lf", &values[i]) != 1)
            exit(1);
}

int main(void) {
    int n, entries, repetitions;
    while (scanf("%d %d %d", &n, &entries, &repetitions) == 3) {
        int *columns = malloc(sizeof(int) * (n + 1)), *rows = malloc(sizeof(int) * entries);
        double *old = malloc(sizeof(double) * entries), *values = malloc(sizeof(double) * entries);
        double *right = malloc(sizeof(double) * n), *x = malloc(sizeof(double) * n);
        read_integers(columns, n + 1);
        read_integers(rows, entries);
        read_numbers(old, entries);
        read_numbers(values, entries);
        read_numbers(right, n);
        klu_common common;
        klu_defaults(&common);
        double begin = now();
        klu_symbolic *symbolic = klu_analyze(n, columns, rows, &common);
        double analysis = now() - begin;
        begin = now();
        klu_numeric *numeric = klu_factor(columns, rows, old, symbolic, &common);
        double first = now() - begin;
        if (!numeric) {
            printf("failed\n");
            continue;
        }
        double again = INFINITY, solution = INFINITY;
        for (int k = 0; k < repetitions; k++) {
            begin = now();
            klu_refactor(columns, rows, values, symbolic, numeric, &common);
            again = fmin(again, now() - begin);
            for (int i = 0; i < n; i++)
                x[i] = right[i];
            begin = now();
            klu_solve(symbolic, numeric, n, 1, x, &common);
            solution = fmin(solution, now() - begin);
        }
        printf("%.6f %.6f %.6f %.6f %d", analysis, first, again, solution, numeric->lnz + numeric->unz - n);
        for (int i = 0; i < n; i++)
            printf(" %.17g", x[i]);
        printf("\n");
        fflush(stdout);
        klu_free_numeric(&numeric, &common);
        klu_free_symbolic(&symbolic, &common);
        free(columns), free(rows), free(old), free(values), free(right), free(x);
    }
    return 0;
}

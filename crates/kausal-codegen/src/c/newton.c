/* What Newton's iteration knows of a system: how many tries it may take, slots of the unknowns and of the residuals in the
   values, magnitudes and bounds of the unknowns, how residuals and (if not null) their derivatives are computed. */
typedef struct kausal_system {
    int n;
    int most;
    const int *unknown;
    const int *residual;
    const double *nominal;
    const double *min;
    const double *max;
    int (*evaluate)(void *model);
    int (*jacobian)(void *model, double *matrix);
} kausal_system;

/* The size of a correction of the unknowns x: the largest part of their own sizes. */
static double kausal_correction_size(const kausal_system *s, const double *x, const double *correction)
{
    double size = 0.0;
    for (int i = 0; i < s->n; i++) {
        const double part = fabs(correction[i])/fmax(fabs(x[i]), s->nominal[i]);
        if (!(part < HUGE_VAL)) {
            return HUGE_VAL;
        }
        size = fmax(size, part);
    }
    return size;
}

/* Derivatives by differences; the residuals at the unknowns are in r, and are there again afterwards. */
static int kausal_differences(const kausal_system *s, void *model, double *v, const double *r, double *matrix)
{
    const int n = s->n;
    for (int j = 0; j < n; j++) {
        const double x = v[s->unknown[j]];
        double h = 1.5e-8*fmax(fabs(x), s->nominal[j]);
        if (x + h > s->max[j]) {
            h = -h;
        }
        v[s->unknown[j]] = x + h;
        h = v[s->unknown[j]] - x;
        const int failed = s->evaluate(model);
        v[s->unknown[j]] = x;
        if (failed) {
            return failed;
        }
        for (int i = 0; i < n; i++) {
            matrix[i*n + j] = (v[s->residual[i]] - r[i])/h;
        }
    }
    return s->evaluate(model);
}

/* Damped Newton iteration. work has n*(n + 4) elements, pivot has n. Afterwards everything the residuals were computed
   from belongs to the solution. Whether a step is good is seen in the correction that would follow with the same matrix
   (Deuflhard's natural monotonicity test), which does not depend on how equations are scaled. A shorter step in the same direction
   is a try of its own, so s->most bounds the evaluations of the residuals, and that of the matrices. Returns 0 if the solution was
   found, 4 if more tries would have been needed. */
static int kausal_newton(const kausal_system *s, void *model, double *v, double *work, int *pivot)
{
    const int n = s->n;
    double *matrix = work;
    double *step = matrix + n*n;
    double *from = step + n;
    double *r = from + n;
    double *next = r + n;
    if (s->evaluate(model)) {
        return 1;
    }
    for (int tries = 0;;) {
        int zero = 1;
        for (int i = 0; i < n; i++) {
            from[i] = v[s->unknown[i]];
            r[i] = v[s->residual[i]];
            step[i] = -r[i];
            zero &= r[i] == 0.0;
        }
        if (zero) {
            return 0;
        }
        if (s->jacobian ? s->jacobian(model, matrix) : kausal_differences(s, model, v, r, matrix)) {
            return 1;
        }
        if (kausal_lu_factor(n, matrix, pivot)) {
            return 2;
        }
        kausal_lu_solve(n, matrix, pivot, step);
        const double size = kausal_correction_size(s, from, step);

        double damping = 1.0;
        double left;
        for (;;) {
            if (tries++ == s->most) {
                return 4;
            }
            for (int i = 0; i < n; i++) {
                const double x = from[i] + damping*step[i];
                v[s->unknown[i]] = x < s->min[i] ? s->min[i] : x > s->max[i] ? s->max[i] : x;
            }
            left = HUGE_VAL;
            if (!s->evaluate(model)) {
                for (int i = 0; i < n; i++) {
                    next[i] = -v[s->residual[i]];
                }
                kausal_lu_solve(n, matrix, pivot, next);
                left = kausal_correction_size(s, from, next);
            }
            /* Close to the solution rounding may let what is left grow. */
            if (left < HUGE_VAL
                && (left <= (1.0 - 0.25*damping)*size || (damping*size <= 1e-9 && left <= 1e-9))) {
                break;
            }
            damping *= 0.5;
            if (damping < 1e-6) {
                return 3;
            }
        }
        if (damping*size <= 1e-12 || (damping == 1.0 && (size <= 1e-9 || left <= 1e-14))) {
            return 0;
        }
    }
}

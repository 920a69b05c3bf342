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

static double kausal_residual_norm(const kausal_system *s, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; i++) {
        sum += v[s->residual[i]]*v[s->residual[i]];
    }
    return sum;
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

/* Damped Newton iteration. work has n*(n + 3) elements, pivot has n. Afterwards everything the residuals were computed
   from belongs to the solution. A shorter step in the same direction is a try of its own, so s->most bounds the evaluations of
   the residuals, and that of the matrices. Returns 0 if the solution was found, 4 if more tries would have been needed. */
static int kausal_newton(const kausal_system *s, void *model, double *v, double *work, int *pivot)
{
    const int n = s->n;
    double *matrix = work;
    double *step = matrix + n*n;
    double *from = step + n;
    double *r = from + n;
    if (s->evaluate(model)) {
        return 1;
    }
    double norm = kausal_residual_norm(s, v);
    for (int tries = 0;;) {
        if (norm == 0.0) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            from[i] = v[s->unknown[i]];
            r[i] = v[s->residual[i]];
        }
        if (s->jacobian ? s->jacobian(model, matrix) : kausal_differences(s, model, v, r, matrix)) {
            return 1;
        }
        if (kausal_lu_factor(n, matrix, pivot)) {
            return 2;
        }
        for (int i = 0; i < n; i++) {
            step[i] = -r[i];
        }
        kausal_lu_solve(n, matrix, pivot, step);

        double damping = 1.0;
        double size;
        for (;;) {
            if (tries++ == s->most) {
                return 4;
            }
            size = 0.0;
            for (int i = 0; i < n; i++) {
                double x = from[i] + damping*step[i];
                x = x < s->min[i] ? s->min[i] : x > s->max[i] ? s->max[i] : x;
                v[s->unknown[i]] = x;
                size = fmax(size, fabs(x - from[i])/fmax(fabs(x), s->nominal[i]));
            }
            const int failed = s->evaluate(model);
            const double next = failed ? HUGE_VAL : kausal_residual_norm(s, v);
            /* A full step promises zero: at least a quarter of what a step promises must come true. Close to the
               solution rounding may let the residuals grow. */
            if (next <= (1.0 - 0.5*damping)*norm || (!failed && size <= 1e-9 && next < HUGE_VAL)) {
                norm = next;
                break;
            }
            damping *= 0.5;
            if (damping < 1e-6) {
                return 3;
            }
        }
        if (size <= 1e-12 || (size <= 1e-9 && damping == 1.0)) {
            return 0;
        }
    }
}

/* RODASP (Steinebach, preprint 1741, TH Darmstadt 1995): a Rosenbrock method of order 4, six linear systems with one matrix a step,
   in the variables that need no products with the Jacobian (Hairer and Wanner, section IV.7). */
static const float kausal_order = 4.0f, kausal_exponent = 0.25f, kausal_integral = 0.0f, kausal_shrink = 0.16666667f, kausal_grow = 6.0f;

/* What is known of a step inside, and the derivatives of the right side where it begins. */
typedef struct kausal_inside {
    double first[KAUSAL_STATES];
    double second[KAUSAL_STATES];
    double jacobian[KAUSAL_STATES*KAUSAL_STATES];
    double by_time[KAUSAL_STATES];
    int known;
    int on_border;
    int calm;
} kausal_inside;

/* Derivatives of the right side by states, by differences. */
KAUSAL_INLINE int kausal_by_differences(model *m, const double *held, double t, const double *x, const double *dx,
    const double *size, double *jacobian)
{
    double there[KAUSAL_STATES], slope[KAUSAL_STATES];
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) there[i] = x[i];
    for (int j = 0; j < KAUSAL_STATES; j++) {
        const double kept = there[j];
        there[j] = kept + 1.5e-8*fmax(fabs(kept), size[j]);
        const double h = there[j] - kept;
        if (kausal_slopes(m, held, t, there, slope)) return 1;
        there[j] = kept;
        for (int i = 0; i < KAUSAL_STATES; i++) jacobian[i*KAUSAL_STATES + j] = (slope[i] - dx[i])/h;
    }
    return 0;
}

/* Factors with row pivoting. Returns 1 if the matrix is singular. */
KAUSAL_INLINE int kausal_factors(double *a, int *pivot)
{
    const int n = KAUSAL_STATES;
    KAUSAL_UNROLL
    for (int k = 0; k < n; k++) {
        int p = k;
        double largest = fabs(a[k*n + k]);
        KAUSAL_UNROLL
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i*n + k]) > largest) {
                largest = fabs(a[i*n + k]);
                p = i;
            }
        }
        pivot[k] = p;
        if (!(largest > 0.0)) return 1;
        KAUSAL_UNROLL
        for (int i = k + 1; i < n; i++) {
            /* An exchange without subscripts that vary: the matrix stays in registers. */
            if (i == p) {
                KAUSAL_UNROLL
                for (int j = 0; j < n; j++) {
                    const double other = a[k*n + j];
                    a[k*n + j] = a[i*n + j];
                    a[i*n + j] = other;
                }
            }
        }
        const double inverse = 1.0/a[k*n + k];
        a[k*n + k] = inverse;
        KAUSAL_UNROLL
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i*n + k] *= inverse;
            KAUSAL_UNROLL
            for (int j = k + 1; j < n; j++) a[i*n + j] -= factor*a[k*n + j];
        }
    }
    return 0;
}

/* Solves with them. */
KAUSAL_INLINE void kausal_backsolve(const double *a, const int *pivot, double *b)
{
    const int n = KAUSAL_STATES;
    KAUSAL_UNROLL
    for (int k = 0; k < n; k++) {
        KAUSAL_UNROLL
        for (int i = k + 1; i < n; i++) {
            if (i == pivot[k]) {
                const double other = b[k];
                b[k] = b[i];
                b[i] = other;
            }
        }
        
    }
    KAUSAL_UNROLL
    for (int i = 1; i < n; i++) {
        KAUSAL_UNROLL
        for (int j = 0; j < i; j++) b[i] -= a[i*n + j]*b[j];
    }
    KAUSAL_UNROLL
    for (int i = n - 1; i >= 0; i--) {
        KAUSAL_UNROLL
        for (int j = i + 1; j < n; j++) b[i] -= a[i*n + j]*b[j];
        b[i] *= a[i*n + i];
    }
}

/* An attempt at a step of size h to y, of which the first derivative is dx. Gives the derivative there and the squared error.
   Returns 1 where the right side cannot be computed. */
KAUSAL_INLINE int kausal_attempt(model *m, const double *held, double t, double t_new, double h, const double *x, const double *dx,
    const double *size, double unit, double *y, double *dy, double *squared, kausal_inside *s)
{
    enum { n = KAUSAL_STATES };
    double matrix[n*n], u[6][n];
    int pivot[n];
    if (!s->known) {
#if KAUSAL_JACOBIAN
        if (model_jacobian(m, held, t, x, s->jacobian)) return 1;
#else
        if (kausal_by_differences(m, held, t, x, dx, size, s->jacobian)) return 1;
#endif
#if KAUSAL_AUTONOMOUS
        KAUSAL_UNROLL
        for (int i = 0; i < n; i++) s->by_time[i] = 0.0;
#else
        const double later = t + 1e-4*h, shift = later - t;
        if (kausal_slopes(m, held, later, x, s->by_time)) return 1;
        KAUSAL_UNROLL
        for (int i = 0; i < n; i++) s->by_time[i] = shift > 0.0 ? (s->by_time[i] - dx[i])/shift : 0.0;
#endif
        s->known = 1;
    }
    const double scale = 0.25*h;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) {
        KAUSAL_UNROLL
        for (int j = 0; j < n; j++) matrix[i*n + j] = (double)(i == j) - scale*s->jacobian[i*n + j];
    }
    if (kausal_factors(matrix, pivot)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[0][i] = scale*(dx[i] + h*(0.25)*s->by_time[i]);
    kausal_backsolve(matrix, pivot, u[0]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) y[i] = x[i] + 3.0*u[0][i];
    if (kausal_slopes(m, held, t + 0.75*h, y, dy)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[1][i] = scale*(dy[i] + h*(-0.5)*s->by_time[i]) + 0.25*(0.0 - 12.0*u[0][i]);
    kausal_backsolve(matrix, pivot, u[1]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) y[i] = x[i] + 1.831036793486759*u[0][i] + 0.4955183967433795*u[1][i];
    if (kausal_slopes(m, held, t + 0.21*h, y, dy)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[2][i] = scale*(dy[i] + h*(-0.023504)*s->by_time[i]) + 0.25*(0.0 - 8.791795173947035*u[0][i] - 2.207865586973518*u[1][i]);
    kausal_backsolve(matrix, pivot, u[2]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) y[i] = x[i] + 2.304376582692669*u[0][i] - 0.05249275245743001*u[1][i] - 1.176798761832782*u[2][i];
    if (kausal_slopes(m, held, t + 0.63*h, y, dy)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[3][i] = scale*(dy[i] + h*(-0.0362)*s->by_time[i]) + 0.25*(0.0 + 10.81793056857153*u[0][i] + 6.780270611428266*u[1][i] + 19.5348594464241*u[2][i]);
    kausal_backsolve(matrix, pivot, u[3]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) y[i] = x[i] - 7.170454962423024*u[0][i] - 4.741636671481785*u[1][i] - 16.31002631330971*u[2][i] - 1.062004044111401*u[3][i];
    if (kausal_slopes(m, held, t_new, y, dy)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[4][i] = scale*(dy[i]) + 0.25*(0.0 + 34.19095006749676*u[0][i] + 15.49671153725963*u[1][i] + 54.7476087596413*u[2][i] + 14.16005392148534*u[3][i]);
    kausal_backsolve(matrix, pivot, u[4]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) y[i] = x[i] - 7.170454962423024*u[0][i] - 4.741636671481785*u[1][i] - 16.31002631330971*u[2][i] - 1.062004044111401*u[3][i] + 1.0*u[4][i];
    if (kausal_slopes(m, held, t_new, y, dy)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) u[5][i] = scale*(dy[i]) + 0.25*(0.0 + 34.62605830930532*u[0][i] + 15.30084976114473*u[1][i] + 56.99955578662667*u[2][i] + 18.40807009793095*u[3][i] - 5.714285714285717*u[4][i]);
    kausal_backsolve(matrix, pivot, u[5]);
    KAUSAL_UNROLL
    for (int i = 0; i < n; i++) {
        y[i] += u[5][i];
        s->first[i] = 0.0 + 25.09876703708589*u[0][i] + 11.62013104361867*u[1][i] + 28.49148307714626*u[2][i] - 5.664021568594133*u[3][i] + 0.0*u[4][i];
        s->second[i] = 0.0 + 1.638054557396973*u[0][i] - 0.7373619806678748*u[1][i] + 8.47791821923899*u[2][i] + 15.9925314877952*u[3][i] - 1.882352941176471*u[4][i];
    }
    *squared = kausal_squared(u[5], x, y, size, unit);
    return kausal_slopes(m, held, t_new, y, dy);
}

/* The states at a part of the last step. */
KAUSAL_INLINE void kausal_inside_at(const kausal_inside *s, double h, double part, const double *x, const double *y, double *there)
{
    (void)h;
    const double rest = 1.0 - part;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        there[i] = x[i]*rest + part*(y[i] + rest*(s->first[i] + part*s->second[i]));
    }
}

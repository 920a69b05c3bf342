/* Step sizes. The controller is a proportional and integral one (Gustafsson 1991) in single precision, which is enough for a
   proposal; squares of errors come in, so that nobody takes roots. */
KAUSAL_INLINE float kausal_power_of(float x, float y)
{
    return exp2f(y*log2f(x));
}

/* Ratio of the next step to one that was accepted with this squared error. */
KAUSAL_INLINE double kausal_accepted(double squared, float *last, int after_rejection)
{
    const float e = fmaxf((float)squared, 1e-20f);
    const float ratio = 0.9f*kausal_power_of(e, -0.5f*kausal_exponent)*kausal_power_of(*last, 0.5f*kausal_integral);
    *last = fmaxf(e, 1e-8f);
    return (double)fminf(fmaxf(ratio, kausal_shrink), after_rejection ? 1.0f : kausal_grow);
}

/* Ratio of the step that is tried instead of one with this squared error. */
KAUSAL_INLINE double kausal_rejected(double squared)
{
    if (!(squared < 1e30)) return 0.1;
    return (double)fminf(fmaxf(0.9f*kausal_power_of((float)squared, -0.5f*kausal_exponent), kausal_shrink), 0.9f);
}

/* The right side: derivatives at x. Returns 1 where they cannot be computed. */
KAUSAL_INLINE int kausal_slopes(model *m, const double *held, double t, const double *x, double *dx)
{
#if KAUSAL_DIRECT
    return model_slopes(m, held, t, x, dx);
#else
    (void)held;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) m->v[model_state[i]] = x[i];
    m->time = t;
    if (model_dynamics(m)) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) dx[i] = m->v[model_derivative[i]];
    return 0;
#endif
}

/* All variables that dynamics compute, at x. */
KAUSAL_APART static int kausal_evaluate(model *m, double t, const double *x)
{
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) m->v[model_state[i]] = x[i];
    m->time = t;
    return model_dynamics(m);
}

/* A state of unknown size is measured by the largest it has been, at most one, and at least by a part of the start values. */
KAUSAL_INLINE void kausal_measure(const double *x, double *size)
{
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        if (kausal_said[i] == 0.0) size[i] = fmax(size[i], fmin(fabs(x[i]), 1.0));
    }
}

/* The sizes where a run begins. */
KAUSAL_INLINE void kausal_first_sizes(const double *x, double *size)
{
    double smallest = 1.0;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        if (x[i] != 0.0 && fabs(x[i]) < smallest) smallest = fmax(fabs(x[i]), 1e-60);
    }
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) size[i] = kausal_said[i] != 0.0 ? kausal_said[i] : 1e-3*smallest;
    kausal_measure(x, size);
}

/* The sum of the squared errors, relative to the larger of two points, in a unit of its own. */
KAUSAL_INLINE double kausal_squared(const double *error, const double *x, const double *y, const double *size, double unit)
{
    double sum = 0.0;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        const double part = error[i]/(fmax(fabs(x[i]), fabs(y[i])) + size[i]);
        sum += part*part;
    }
    return sum*unit;
}

/* The first step (Hairer, Norsett and Wanner, section II.4). */
KAUSAL_APART static double kausal_first_step(model *m, const double *held, double t, double left, double longest, double unit,
    const double *x, const double *dx, const double *size)
{
    double there[KAUSAL_STATES], slope[KAUSAL_STATES];
    const double most = fmin(left, longest);
    const double extent = sqrt(kausal_squared(x, x, x, size, unit));
    const double speed = sqrt(kausal_squared(dx, x, x, size, unit));
    double h = extent < 1e-5 || speed < 1e-5 ? fmin(speed > 0.0 ? 1e4/speed : HUGE_VAL, 1e-6*fmin(left, 1.0)) : 0.01*extent/speed;
    h = fmin(h, most);
    double curvature = HUGE_VAL;
    for (int k = 0; k < 20 && !(curvature < HUGE_VAL); k++) {
        KAUSAL_UNROLL
        for (int i = 0; i < KAUSAL_STATES; i++) there[i] = x[i] + h*dx[i];
        if (!kausal_slopes(m, held, t + h, there, slope)) {
            KAUSAL_UNROLL
            for (int i = 0; i < KAUSAL_STATES; i++) slope[i] -= dx[i];
            curvature = sqrt(kausal_squared(slope, x, x, size, unit))/h;
        }
        if (!(curvature < HUGE_VAL)) h *= 0.1;
    }
    const double largest = fmax(speed, curvature);
    const double better = largest <= 1e-15
        ? fmax(1e-3*h, 1e-6)
        : (double)kausal_power_of((float)fmin(0.01/largest, 1e30), 1.0f/(kausal_order + 1.0f));
    h = better > 0.0 ? fmin(better, 100.0*h) : h;
    return h < HUGE_VAL ? fmin(h, most) : 1e-6*fmin(left, 1.0);
}

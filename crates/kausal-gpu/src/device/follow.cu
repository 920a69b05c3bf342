/* What is kept of a run, from the points a result file of it would have. Integrals, means and instants follow the cubic polynomial
   through four neighbouring points; at an event a new piece begins. */
typedef struct kausal_followed {
    double now[KAUSAL_FOLLOWED];
    double low[KAUSAL_FOLLOWED];
    double high[KAUSAL_FOLLOWED];
    double last;
    double first;
    int started;
#if KAUSAL_PIECES
    double integral[KAUSAL_FOLLOWED];
    double instant[KAUSAL_NUMBERS];
    double times[4];
    double points[KAUSAL_FOLLOWED][4];
    int count;
    int done;
#endif
    unsigned passed; /* instants of the grid */
} kausal_followed;

KAUSAL_APART static void kausal_follow_begin(kausal_followed *f)
{
    KAUSAL_AS_LOOP
    for (int k = 0; k < KAUSAL_FOLLOWED; k++) {
        f->now[k] = NAN;
        f->low[k] = HUGE_VAL;
        f->high[k] = -HUGE_VAL;
#if KAUSAL_PIECES
        f->integral[k] = 0.0;
#endif
    }
    f->last = NAN;
    f->first = NAN;
    f->started = 0;
    f->passed = 0;
#if KAUSAL_PIECES
    KAUSAL_AS_LOOP
    for (int q = 0; q < KAUSAL_NUMBERS; q++) f->instant[q] = NAN;
    f->count = 0;
    f->done = 0;
#endif
}

#if KAUSAL_PIECES
static int kausal_is_beyond(double value, int kind, double bound)
{
    return kind == kausal_ask_above ? value > bound : value < bound;
}

/* The polynomial through points (Neville). */
KAUSAL_APART static double kausal_interpolated(const double *times, const double *values, int n, double t)
{
    double p[4];
    KAUSAL_AS_LOOP
    for (int i = 0; i < n; i++) p[i] = values[i];
    KAUSAL_AS_LOOP
    for (int d = 1; d < n; d++) {
        KAUSAL_AS_LOOP
        for (int i = 0; i < n - d; i++) {
            p[i] = ((t - times[i + d])*p[i] + (times[i] - t)*p[i + 1])/(times[i] - times[i + d]);
        }
    }
    return p[0];
}

KAUSAL_APART static void kausal_intervals(kausal_followed *f, int end)
{
    KAUSAL_AS_LOOP
    for (int i = f->done; i < end; i++) {
        const double a = f->times[i], b = f->times[i + 1];
        KAUSAL_AS_LOOP
        for (int k = 0; k < KAUSAL_FOLLOWED; k++) {
            const double middle = kausal_interpolated(f->times, f->points[k], f->count, 0.5*(a + b));
            f->integral[k] += (b - a)/6.0*(f->points[k][i] + 4.0*middle + f->points[k][i + 1]);
        }
        KAUSAL_AS_LOOP
        for (int q = 0; q < KAUSAL_NUMBERS; q++) {
            const int kind = kausal_kind[q];
            if ((kind != kausal_ask_above && kind != kausal_ask_below) || !isnan(f->instant[q])) continue;
            const double *const points = f->points[kausal_place[q]];
            if (!kausal_is_beyond(points[i + 1], kind, kausal_bound[q])) continue;
            double low = a, high = b;
            KAUSAL_AS_LOOP
            for (;;) {
                const double middle = 0.5*(low + high);
                if (middle <= low || middle >= high) break;
                if (kausal_is_beyond(kausal_interpolated(f->times, points, f->count, middle), kind, kausal_bound[q])) high = middle;
                else low = middle;
            }
            f->instant[q] = high;
        }
    }
    if (end > f->done) f->done = end;
}

KAUSAL_APART static void kausal_piece(kausal_followed *f, double t)
{
    if (f->count > 0 && t <= f->last) {
        kausal_intervals(f, f->count - 1);
        f->count = 0;
    }
    if (f->count == 0) {
        /* A jump, or the start: what holds now holds from here on. */
        KAUSAL_AS_LOOP
        for (int q = 0; q < KAUSAL_NUMBERS; q++) {
            const int kind = kausal_kind[q];
            if ((kind == kausal_ask_above || kind == kausal_ask_below) && isnan(f->instant[q])
                && kausal_is_beyond(f->now[kausal_place[q]], kind, kausal_bound[q])) f->instant[q] = t;
        }
        f->done = 0;
    }
    if (f->count == 4) {
        KAUSAL_AS_LOOP
        for (int i = 0; i < 3; i++) {
            f->times[i] = f->times[i + 1];
            KAUSAL_AS_LOOP
            for (int k = 0; k < KAUSAL_FOLLOWED; k++) f->points[k][i] = f->points[k][i + 1];
        }
        f->count = 3;
        f->done -= 1;
    }
    f->times[f->count] = t;
    KAUSAL_AS_LOOP
    for (int k = 0; k < KAUSAL_FOLLOWED; k++) f->points[k][f->count] = f->now[k];
    f->count++;
    /* All but the last interval, which has a point behind it later. */
    if (f->count == 4) kausal_intervals(f, 2);
}
#endif

/* The values of an instant; dynamics have been evaluated there. Returns 1 where one that is asked for cannot be computed. */
KAUSAL_APART static int kausal_look(kausal_followed *f, model *m, const kausal_work *w, unsigned run, double t)
{
#if KAUSAL_OUTPUTS
    if (model_outputs(m)) return 1;
#endif
    KAUSAL_AS_LOOP
    for (int k = 0; k < KAUSAL_FOLLOWED; k++) {
        f->now[k] = kausal_slot[k] < 0 ? NAN : kausal_sign_of[k]*m->v[kausal_slot[k] < 0 ? 0 : kausal_slot[k]];
        f->low[k] = fmin(f->low[k], f->now[k]);
        f->high[k] = fmax(f->high[k], f->now[k]);
    }
    if (!f->started) {
        f->first = t;
        f->started = 1;
    }
#if KAUSAL_PIECES
    kausal_piece(f, t);
#endif
    f->last = t;
#if KAUSAL_TRACED
    /* At an event the values behind it count. */
    while (f->passed < w->grid_points && w->grid[f->passed] <= t + w->same) f->passed++;
    if (f->passed > 0 && fabs(w->grid[f->passed - 1] - t) <= w->same) {
        KAUSAL_AS_LOOP
        for (int v = 0; v < KAUSAL_TRACED; v++) {
            const size_t row = (size_t)(f->passed - 1)*KAUSAL_TRACED + (size_t)v;
            w->traces[row*w->runs + run] = f->now[kausal_traced[v]];
        }
    }
#endif
    (void)w;
    (void)run;
    return 0;
}

/* The numbers of a run, which is over. */
KAUSAL_APART static void kausal_follow_end(kausal_followed *f, const kausal_work *w, unsigned run)
{
#if KAUSAL_PIECES
    if (f->count > 0) kausal_intervals(f, f->count - 1);
#endif
    KAUSAL_AS_LOOP
    for (int q = 0; q < KAUSAL_ASKED; q++) {
        const int v = kausal_place[q];
        double value = NAN;
        switch (kausal_kind[q]) {
        case kausal_ask_final: value = f->now[v]; break;
        case kausal_ask_min: value = f->low[v] == HUGE_VAL ? NAN : f->low[v]; break;
        case kausal_ask_max: value = f->high[v] == -HUGE_VAL ? NAN : f->high[v]; break;
#if KAUSAL_PIECES
        case kausal_ask_integral: value = f->integral[v]; break;
        case kausal_ask_mean: value = f->last > f->first ? f->integral[v]/(f->last - f->first) : f->now[v]; break;
        default: value = f->instant[q]; break;
#endif
        }
        w->numbers[(size_t)q*w->runs + run] = f->started ? value : NAN;
    }
}

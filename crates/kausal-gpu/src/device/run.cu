/* One run after the other in each thread. A thread that is through with one takes the next: none waits for a longer neighbour but
   within a step. */
enum { kausal_idle = 0, kausal_stepping = 1, kausal_over = 2 };

#if KAUSAL_RELATIONS
/* Has a relation changed at these states? The differences of all are told. */
KAUSAL_APART static int kausal_changed(model *m, double t, const double *x, double *difference, int *side)
{
    int any = 0;
    if (kausal_evaluate(m, t, x)) return -1;
    for (int i = 0; i < KAUSAL_RELATIONS; i++) {
        const double d = m->v[kausal_difference[i]];
        const int changed = fabs(d) > kausal_rounding(d, &m->largest[kausal_relation_place[i]])
            && m->v[kausal_held_relation[i]] != (double)(kausal_or_equal[i] ? d <= 0.0 : d < 0.0);
        difference[i] = d;
        side[i] = changed;
        any |= changed;
    }
    return any;
}

/* The first part of the step at which a relation has changed, to a few rounding errors; it has at the part `high`. Secants, kept
   inside the bracket. Returns a part at which it has, or something negative where the model cannot be evaluated. */
KAUSAL_APART static double kausal_locate(model *m, const kausal_inside *s, double t, double h, const double *x, const double *y, double low,
    double high, double *before, double *behind, int *side)
{
    double there[KAUSAL_STATES], now[KAUSAL_RELATIONS];
    int changed[KAUSAL_RELATIONS];
    const double close = fmax(4e-16*fabs(t + h)/h, 1e-13);
    for (int k = 0; k < 100 && high - low > close; k++) {
        double part = high;
        for (int i = 0; i < KAUSAL_RELATIONS; i++) {
            if (side[i] && before[i] != behind[i]) {
                part = fmin(part, low + (high - low)*fabs(before[i])/(fabs(before[i]) + fabs(behind[i])));
            }
        }
        /* Every third time the middle, so that the bracket becomes small in any case. */
        const double margin = fmin(0.5, k % 3 == 2 ? 0.5 : 1e-3);
        part = fmin(fmax(part, low + margin*(high - low)), high - margin*(high - low));
        kausal_inside_at(s, h, part, x, y, there);
        const int any = kausal_changed(m, t + part*h, there, now, changed);
        if (any < 0) return -1.0;
        if (any) high = part;
        else low = part;
        for (int i = 0; i < KAUSAL_RELATIONS; i++) {
            if (any) {
                behind[i] = now[i];
                side[i] = changed[i];
            } else {
                before[i] = now[i];
            }
        }
    }
    return high;
}
#endif

/* The next instant at which something happens that is known in advance. */
KAUSAL_APART static double kausal_target(model *m, double stop)
{
    double target = stop;
#if KAUSAL_TIME_EVENTS
    double instant[KAUSAL_TIME_EVENTS];
    model_time_events(m, instant);
    for (int i = 0; i < KAUSAL_TIME_EVENTS; i++) {
        if (instant[i] > m->looked && !kausal_same_instant(instant[i], m->looked)) target = fmin(target, instant[i]);
    }
#endif
#if KAUSAL_SAMPLES
    double sample[2*KAUSAL_SAMPLES];
    model_samples(m, sample);
    for (int i = 0; i < KAUSAL_SAMPLES; i++) target = fmin(target, sample[2*i] + m->tick[i]*sample[2*i + 1]);
#endif
    (void)m;
    return target;
}

/* From columns to consistent values of everything. */
KAUSAL_APART static int kausal_begin(model *m, const kausal_work *w, unsigned run)
{
    model_start(m);
    kausal_vary(m, w->columns + run, w->runs);
#if KAUSAL_FIRST_EVENT
    if (model_begin(m, w->start)) return kausal_failed;
    if (m->terminate) return kausal_terminated;
#else
    m->time = w->start;
    if (model_parameters(m) || model_not_finite(m, after_parameters) || model_initial(m)) return kausal_failed;
#endif
    return kausal_complete;
}

KAUSAL_KERNEL void kausal_runs(const kausal_work w)
{
    model memory;
    model *const m = &memory;
    double x[KAUSAL_STATES], dx[KAUSAL_STATES], size[KAUSAL_STATES], held[KAUSAL_HELD + 1];
    double t = 0.0, h = 0.0, target = 0.0;
    float last = 1e-8f;
    /* One over the square of what a mean error may be, times as many as there are states. */
    const double unit = 1.0/(KAUSAL_STATES*w.tolerance*w.tolerance);
    unsigned run = 0, attempts = 0, steps = 0;
#if KAUSAL_RELATIONS
    /* How far each difference has been from zero since its relation changed last. */
    double excursion[KAUSAL_RELATIONS];
#endif
    int state = kausal_idle, outcome = 0, again = 0, restart = 0;
    kausal_inside inside;
    kausal_followed followed;
#if KAUSAL_RECORDS
    unsigned point = 0;
#endif
    for (;;) {
        if (state == kausal_idle) {
            run = kausal_take_run(w.next);
            if (run >= w.runs) break;
            t = w.start;
            attempts = 0;
            steps = 0;
            again = 0;
            restart = 1;
#if KAUSAL_RELATIONS
            for (int i = 0; i < KAUSAL_RELATIONS; i++) excursion[i] = HUGE_VAL;
#endif
            inside.on_border = 0;
            inside.calm = 0;
#if KAUSAL_STIFF
            inside.known = 0;
#endif
            kausal_follow_begin(&followed);
#if KAUSAL_TRACED
            for (size_t row = 0; row < (size_t)w.grid_points*KAUSAL_TRACED; row++) w.traces[row*w.runs + run] = NAN;
#endif
            outcome = kausal_begin(m, &w, run);
            state = outcome == kausal_complete ? kausal_stepping : kausal_over;
            KAUSAL_UNROLL
            for (int i = 0; i < KAUSAL_STATES; i++) x[i] = m->v[model_state[i]];
            if (state == kausal_stepping) {
                kausal_first_sizes(x, size);
#if KAUSAL_RECORDS
                point = 0;
                if (kausal_evaluate(m, t, x) || kausal_look(&followed, m, &w, run, t)) {
                    outcome = kausal_failed;
                    state = kausal_over;
                }
#endif
            }
        }
        if (state == kausal_stepping && restart) {
            /* The start, or an event has changed what steps depend on. */
            restart = 0;
            target = kausal_target(m, w.stop);
            KAUSAL_UNROLL
            for (int i = 0; i < KAUSAL_HELD; i++) held[i] = m->v[kausal_held[i]];
            kausal_measure(x, size);
            if (t < w.stop) {
                if (kausal_slopes(m, held, t, x, dx)) {
                    outcome = kausal_failed;
                    state = kausal_over;
                }
                h = kausal_first_step(m, held, t, target - t, w.longest, unit, x, dx, size);
            }
            last = 1e-8f;
#if KAUSAL_STIFF
            inside.known = 0;
#endif
            if (!(t < w.stop)) state = kausal_over;
        }
        if (state == kausal_stepping) {
            double y[KAUSAL_STATES], dy[KAUSAL_STATES], squared = 0.0;
            const double left = target - t;
            const double longest = fmin(h, w.longest);
            int at_limit = longest*(1.0 + 1e-9) >= left;
            const double stride = at_limit ? left : 2.0*longest > left ? 0.5*left : longest;
            double t_new = at_limit ? target : t + stride;
            const int failed =
                kausal_attempt(m, held, t, t_new, stride, x, dx, size, unit, y, dy, &squared, &inside);
            attempts++;
            if (failed || !(squared <= 1.0)) {
                h = stride*(failed ? 0.25 : kausal_rejected(squared));
                again = 1;
                if (h < 9e-16*fabs(t) || h < 2.3e-308 || attempts >= w.most) {
                    outcome = attempts >= w.most ? kausal_too_long : kausal_failed;
                    state = kausal_over;
                }
            } else {
                int happens = 0;
                const double proposal = stride*kausal_accepted(squared, &last, again);
                h = stride < h ? fmax(proposal, h) : proposal;
                again = 0;
                steps++;
#if KAUSAL_RECORDS
                double end[KAUSAL_STATES];
                KAUSAL_UNROLL
                for (int i = 0; i < KAUSAL_STATES; i++) end[i] = y[i];
#endif
#if KAUSAL_RELATIONS
                {
                    double before[KAUSAL_RELATIONS], behind[KAUSAL_RELATIONS], there[KAUSAL_STATES];
                    int side[KAUSAL_RELATIONS];
                    double part = 0.5, low = 0.0;
                    for (int i = 0; i < KAUSAL_RELATIONS; i++) before[i] = m->v[kausal_difference[i]];
                    /* A relation may change and change back within a step: its middle is looked at, too. */
                    kausal_inside_at(&inside, stride, 0.5, x, y, there);
                    int any = kausal_changed(m, t + 0.5*stride, there, behind, side);
                    for (int i = 0; i < KAUSAL_RELATIONS; i++) {
                        if (any >= 0) excursion[i] = fmax(excursion[i], fmax(fabs(before[i]), fabs(behind[i])));
                    }
                    if (any == 0) {
                        for (int i = 0; i < KAUSAL_RELATIONS; i++) before[i] = behind[i];
                        low = 0.5;
                        part = 1.0;
                        any = kausal_changed(m, t_new, y, behind, side);
                        for (int i = 0; i < KAUSAL_RELATIONS && any == 0; i++) excursion[i] = fmax(excursion[i], fabs(behind[i]));
                    }
                    if (any > 0) {
                        part = kausal_locate(m, &inside, t, stride, x, y, low, part, before, behind, side);
                        happens = 1;
                        /* A relation that changes to and fro within what is nearly rounding: impacts that follow each other ever
                           faster, or sliding. */
                        for (int i = 0; i < KAUSAL_RELATIONS; i++) {
                            if (!side[i]) continue;
                            if (excursion[i] < 1e3*kausal_rounding(0.0, &m->largest[kausal_relation_place[i]])) {
                                outcome = kausal_too_long;
                                state = kausal_over;
                            }
                            excursion[i] = 0.0;
                        }
                        if (part < 1.0) {
                            kausal_inside_at(&inside, stride, part < 0.0 ? 0.0 : part, x, y, there);
                            KAUSAL_UNROLL
                            for (int i = 0; i < KAUSAL_STATES; i++) y[i] = there[i];
                            t_new = t + part*stride;
                            at_limit = 0;
                        }
                    }
                    if (any < 0 || part < 0.0) {
                        /* It cannot be evaluated where the step leads. */
                        h = 0.25*stride;
                        happens = 0;
                        t_new = t;
                        if (h < 9e-16*fabs(t) || h < 2.3e-308) {
                            outcome = kausal_failed;
                            state = kausal_over;
                        }
                    }
                }
#endif
#if KAUSAL_TIME_EVENTS || KAUSAL_SAMPLES
                happens |= at_limit && (target < w.stop || kausal_target(m, 2.0*fabs(w.stop) + 1.0) <= w.stop);
#endif
#if KAUSAL_RECORDS
                /* Values inside the step, and at its end where that is no event. */
                while (t_new > t && state == kausal_stepping && point < w.points && w.instants[point] <= t_new) {
                    const double instant = w.instants[point];
                    double there[KAUSAL_STATES];
                    if (happens && instant >= t_new - w.same) break;
                    if (instant == t_new) {
                        KAUSAL_UNROLL
                        for (int i = 0; i < KAUSAL_STATES; i++) there[i] = y[i];
                    } else {
                        /* Parts are those of the step as it was made. */
                        kausal_inside_at(&inside, stride, (instant - t)/stride, x, end, there);
                    }
                    if (kausal_evaluate(m, instant, there) || kausal_look(&followed, m, &w, run, instant)) {
                        outcome = kausal_failed;
                        state = kausal_over;
                    }
                    point++;
                }
#endif
                if (t_new > t || happens) {
                    t = t_new;
                    KAUSAL_UNROLL
                    for (int i = 0; i < KAUSAL_STATES; i++) {
                        x[i] = y[i];
                        dx[i] = dy[i];
                    }
#if KAUSAL_STIFF
                    inside.known = 0;
#endif
                    kausal_measure(x, size);
                }
#if KAUSAL_EVENTS
                if (happens && state == kausal_stepping) {
                    if (kausal_evaluate(m, t, x)) {
                        outcome = kausal_failed;
                        state = kausal_over;
                    } else {
#if KAUSAL_RECORDS
                        kausal_look(&followed, m, &w, run, t);
                        while (point < w.points && w.instants[point] <= t + w.same) point++;
#endif
                        if (model_events(m)) {
                            outcome = kausal_failed;
                            state = kausal_over;
                        } else if (m->terminate) {
                            outcome = kausal_terminated;
                            state = kausal_over;
                        }
                        KAUSAL_UNROLL
                        for (int i = 0; i < KAUSAL_STATES; i++) x[i] = m->v[model_state[i]];
#if KAUSAL_RECORDS
                        if (state == kausal_stepping && (kausal_evaluate(m, t, x) || kausal_look(&followed, m, &w, run, t))) {
                            outcome = kausal_failed;
                            state = kausal_over;
                        }
#endif
                        restart = 1;
                    }
                }
#endif
                if (state == kausal_stepping && t >= w.stop) state = kausal_over;
                if (state == kausal_stepping && attempts >= w.most) {
                    outcome = kausal_too_long;
                    state = kausal_over;
                }
#if KAUSAL_WATCHES_STIFFNESS
                if (state == kausal_stepping && inside.on_border >= 15) {
                    outcome = kausal_stiff;
                    state = kausal_over;
                }
#endif
            }
        }
        if (state == kausal_over) {
#if !KAUSAL_RECORDS
            if (outcome == kausal_complete && (kausal_evaluate(m, t, x) || kausal_look(&followed, m, &w, run, t))) {
                outcome = kausal_failed;
            }
#endif
            if (outcome == kausal_complete && model_not_finite(m, after_step)) outcome = kausal_failed;
            if (outcome == kausal_complete && m->warning) outcome = kausal_warned;
            kausal_follow_end(&followed, &w, run);
            w.ends[run] = t;
            w.outcomes[run] = outcome;
            w.steps[run] = steps;
            state = kausal_idle;
        }
    }
}

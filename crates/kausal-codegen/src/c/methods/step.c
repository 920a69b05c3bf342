/* One step of size h, without events. Where it fails everything is as before. Steps of one size end at multiples of it, so that
   time does not drift. */
int model_step(model *m, double h)
{
    const int same = m->step_h == h && m->time == m->step_start + m->steps*h;
    const double start = same ? m->step_start : m->time;
    const double steps = same ? m->steps + 1.0 : 1.0;
    const double before = m->time;
    const char *const warning = m->warning;
    if (!(h > 0.0 && h < HUGE_VAL)) {
        m->message = "the size of a step must be positive";
        return 1;
    }
    model_keep(m);
    if (model_try(m, h, start + steps*h)) {
        m->time = before;
        m->warning = warning;
        model_forget_factors(m);
        return model_undo(m);
    }
    m->restart = 0;
    m->time = start + steps*h;
    m->step_start = start;
    m->steps = steps;
    m->step_h = h;
    return model_outcome(m, 0);
}

/* A step and everything that has come to pass in it. */
int model_advance(model *m, double h)
{
    return model_step(m, h) || model_events(m);
}

/* Between steps the caller has changed variables: nothing is taken over from the steps before. */
void model_step_forget(model *m)
{
    m->restart = 1;
}

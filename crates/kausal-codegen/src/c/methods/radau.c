/* The stages of Radau IIA at once; the last one is the model at the end of the step. */
static int model_formula(model *m, double h, double t)
{
    double *const v = m->v;
    double x_old[model_states], slope[model_states];
    const double start = m->time;
    for (int i = 0; i < model_states; i++) {
        x_old[i] = v[model_state[i]];
        slope[i] = v[model_derivative[i]];
    }
    /* What was computed before an event is no guess for what comes behind it. */
    for (int i = 0; m->restart && i < stage_copies; i++) {
        v[stage_copy[i][1]] = v[stage_copy[i][0]];
    }
    for (int k = 0; k < stages; k++) {
        for (int i = 0; i < model_states; i++) {
            v[stage_state[k][i]] = x_old[i] + stage_instant[k]*h*slope[i];
        }
        if (stage_time[k] >= 0) {
            v[stage_time[k]] = start + stage_instant[k]*h;
        }
    }
    return model_implicit(m, t, h, x_old);
}

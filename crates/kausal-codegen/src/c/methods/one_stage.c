/* x = g*der(x) + old(x) with g = implicit_part*h and old(x) = x + explicit_part*h*der(x), from the values at hand. */
static int model_formula(model *m, double h, double t)
{
    double *const v = m->v;
    double x_old[model_states], guess[model_states];
    for (int i = 0; i < model_states; i++) {
        const double x = v[model_state[i]], slope = v[model_derivative[i]];
        x_old[i] = x + explicit_part*h*slope;
        guess[i] = x + h*slope;
    }
    for (int i = 0; i < model_states; i++) {
        v[model_state[i]] = guess[i];
    }
    return model_implicit(m, t, implicit_part*h, x_old);
}

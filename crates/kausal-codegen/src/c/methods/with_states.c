/* What depends on h is computed anew the next time: it may belong to a step that was given up, or to what was before an event. */
static void model_forget_factors(model *m)
{
    m->factors_known = 0;
}

/* The step from the values at hand. */
static int model_try(model *m, double h, double t)
{
    if (m->restart) {
        model_forget_factors(m);
    }
    return model_formula(m, h, t);
}

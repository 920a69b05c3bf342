/* The step from the values at hand; where it fails what depends on h is computed anew the next time. */
static int model_try(model *m, double h, double t)
{
    if (m->restart) {
        m->v[model_factor] = -1.0;
    }
    if (model_formula(m, h, t)) {
        m->kept[0][model_factor] = -1.0;
        return 1;
    }
    return 0;
}

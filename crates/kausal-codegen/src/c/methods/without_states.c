/* Nothing depends on the size of steps. */
static void model_forget_factors(model *m)
{
    (void)m;
}

/* There is nothing to integrate: everything follows from time and from what is discrete. */
static int model_try(model *m, double h, double t)
{
    (void)h;
    m->time = t;
    return model_dynamics(m) || model_not_finite(m, after_step);
}

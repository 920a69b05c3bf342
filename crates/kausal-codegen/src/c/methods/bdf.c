/* ESDIRK4(3)6L[2]SA2 of Kennedy and Carpenter (Appl. Numer. Math. 146, 2019): with a step of it, the past of the backward
   differentiation formula begins. */
static int model_begin_past(model *m, double h, double t)
{
    static const double c[6] = {
        0.0, 62.0/125.0, 486119545908.0/3346201505189.0, 1043.0/1706.0, 1361.0/1300.0, 1.0
    };
    static const double a[6][5] = {
        {0.0},
        {31.0/125.0},
        {-360286518617.0/7014585480527.0, -360286518617.0/7014585480527.0},
        {-506388693497.0/5937754990171.0, -506388693497.0/5937754990171.0, 7149918333491.0/13390931526268.0},
        {-7628305438933.0/11061539393788.0, -7628305438933.0/11061539393788.0, 21592626537567.0/14352247503901.0,
            11630056083252.0/17263101053231.0},
        {-12917657251.0/5222094901039.0, -12917657251.0/5222094901039.0, 5602338284630.0/15643096342197.0,
            9002339615474.0/18125249312447.0, -2420307481369.0/24731958684496.0},
    };
    double *const v = m->v;
    double x[model_states], slope[6][model_states], x_old[model_states];
    const double start = m->time;
    for (int i = 0; i < model_states; i++) {
        x[i] = v[model_state[i]];
        slope[0][i] = v[model_derivative[i]];
    }
    for (int k = 1; k < 6; k++) {
        for (int i = 0; i < model_states; i++) {
            x_old[i] = x[i];
            for (int j = 0; j < k; j++) {
                x_old[i] += h*a[k][j]*slope[j][i];
            }
            v[model_state[i]] = x[i] + c[k]*h*slope[0][i];
        }
        if (model_implicit(m, k == 5 ? t : start + c[k]*h, 31.0/125.0*h, x_old)) {
            return 1;
        }
        for (int i = 0; i < model_states; i++) {
            slope[k][i] = v[model_derivative[i]];
        }
    }
    return 0;
}

/* With equal steps the backward differentiation formula of order k is x = h/(1 + 1/2 + ... + 1/k)*der(x) + old(x), where old(x)
   is a sum over the last k points. They are kept in m->past, the newest first; m->known says how many there are. A step of
   another size, and one behind an event, begins a new past. */
static int model_formula(model *m, double h, double t)
{
    double *const v = m->v;
    int known = m->restart || m->past_h != h ? 0 : m->known;
    if (known == 0) {
        for (int i = 0; i < model_states; i++) {
            m->past[0][i] = v[model_state[i]];
        }
        known = 1;
    }
    if (known >= model_order) {
        double x_old[model_states], leading = 0.0;
        for (int j = 1; j <= model_order; j++) {
            leading += 1.0/j;
        }
        for (int i = 0; i < model_states; i++) {
            double binomial = 1.0, guess = 0.0;
            x_old[i] = 0.0;
            for (int j = 1; j <= model_order; j++) {
                binomial *= (double)(model_order + 1 - j)/j;
                x_old[i] += (j % 2 ? binomial : -binomial)/(j*leading)*m->past[j - 1][i];
            }
            binomial = 1.0;
            for (int j = 1; j <= known; j++) {
                binomial *= (double)(known + 1 - j)/j;
                guess += (j % 2 ? binomial : -binomial)*m->past[j - 1][i];
            }
            v[model_state[i]] = guess;
        }
        if (model_implicit(m, t, h/leading, x_old)) {
            return 1;
        }
    } else if (model_begin_past(m, h, t)) {
        return 1;
    }
    for (int j = known < model_order ? known : model_order; j > 0; j--) {
        for (int i = 0; i < model_states; i++) {
            m->past[j][i] = m->past[j - 1][i];
        }
    }
    for (int i = 0; i < model_states; i++) {
        m->past[0][i] = v[model_state[i]];
    }
    m->known = known < model_order + 1 ? known + 1 : known;
    m->past_h = h;
    return 0;
}

/* The explicit pair 5(4) of Tsitouras (Comput. Math. Appl. 62, 2011) with its continuous extension. */
static const float kausal_order = 5.0f, kausal_exponent = 0.17f, kausal_integral = 0.04f, kausal_shrink = 0.2f, kausal_grow = 10.0f;

/* What is known of a step inside. */
typedef struct kausal_inside {
    double k[7][KAUSAL_STATES];
    int on_border; /* steps that stability has limited */
    int calm;
} kausal_inside;

/* An attempt at a step of size h to y, of which the first derivative is dx. Gives the derivative there and the squared error.
   Returns 1 where the right side cannot be computed. */
KAUSAL_INLINE int kausal_attempt(model *m, const double *held, double t, double t_new, double h, const double *x, const double *dx,
    const double *size, double unit, double *y, double *dy, double *squared, kausal_inside *s)
{
    double before[KAUSAL_STATES], error[KAUSAL_STATES];
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) s->k[0][i] = dx[i];
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) y[i] = x[i] + h*(0.161*s->k[0][i]);
    if (kausal_slopes(m, held, t + 0.161*h, y, s->k[1])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) y[i] = x[i] + h*(-0.008480655492356989*s->k[0][i] + 0.335480655492357*s->k[1][i]);
    if (kausal_slopes(m, held, t + 0.327*h, y, s->k[2])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) y[i] = x[i] + h*(2.8971530571054935*s->k[0][i] - 6.359448489975075*s->k[1][i] + 4.3622954328695815*s->k[2][i]);
    if (kausal_slopes(m, held, t + 0.9*h, y, s->k[3])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) y[i] = x[i] + h*(5.325864828439257*s->k[0][i] - 11.748883564062828*s->k[1][i] + 7.4955393428898365*s->k[2][i] - 0.09249506636175525*s->k[3][i]);
    if (kausal_slopes(m, held, t + 0.9800255409045097*h, y, s->k[4])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) before[i] = x[i] + h*(5.86145544294642*s->k[0][i] - 12.92096931784711*s->k[1][i] + 8.159367898576159*s->k[2][i] - 0.071584973281401*s->k[3][i] - 0.028269050394068383*s->k[4][i]);
    if (kausal_slopes(m, held, t_new, before, s->k[5])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) y[i] = x[i] + h*(0.09646076681806523*s->k[0][i] + 0.01*s->k[1][i] + 0.4798896504144996*s->k[2][i] + 1.379008574103742*s->k[3][i] - 3.290069515436081*s->k[4][i] + 2.324710524099774*s->k[5][i]);
    if (kausal_slopes(m, held, t_new, y, s->k[6])) return 1;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) error[i] = h*(0.0017800110522257771*s->k[0][i] + 0.0008164344596567469*s->k[1][i] - 0.007880878010261995*s->k[2][i] + 0.1447110071732629*s->k[3][i] - 0.5823571654525552*s->k[4][i] + 0.45808210592918697*s->k[5][i] - 1.0/66.0*s->k[6][i]);
    *squared = kausal_squared(error, x, y, size, unit);
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) dy[i] = s->k[6][i];
#if KAUSAL_WATCHES_STIFFNESS
    /* Two stages at the end of the step tell the dominating eigenvalue (Hairer and Wanner, section IV.2). */
    double slopes = 0.0, distances = 0.0;
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        const double weight = 1.0/(fmax(fabs(x[i]), fabs(y[i])) + size[i]);
        const double slope = weight*(s->k[6][i] - s->k[5][i]), distance = weight*(y[i] - before[i]);
        slopes += slope*slope;
        distances += distance*distance;
    }
    if (*squared <= 1.0) {
        const int border = h*h*slopes > 9.0*distances && distances > 0.0;
        s->calm = border ? 0 : s->calm + 1;
        s->on_border = border ? s->on_border + 1 : s->calm >= 6 ? 0 : s->on_border;
    }
#endif
    return 0;
}

/* The states at a part of the last step. */
KAUSAL_INLINE void kausal_inside_at(const kausal_inside *s, double h, double part, const double *x, const double *y, double *there)
{
    (void)y;
    const double b0 = h*part*(1.0 + part*(-2.763706197274826 + part*(2.9132554618219126 + part*(-1.0530884977290216))));
    const double b1 = h*part*(0.0 + part*(0.1317 + part*(-0.2234 + part*(0.1017))));
    const double b2 = h*part*(0.0 + part*(3.9302962368947516 + part*(-5.941033872131505 + part*(2.490627285651253))));
    const double b3 = h*part*(0.0 + part*(-12.411077166933676 + part*(30.33818863028232 + part*(-16.548102889244902))));
    const double b4 = h*part*(0.0 + part*(37.50931341651104 + part*(-88.1789048947664 + part*(47.37952196281928))));
    const double b5 = h*part*(0.0 + part*(-27.896526289197286 + part*(65.09189467479366 + part*(-34.87065786149661))));
    const double b6 = h*part*(0.0 + part*(1.5 + part*(-4.0 + part*(2.5))));
    KAUSAL_UNROLL
    for (int i = 0; i < KAUSAL_STATES; i++) {
        there[i] = x[i] + (b0*s->k[0][i] + b1*s->k[1][i] + b2*s->k[2][i] + b3*s->k[3][i] + b4*s->k[4][i] + b5*s->k[5][i] + b6*s->k[6][i]);
    }
}

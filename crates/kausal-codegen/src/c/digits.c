/* Have unknowns that follow from the iteration variables lost their digits? These are known to some 1e-12 of their size: they are
   moved by a little more than rounding, and what moves a million times more is mostly error. Everything is computed again from the
   solution afterwards. before has n + count elements. */
static int kausal_digits_lost(const kausal_system *s, void *model, double *v, int count, const int *follows,
    const double *size, double *before)
{
    double *x = before + count;
    int lost = 0;
    for (int k = 0; k < count; k++) {
        before[k] = v[follows[k]];
    }
    for (int i = 0; i < s->n; i++) {
        const double moved = 1e-13*fmax(fabs(v[s->unknown[i]]), s->nominal[i]);
        x[i] = v[s->unknown[i]];
        v[s->unknown[i]] += i % 2 ? -moved : moved;
    }
    if (!s->evaluate(model)) {
        for (int k = 0; k < count; k++) {
            lost |= fabs(v[follows[k]] - before[k]) > 1e-7*fmax(fabs(before[k]), size[k]);
        }
    }
    for (int i = 0; i < s->n; i++) {
        v[s->unknown[i]] = x[i];
    }
    return s->evaluate(model) || lost;
}

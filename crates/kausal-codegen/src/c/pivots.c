/* Is no divisor of a straight-line solution zero, or tiny beside what it was before anything was subtracted from it?
   Each pair has the slots of the divisor and of that. */
static int kausal_pivots_hold(const double *v, int n, const int (*pair)[2], double tiny)
{
    for (int i = 0; i < n; i++) {
        const double p = v[pair[i][0]];
        if (!isfinite(p) || p == 0.0 || !(fabs(p) >= tiny*fabs(v[pair[i][1]]))) {
            return 0;
        }
    }
    return 1;
}

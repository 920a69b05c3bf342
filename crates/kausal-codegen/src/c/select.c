/* States among candidates, of which constraints determine the others. */
typedef struct kausal_state_set {
    int rows;             /* constraints */
    int settled;          /* variables that are never states: the first columns */
    int candidates;       /* then one column each */
    int states;
    const int *candidate; /* slots */
    const int *state;
    const int *selection; /* slots of the selection: states by candidates */
} kausal_state_set;

/* Elimination with complete pivoting, first in the settled columns, then in those that are allowed. used says which columns
   had a pivot. Returns the volume that the allowed columns add, zero where there are too few pivots. */
static double kausal_volume(const kausal_state_set *s, const int *allowed, double *a, int *used, int *done)
{
    const int n = s->settled + s->candidates;
    double volume = 1.0;
    for (int j = 0; j < n; j++) used[j] = 0;
    for (int i = 0; i < s->rows; i++) done[i] = 0;
    for (int k = 0; k < s->rows; k++) {
        const int first = k < s->settled ? 0 : s->settled, last = k < s->settled ? s->settled : n;
        double size = 0.0;
        int row = 0, column = 0;
        for (int i = 0; i < s->rows; i++) {
            for (int j = first; !done[i] && j < last; j++) {
                if (!used[j] && (j < s->settled || allowed[j]) && fabs(a[i*n + j]) > size) {
                    size = fabs(a[i*n + j]);
                    row = i;
                    column = j;
                }
            }
        }
        if (size == 0.0) {
            return 0.0;
        }
        done[row] = used[column] = 1;
        for (int i = 0; i < s->rows; i++) {
            if (!done[i]) {
                const double factor = a[i*n + column]/a[row*n + column];
                for (int j = 0; j < n; j++) a[i*n + j] -= factor*a[row*n + j];
            }
        }
        if (k >= s->settled) {
            volume *= size;
        }
    }
    return volume;
}

/* Selects states anew where the columns that the present selection leaves to the constraints have less than 0.7 of the best
   volume. jacobian holds the derivatives of the constraints, work as many numbers, flags 3*columns + rows. All variables keep
   their values. Returns 1 if the selection was changed. */
static int kausal_reselect(const kausal_state_set *s, double *v, const double *jacobian, double *work, int *flags)
{
    const int n = s->settled + s->candidates;
    int *allowed = flags, *used = flags + n, *all = flags + 2*n, *done = flags + 3*n;
    for (int i = 0; i < s->rows*n; i++) {
        if (!(jacobian[i] - jacobian[i] == 0.0)) {
            return 0;
        }
        work[i] = jacobian[i];
    }
    for (int j = 0; j < n; j++) {
        allowed[j] = all[j] = 1;
        for (int i = 0; j >= s->settled && i < s->states; i++) {
            if (v[s->selection[i*s->candidates + j - s->settled]] != 0.0) {
                allowed[j] = 0;
            }
        }
    }
    const double volume = kausal_volume(s, allowed, work, used, done);
    for (int i = 0; i < s->rows*n; i++) work[i] = jacobian[i];
    const double best = kausal_volume(s, all, work, used, done);
    if (!(best > 0.0) || volume >= 0.7*best) {
        return 0;
    }
    int i = 0;
    for (int j = 0; j < s->candidates && i < s->states; j++) {
        if (!used[s->settled + j]) {
            for (int k = 0; k < s->candidates; k++) {
                v[s->selection[i*s->candidates + k]] = (double)(k == j);
            }
            v[s->state[i]] = v[s->candidate[j]];
            i++;
        }
    }
    return 1;
}

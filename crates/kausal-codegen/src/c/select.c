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

/* Lets a column be one in a row and zero elsewhere. */
static void kausal_exchange(const kausal_state_set *s, double *a, int row, int column)
{
    const int n = s->settled + s->candidates;
    const double pivot = a[row*n + column];
    for (int j = 0; j < n; j++) a[row*n + j] /= pivot;
    for (int i = 0; i < s->rows; i++) {
        const double factor = a[i*n + column];
        if (i != row && factor != 0.0) {
            for (int j = 0; j < n; j++) a[i*n + j] -= factor*a[row*n + j];
            a[i*n + column] = 0.0;
        }
    }
    a[row*n + column] = 1.0;
}

/* Elimination with complete pivoting, first in the settled columns, then in those that are allowed. basis gets the column of
   each row, basic says which columns that are. Returns 0 where it ends early. */
static int kausal_basis(const kausal_state_set *s, const int *allowed, double *a, int *basis, int *basic)
{
    const int n = s->settled + s->candidates;
    for (int j = 0; j < n; j++) basic[j] = 0;
    for (int i = 0; i < s->rows; i++) basis[i] = -1;
    for (int k = 0; k < s->rows; k++) {
        const int first = k < s->settled ? 0 : s->settled, last = k < s->settled ? s->settled : n;
        double size = 0.0;
        int row = 0, column = 0;
        for (int i = 0; i < s->rows; i++) {
            for (int j = first; basis[i] < 0 && j < last; j++) {
                if (!basic[j] && (j < s->settled || allowed[j]) && fabs(a[i*n + j]) > size) {
                    size = fabs(a[i*n + j]);
                    row = i;
                    column = j;
                }
            }
        }
        if (size == 0.0) {
            return 0;
        }
        basis[row] = column;
        basic[column] = 1;
        kausal_exchange(s, a, row, column);
    }
    return 1;
}

/* The largest element in rows of candidates and columns of others: what an exchange of the two gains. */
static double kausal_gain(const kausal_state_set *s, const double *a, const int *basis, const int *basic, int *row, int *column)
{
    const int n = s->settled + s->candidates;
    double size = 0.0;
    for (int i = 0; i < s->rows; i++) {
        for (int j = s->settled; basis[i] >= s->settled && j < n; j++) {
            if (!basic[j] && fabs(a[i*n + j]) > size) {
                size = fabs(a[i*n + j]);
                *row = i;
                *column = j;
            }
        }
    }
    return size;
}

/* Selects states anew where an exchange of a determined variable for a state would make the volume of the determined columns
   larger by more than 1/0.8. jacobian holds the derivatives of the constraints, work as many numbers, flags 3*columns + rows. All
   variables keep their values. Returns 1 if the selection was changed. */
static int kausal_reselect(const kausal_state_set *s, double *v, const double *jacobian, double *work, int *flags)
{
    const int n = s->settled + s->candidates;
    int *allowed = flags, *basic = flags + n, *all = flags + 2*n, *basis = flags + 3*n;
    int row = 0, column = 0;
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
    if (kausal_basis(s, allowed, work, basis, basic)) {
        if (0.8*kausal_gain(s, work, basis, basic, &row, &column) <= 1.0) {
            return 0;
        }
    } else {
        for (int i = 0; i < s->rows*n; i++) work[i] = jacobian[i];
        if (!kausal_basis(s, all, work, basis, basic)) {
            return 0;
        }
    }
    while (kausal_gain(s, work, basis, basic, &row, &column) > 1.01) {
        basic[basis[row]] = 0;
        basic[column] = 1;
        basis[row] = column;
        kausal_exchange(s, work, row, column);
    }
    int i = 0;
    for (int j = 0; j < s->candidates && i < s->states; j++) {
        if (!basic[s->settled + j]) {
            for (int k = 0; k < s->candidates; k++) {
                v[s->selection[i*s->candidates + k]] = (double)(k == j);
            }
            v[s->state[i]] = v[s->candidate[j]];
            i++;
        }
    }
    return 1;
}

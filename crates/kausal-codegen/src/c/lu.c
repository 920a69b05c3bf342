/* Dense LU factorisation with row pivoting: a (n by n, row major) becomes L and U, pivot the row exchanges.
   Returns 1 if the matrix is singular. */
static int kausal_lu_factor(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i*n + k]) > fabs(a[p*n + k])) {
                p = i;
            }
        }
        pivot[k] = p;
        if (!(fabs(a[p*n + k]) > 0.0)) {
            return 1;
        }
        if (p != k) {
            for (int j = 0; j < n; j++) {
                const double t = a[k*n + j];
                a[k*n + j] = a[p*n + j];
                a[p*n + j] = t;
            }
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i*n + k] /= a[k*n + k];
            if (factor != 0.0) {
                for (int j = k + 1; j < n; j++) {
                    a[i*n + j] -= factor*a[k*n + j];
                }
            }
        }
    }
    return 0;
}

/* Solves with the factors; b becomes the solution. */
static void kausal_lu_solve(int n, const double *a, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        const double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) {
            b[i] -= a[i*n + j]*b[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= a[i*n + j]*b[j];
        }
        b[i] /= a[i*n + i];
    }
}

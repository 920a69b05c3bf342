/* LDL' factorisation of a symmetric matrix with exchanges of rows and columns, the largest diagonal element first.
   Only the lower triangle of a (n by n, row major) is read and written: L below the diagonal, D on it.
   Returns 1 if no diagonal element is large enough to divide by; the matrix may then still be regular. */
static int kausal_ldlt_factor(int n, double *a, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double largest = 0.0;
        for (int i = k; i < n; i++) {
            if (fabs(a[i*n + i]) > fabs(a[p*n + p])) {
                p = i;
            }
            for (int j = k; j <= i; j++) {
                largest = fmax(largest, fabs(a[i*n + j]));
            }
        }
        pivot[k] = p;
        if (!(fabs(a[p*n + p]) > 1e-3*largest)) {
            return 1;
        }
        if (p != k) {
            for (int j = 0; j < k; j++) {
                const double t = a[k*n + j];
                a[k*n + j] = a[p*n + j];
                a[p*n + j] = t;
            }
            for (int j = k + 1; j < p; j++) {
                const double t = a[j*n + k];
                a[j*n + k] = a[p*n + j];
                a[p*n + j] = t;
            }
            for (int i = p + 1; i < n; i++) {
                const double t = a[i*n + k];
                a[i*n + k] = a[i*n + p];
                a[i*n + p] = t;
            }
            const double t = a[k*n + k];
            a[k*n + k] = a[p*n + p];
            a[p*n + p] = t;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i*n + k]/a[k*n + k];
            for (int j = k + 1; j <= i; j++) {
                a[i*n + j] -= factor*a[j*n + k];
            }
        }
        for (int i = k + 1; i < n; i++) {
            a[i*n + k] /= a[k*n + k];
        }
    }
    return 0;
}

/* Solves with the factors; b becomes the solution. */
static void kausal_ldlt_solve(int n, const double *a, const int *pivot, double *b)
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
        b[i] /= a[i*n + i];
        for (int j = i + 1; j < n; j++) {
            b[i] -= a[j*n + i]*b[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
}

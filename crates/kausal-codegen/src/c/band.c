/* LU factorisation of a band matrix with row pivoting. Element (i, j) is at a[i*width + j - i + low] where
   low is the number of diagonals below the main one, high above it, and width = 2*low + high + 1 leaves room for the
   rows exchanged. Returns 1 if the matrix is singular. */
static int kausal_band_factor(int n, int low, int high, double *a, int *pivot)
{
    const int width = 2*low + high + 1;
    for (int k = 0; k < n; k++) {
        const int last = k + low < n - 1 ? k + low : n - 1;
        const int right = k + low + high < n - 1 ? k + low + high : n - 1;
        int p = k;
        for (int i = k + 1; i <= last; i++) {
            if (fabs(a[i*width + k - i + low]) > fabs(a[p*width + k - p + low])) {
                p = i;
            }
        }
        pivot[k] = p;
        if (!(fabs(a[p*width + k - p + low]) > 0.0)) {
            return 1;
        }
        if (p != k) {
            for (int j = k; j <= right; j++) {
                const double t = a[k*width + j - k + low];
                a[k*width + j - k + low] = a[p*width + j - p + low];
                a[p*width + j - p + low] = t;
            }
        }
        for (int i = k + 1; i <= last; i++) {
            const double factor = a[i*width + k - i + low] /= a[k*width + low];
            if (factor != 0.0) {
                for (int j = k + 1; j <= right; j++) {
                    a[i*width + j - i + low] -= factor*a[k*width + j - k + low];
                }
            }
        }
    }
    return 0;
}

/* Solves with the factors; b becomes the solution. */
static void kausal_band_solve(int n, int low, int high, const double *a, const int *pivot, double *b)
{
    const int width = 2*low + high + 1;
    for (int k = 0; k < n; k++) {
        const int last = k + low < n - 1 ? k + low : n - 1;
        const double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
        for (int i = k + 1; i <= last; i++) {
            b[i] -= a[i*width + k - i + low]*b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        const int right = i + low + high < n - 1 ? i + low + high : n - 1;
        for (int j = i + 1; j <= right; j++) {
            b[i] -= a[i*width + j - i + low]*b[j];
        }
        b[i] /= a[i*width + low];
    }
}

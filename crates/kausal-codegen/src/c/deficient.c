/* Linear equations without full rank, by elimination with complete pivoting: what they do not determine keeps the value in x. a (n by
   n, row major) is destroyed, b becomes the solution, size has n elements, column too. Returns 1 if equations contradict each
   other. */
static int kausal_deficient(int n, double *a, double *b, const double *x, double *size, int *column)
{
    int rank = 0;
    for (int i = 0; i < n; i++) {
        double largest = 0.0, sum = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            largest = fmax(largest, fabs(a[i*n + j]));
            sum += fabs(a[i*n + j]*x[j]);
            b[i] -= a[i*n + j]*x[j];
        }
        if (!(sum < HUGE_VAL && largest < HUGE_VAL)) {
            return 1;
        }
        for (int j = 0; j < n && largest > 0.0; j++) a[i*n + j] /= largest;
        size[i] = largest > 0.0 ? sum/largest : sum;
        b[i] = largest > 0.0 ? b[i]/largest : b[i];
        column[i] = i;
    }
    /* Rows and columns with pivots come to the front; column says which unknown a column is. */
    for (; rank < n; rank++) {
        int row = rank, best = rank;
        for (int i = rank; i < n; i++) {
            for (int j = rank; j < n; j++) {
                if (fabs(a[i*n + j]) > fabs(a[row*n + best])) {
                    row = i;
                    best = j;
                }
            }
        }
        if (!(fabs(a[row*n + best]) > 1e-11)) {
            break;
        }
        for (int j = 0; j < n; j++) {
            const double t = a[row*n + j];
            a[row*n + j] = a[rank*n + j];
            a[rank*n + j] = t;
        }
        const double right = b[row], sum = size[row];
        b[row] = b[rank];
        size[row] = size[rank];
        b[rank] = right;
        size[rank] = sum;
        for (int i = 0; i < n; i++) {
            const double t = a[i*n + best];
            a[i*n + best] = a[i*n + rank];
            a[i*n + rank] = t;
        }
        const int unknown = column[best];
        column[best] = column[rank];
        column[rank] = unknown;
        for (int i = rank + 1; i < n; i++) {
            const double factor = a[i*n + rank]/a[rank*n + rank];
            for (int j = rank; j < n && factor != 0.0; j++) a[i*n + j] -= factor*a[rank*n + j];
            b[i] -= factor*b[rank];
            size[i] += fabs(factor)*size[rank];
        }
    }
    for (int i = rank; i < n; i++) {
        if (fabs(b[i]) > 1e-8*size[i]) {
            return 1;
        }
    }
    /* Corrections, those of unknowns that are left open being zero. */
    for (int i = rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < rank; j++) b[i] -= a[i*n + j]*b[j];
        b[i] /= a[i*n + i];
    }
    for (int i = 0; i < n; i++) size[column[i]] = i < rank ? b[i] : 0.0;
    for (int i = 0; i < n; i++) b[i] = x[i] + size[i];
    return 0;
}

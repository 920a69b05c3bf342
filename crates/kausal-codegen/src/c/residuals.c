/* Is each residual small against its size, or but rounding of the largest? */
static int kausal_residuals_hold(const double *v, int n, const int (*pair)[2], double lost, double rounding)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++)
        if (v[pair[k][1]] > largest)
            largest = v[pair[k][1]];
    for (int k = 0; k < n; k++) {
        double allowed = fmax(lost*v[pair[k][1]], rounding*largest);
        if (!(fabs(v[pair[k][0]]) <= allowed))
            return 0;
    }
    return 1;
}

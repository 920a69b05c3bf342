/* Are residuals small beside the terms they are made of? Each pair has the slots of the residual and of their size. */
static int kausal_residuals_hold(const double *v, int n, const int (*pair)[2], double lost)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(v[pair[i][0]]) <= lost*v[pair[i][1]])) {
            return 0;
        }
    }
    return 1;
}

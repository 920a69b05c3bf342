/* Are two instants the same but for rounding? */
static int kausal_same_instant(double a, double b)
{
    return fabs(a - b)/1e-12 <= fmin(fmax(fabs(a), fabs(b)), 1.7976931348623157e308);
}

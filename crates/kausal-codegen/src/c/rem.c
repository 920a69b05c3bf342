/* Integer remainder: the result has the sign of a. */
static inline double kausal_rem(double a, double b)
{
    return a - trunc(a/b)*b;
}

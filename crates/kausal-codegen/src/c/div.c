/* Quotient without fraction. */
static inline double kausal_div(double a, double b)
{
    return trunc(a/b);
}

/* The larger of two. */
static inline double kausal_max(double a, double b)
{
    return a > b ? a : b;
}

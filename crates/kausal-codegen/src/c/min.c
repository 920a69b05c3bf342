/* The smaller of two. */
static inline double kausal_min(double a, double b)
{
    return a < b ? a : b;
}

/* -1, 0 or 1. */
static inline double kausal_sign(double x)
{
    return (double)(x > 0.0) - (double)(x < 0.0);
}

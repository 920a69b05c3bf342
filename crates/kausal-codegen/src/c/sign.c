/* -1, 0 or 1, and of what is not a number no number. */
static inline double kausal_sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x + 0.0;
}

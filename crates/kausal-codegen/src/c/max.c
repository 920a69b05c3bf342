/* The larger of two, the first of equals; not a number where one of them is none. */
static inline double kausal_max(double a, double b)
{
    return b > a || b != b ? b : a;
}

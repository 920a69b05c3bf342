/* Up to which size the difference of a relation may be rounding; its largest size so far is kept in largest. */
static inline double kausal_rounding(double difference, double *largest)
{
    const double size = fabs(difference);
    if (size > *largest) {
        *largest = size;
    }
    return fmax(1e-10**largest, 1e-13);
}

/* The value of the relation difference < 0 (or <= 0) at an event. Where the difference is zero but for rounding it stays as it
   is. */
static inline double kausal_relation(double held, double difference, int or_equal, double *largest)
{
    const double rounding = kausal_rounding(difference, largest);
    if (fabs(difference) <= rounding) {
        return held;
    }
    return (double)(or_equal ? difference <= 0.0 : difference < 0.0);
}

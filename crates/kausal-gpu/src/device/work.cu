/* How a run ends. What is not complete is made again on a core, which has the words for what happened. */
enum { kausal_complete = 0, kausal_failed = 1, kausal_terminated = 2, kausal_stiff = 3, kausal_too_long = 4, kausal_warned = 5 };

/* What a launch works on. */
typedef struct kausal_work {
    const double *columns;  /* what is varied: the value of column c in run r is columns[c*runs + r] */
    const double *instants; /* where values are looked at, ascending, behind the start */
    const double *grid;     /* the instants of trajectories */
    double *numbers;        /* number q of run r is numbers[q*runs + r] */
    double *traces;         /* variable v at instant k in run r: traces[(k*variables + v)*runs + r] */
    double *ends;           /* where each run ended */
    int *outcomes;          /* how */
    unsigned *steps;        /* in how many steps */
    unsigned *next;         /* the run that nobody has taken */
    double start;
    double stop;
    double tolerance;
    double longest;         /* step */
    double same;            /* instants this close are the same */
    unsigned runs;
    unsigned most;          /* attempts at steps a run may make */
    unsigned points;        /* instants */
    unsigned grid_points;
} kausal_work;

/* The next run that nobody has taken. */
KAUSAL_INLINE unsigned kausal_take_run(unsigned *next)
{
#ifdef __CUDACC__
    return atomicAdd(next, 1u);
#else
    return (*next)++;
#endif
}

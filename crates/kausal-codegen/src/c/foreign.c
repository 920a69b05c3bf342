/* The elements of an array as foreign code reads and writes them; by columns for Fortran. */
static double *kausal_doubles(kausal_arena *a, kausal_array x, int columns)
{
    const int n = kausal_count(x), m = columns && x.rank == 2 ? x.size[1] : 1;
    double *list = (double *)(void *)kausal_take(a, (size_t)n + 1);
    for (int k = 0; list && k < n; k++) list[k%m*(n/m) + k/m] = x.data[k].number;
    return list;
}

/* And back. */
static void kausal_from_doubles(kausal_array x, const double *list, int columns)
{
    const int n = kausal_count(x), m = columns && x.rank == 2 ? x.size[1] : 1;
    for (int k = 0; k < n; k++) x.data[k].number = list[k%m*(n/m) + k/m];
}

/* The same for Integers and Booleans. */
static int *kausal_ints(kausal_arena *a, kausal_array x, int columns)
{
    const int n = kausal_count(x), m = columns && x.rank == 2 ? x.size[1] : 1;
    int *list = (int *)(void *)kausal_take(a, (size_t)n + 1);
    for (int k = 0; list && k < n; k++) list[k%m*(n/m) + k/m] = (int)x.data[k].number;
    return list;
}

/* And back. */
static void kausal_from_ints(kausal_array x, const int *list, int columns)
{
    const int n = kausal_count(x), m = columns && x.rank == 2 ? x.size[1] : 1;
    for (int k = 0; k < n; k++) x.data[k].number = list[k%m*(n/m) + k/m];
}

/* The same for strings, which are only read. */
static const char **kausal_texts(kausal_arena *a, kausal_array x)
{
    const int n = kausal_count(x);
    const char **list = (const char **)(void *)kausal_take(a, (size_t)n + 1);
    for (int k = 0; list && k < n; k++) list[k] = x.data[k].text;
    return list;
}

/* The object behind a number. */
static void *kausal_object(kausal_arena *a, double number)
{
    if (number >= 1.0 && number <= KAUSAL_OBJECTS) return a->object[(int)number - 1];
    return 0;
}

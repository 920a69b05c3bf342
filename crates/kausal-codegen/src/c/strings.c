/* A variable that is a string: its value, and memory of its own for it. */
typedef struct kausal_string {
    const char *text;
    char *own;
    size_t room;
} kausal_string;

/* Room for a text of this length and its end, or null. */
static char *kausal_letters(kausal_arena *a, size_t length)
{
    return (char *)kausal_take(a, length/sizeof(kausal_element) + 1);
}

/* A copy of a text. */
static const char *kausal_keep(kausal_arena *a, const char *text)
{
    const size_t length = strlen(text);
    char *copy = kausal_letters(a, length);
    if (!copy) return "";
    memcpy(copy, text, length + 1);
    return copy;
}

/* s := text */
static void kausal_set(kausal_arena *a, kausal_string *s, const char *text)
{
    const size_t length = strlen(text);
    if (length + 1 > s->room) {
        const size_t room = 2*s->room > length + 1 ? 2*s->room : length + 1;
        char *const own = kausal_letters(a, room);
        if (!own) return;
        s->own = own;
        s->room = room;
    }
    memmove(s->own, text, length + 1);
    s->text = s->own;
}

/* x := value, of strings */
static void kausal_store_texts(kausal_arena *a, const char *name, kausal_array *x, kausal_array value, int flexible)
{
    if (!kausal_takes(a, name, x, value, flexible) || (x->data && x->data == value.data)) return;
    kausal_room(a, x, value);
    for (int k = 0, n = kausal_count(value); k < n && !a->failed; k++) {
        x->data[k].text = kausal_keep(a, value.data[k].text);
    }
}

/* An array with copies of all its texts. */
static kausal_array kausal_kept(kausal_arena *a, kausal_array x)
{
    kausal_array copy = kausal_new(a, x.rank, x.size);
    for (int k = 0, n = kausal_count(x); k < n && !a->failed; k++) copy.data[k].text = kausal_keep(a, x.data[k].text);
    return copy;
}

/* Texts one behind the other. */
static const char *kausal_join(kausal_arena *a, int count, const char *const *part)
{
    size_t length = 0;
    for (int k = 0; k < count; k++) length += strlen(part[k]);
    char *joined = kausal_letters(a, length);
    if (!joined) return "";
    char *end = joined;
    for (int k = 0; k < count; k++) {
        const size_t n = strlen(part[k]);
        memcpy(end, part[k], n);
        end += n;
    }
    *end = 0;
    return joined;
}

/* A number below 1000 from an option; negative ones count as 0. */
static int kausal_option(double value)
{
    return value >= 1000.0 ? 1000 : value >= 0.0 ? (int)value : 0;
}

/* At least so wide. */
static const char *kausal_pad(kausal_arena *a, const char *text, int width, int left)
{
    const int length = (int)strlen(text);
    char *wide = kausal_letters(a, (size_t)(length > width ? length : width));
    if (!wide) return "";
    sprintf(wide, left ? "%-*s" : "%*s", width, text);
    return wide;
}

/* What is no finite number. */
static const char *kausal_special(double value)
{
    return value != value ? "nan" : value > 0.0 ? "inf" : "-inf";
}

/* Is it a finite number? */
static int kausal_finite(double value)
{
    return value - value == 0.0;
}

/* Zeros at the end behind the point are left out. */
static void kausal_without_zeros(char *text)
{
    size_t end = strlen(text);
    if (!strchr(text, '.')) return;
    while (text[end - 1] == '0') end--;
    if (text[end - 1] == '.') end--;
    text[end] = 0;
}

/* A number with so many significant digits, with or without an exponent; the text has room for 1400 characters. */
static void kausal_general(char *text, double value, int digits, int zeros)
{
    if (!kausal_finite(value)) {
        strcpy(text, kausal_special(value));
        return;
    }
    sprintf(text, "%.*e", digits - 1, value);
    char *mark = strchr(text, 'e');
    const int exponent = mark ? atoi(mark + 1) : 0;
    if (exponent < -4 || exponent >= digits) {
        char tail[16] = "";
        if (mark && strlen(mark) < sizeof tail) strcpy(tail, mark);
        if (mark) *mark = 0;
        if (!zeros) kausal_without_zeros(text);
        strcat(text, tail);
        return;
    }
    sprintf(text, "%.*f", digits - 1 - exponent > 0 ? digits - 1 - exponent : 0, value);
    if (!zeros) kausal_without_zeros(text);
}

/* String(x, significantDigits, minimumLength, leftJustified) of a Real */
static const char *kausal_real_text(kausal_arena *a, double value, double digits, double width, double left)
{
    char text[1400];
    const int n = kausal_option(digits);
    kausal_general(text, value, n > 1 ? n : 1, 0);
    return kausal_pad(a, text, kausal_option(width), left != 0.0);
}

/* String(i, minimumLength, leftJustified) of an Integer */
static const char *kausal_integer_text(kausal_arena *a, double value, double width, double left)
{
    char text[400];
    if (kausal_finite(value)) sprintf(text, "%.0f", value);
    else strcpy(text, kausal_special(value));
    return kausal_pad(a, text, kausal_option(width), left != 0.0);
}

/* String(b, minimumLength, leftJustified) of a Boolean */
static const char *kausal_boolean_text(kausal_arena *a, double value, double width, double left)
{
    return kausal_pad(a, value != 0.0 ? "true" : "false", kausal_option(width), left != 0.0);
}

/* Digits at the beginning as a number of at most 1000; what is too long to be one is 0. */
static int kausal_digits(const char **at)
{
    double value = 0.0;
    for (; **at >= '0' && **at <= '9'; ++*at) value = value*10.0 + (**at - '0');
    return value > 18446744073709551615.0 ? 0 : kausal_option(value);
}

/* String(x, format): [flags][width][.precision]conversion, with or without a leading percent sign. */
static const char *kausal_formatted(kausal_arena *a, double value, const char *format)
{
    char text[1800];
    while (*format == '%') format++;
    const char *const flags = format;
    format += strspn(format, "-+ #0");
    const size_t count = (size_t)(format - flags);
    const int left = memchr(flags, '-', count) != 0, plus = memchr(flags, '+', count) != 0;
    const int space = memchr(flags, ' ', count) != 0, zero = memchr(flags, '0', count) != 0;
    const int keep = memchr(flags, '#', count) != 0;
    const int width = kausal_digits(&format);
    int digits = 6;
    if (*format == '.') {
        format++;
        digits = kausal_digits(&format);
    }
    const char kind = *format ? format[strlen(format) - 1] : 'g';
    const double most = 9223372036854775807.0;
    const long long whole = value != value ? 0 : value >= most ? 9223372036854775807LL
        : value <= -most ? -9223372036854775807LL - 1 : (long long)value;
    switch (kind) {
    case 'x': sprintf(text, "%llx", (unsigned long long)whole); break;
    case 'X': sprintf(text, "%llX", (unsigned long long)whole); break;
    case 'o': sprintf(text, "%llo", (unsigned long long)whole); break;
    default:
        if (!kausal_finite(value)) strcpy(text, kausal_special(value));
        else if (kind == 'f' || kind == 'F') sprintf(text, "%.*f", digits, value);
        else if (kind == 'e' || kind == 'E') sprintf(text, "%.*e", digits, value);
        else if (kind == 'd' || kind == 'i' || kind == 'u') sprintf(text, "%.0f", value);
        else kausal_general(text, value, digits > 1 ? digits : 1, keep);
        if (kind == 'E' || kind == 'F' || kind == 'G') {
            for (char *c = text; *c; c++) if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
        }
    }
    const char sign = text[0] == '-' ? 0 : plus ? '+' : space ? ' ' : 0;
    if (sign) {
        memmove(text + 1, text, strlen(text) + 1);
        text[0] = sign;
    }
    const int length = (int)strlen(text);
    if (zero && !left && kausal_finite(value) && length < width) {
        const int first = text[0] == '-' || text[0] == '+' || text[0] == ' ';
        memmove(text + first + (width - length), text + first, (size_t)(length - first + 1));
        memset(text + first, '0', (size_t)(width - length));
    }
    return kausal_pad(a, text, width, left);
}

#include "engine/value/timeline_scale.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct time_unit {
    const char *name;
    uint64_t ns;
    int digits; /* decimals down to one nanosecond */
} units[] = {
    {"ns", 1, 0},
    {"us", 1000, 3},
    {"ms", 1000000, 6},
    {"s", 1000000000, 9},
};
enum { UNITS = sizeof units / sizeof *units };

const char *timeline_time(uint64_t ns, uint64_t step, uint64_t end, char out[TIMELINE_TIME_MAX])
{
    int u = 0, digits;
    while (u + 1 < UNITS && end >= units[u + 1].ns)
        u++;
    uint64_t whole = ns / units[u].ns, rest = ns % units[u].ns;
    for (digits = units[u].digits; digits > 0 && step >= 10; step /= 10, rest /= 10)
        digits--;
    if (digits > 0)
        snprintf(out, TIMELINE_TIME_MAX, "%" PRIu64 ".%0*" PRIu64 " %s", whole, digits, rest,
                 units[u].name);
    else
        snprintf(out, TIMELINE_TIME_MAX, "%" PRIu64 " %s", whole, units[u].name);
    return out;
}

uint64_t timeline_tick(uint64_t from, uint64_t to, uint32_t cells)
{
    static const uint64_t factors[] = {1, 2, 5};
    uint64_t width = to > from ? to - from : 1;
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (int i = 0; i < 3; i++) {
            char text[TIMELINE_TIME_MAX];
            uint64_t step = factors[i] * power;
            double apart = (double)step * cells / (double)width;
            if (apart >= (double)strlen(timeline_time(to, step, to, text)) + 3)
                return step;
        }
    return UINT64_MAX; /* one label at most */
}

int timeline_parse_time(uint64_t *out, const char *text, const char *what, struct error *err)
{
    const char *p = text;
    uint64_t whole = 0, rest = 0, part = 1, unit = 0;
    bool large = false;
    for (; *p >= '0' && *p <= '9'; p++) {
        large |= whole > (UINT64_MAX - 9) / 10;
        whole = whole * 10 + (uint64_t)(*p - '0');
    }
    bool digits = p > text;
    for (p += *p == '.'; *p >= '0' && *p <= '9'; p++, digits = true)
        if (part < 1000000000) {
            rest = rest * 10 + (uint64_t)(*p - '0');
            part *= 10;
        }
    for (int u = 0; u < UNITS; u++)
        if (strcmp(strcmp(p, "µs") == 0 ? "us" : p, units[u].name) == 0)
            unit = units[u].ns;
    unit = *p ? unit : 1;
    if (!digits || unit == 0)
        return error_set(err, ERROR_USAGE, EINVAL, "give a time as in 1.5ms, 20us, 3s or 700 (ns)",
                         what, "'%s' is not a time", text);
    if (large || whole > (UINT64_MAX - unit) / unit)
        return error_set(err, ERROR_USAGE, ERANGE, "times end at 2^64 ns", what,
                         "'%s' is out of range", text);
    *out = whole * unit + rest * (unit / part) + rest * (unit % part) / part;
    return 0;
}

#include "support/units_law.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BEFORE "(^|[] \n([|±])"
/* An exact number in parentheses stands beside the one that is written as the law says. */
#define ALONE "(^|[] \n[|±])"
#define AFTER "($|[] \n),;:.|*])"

static struct rule {
    const char *pattern, *why;
    bool beside_rate; /* allowed in a line that has a rate of bytes */
    regex_t compiled;
} rules[] = {
    {.pattern = BEFORE "[-+]?[0-9]+(\\.[0-9]+)?(ns|us|ms|[KMGT]iB|[kKMGT]?B/s|%)" AFTER,
     .why = "no blank before the unit"},
    {.pattern = "(total|mean|avg|average|own|min|max|time|stddev|p[0-9]+) \\(?(ns|us|ms)\\)?" AFTER,
     .why = "the unit is in the head, and not beside the numbers"},
    {.pattern = "[0-9] ?µs", .why = "us is written us"},
    {.pattern = BEFORE "[0-9.]+ ?[kKMGT]B" AFTER,
     .why = "bytes are written in KiB, MiB, GiB",
     .beside_rate = true},
    {.pattern = BEFORE "[0-9]{4,}(\\.[0-9]+)? (ns|us|ms)" AFTER, .why = "the next unit is larger"},
    {.pattern = ALONE "[0-9]+\\.[0-9]{3,} (ns|us|ms|[KMGT]iB|%)" AFTER, .why = "too many digits"},
    {.pattern = ALONE "[0-9]{3}\\.[0-9]+ (ns|us|ms|[KMGT]iB)" AFTER, .why = "too many digits"},
};

/* A place in time ("from 12.345678 ms on", "at 3.141 ms") is exact, so that it can be given to
 * --from. */
static bool is_place(const char *text, const char *found)
{
    static const char *const words[] = {"at", "from", "to"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        if (found >= text + n && memcmp(found - n, words[i], n) == 0)
            return true;
    }
    return false;
}

/* A count of bytes beside its rate ("312 kB/s … 312 kB") has the rate's prefixes. */
static bool is_beside_rate(const char *text, const char *found)
{
    const char *line = found;
    while (line > text && line[-1] != '\n')
        line--;
    const char *rate = strstr(line, "B/s");
    return found[0] != '\n' && rate && rate < line + strcspn(line, "\n");
}

static const char *find_breach(const struct rule *r, const char *text)
{
    regmatch_t at;
    int flags = 0;
    for (const char *from = text; regexec(&r->compiled, from, 1, &at, flags) == 0;
         from += at.rm_so + 1, flags = REG_NOTBOL)
        if (!is_place(text, from + at.rm_so) &&
            !(r->beside_rate && is_beside_rate(text, from + at.rm_so)))
            return from + at.rm_so;
    return NULL;
}

const char *units_law_broken(const char *text, char *out, size_t size)
{
    static bool ready;
    for (size_t i = 0; !ready && i < sizeof rules / sizeof *rules; i++)
        if (regcomp(&rules[i].compiled, rules[i].pattern, REG_EXTENDED) != 0)
            return rules[i].pattern;
    ready = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *breach = find_breach(&rules[i], text);
        if (!breach)
            continue;
        const char *line = breach + (*breach == '\n');
        while (line > text && line[-1] != '\n')
            line--;
        snprintf(out, size, "%s: %.*s", rules[i].why, (int)strcspn(line, "\n"), line);
        return out;
    }
    return NULL;
}

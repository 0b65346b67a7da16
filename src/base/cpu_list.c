#include "base/cpu_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads "3" or "0-7" at *at and moves it behind that. */
static bool read_cpu_range(const char **at, long *first, long *last)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *first = *last = strtol(*at, &end, 10);
    if (*end == '-') {
        if (end[1] < '0' || end[1] > '9')
            return false;
        *last = strtol(end + 1, &end, 10);
    }
    *at = end;
    return *first <= *last && *last < CPU_LIST_MOST;
}

int cpu_list_parse(const char *list, bool *set)
{
    bool more = *list && *list != '\n';
    int n = 0;
    memset(set, 0, CPU_LIST_MOST * sizeof *set);
    while (more) {
        long first, last;
        if (!read_cpu_range(&list, &first, &last))
            return -EINVAL;
        for (long c = first; c <= last; c++) {
            n += !set[c];
            set[c] = true;
        }
        more = *list == ',';
        list += more;
    }
    return *list && strcmp(list, "\n") != 0 ? -EINVAL : n;
}

/* Any bytes as each of the texts of /proc; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_parse.h"

static void pid_stat(const char *p, size_t n)
{
    struct pid_stat s;
    if (parse_pid_stat(p, n, &s) == 0 && (s.pid <= 0 || !memchr(s.comm, '\0', sizeof s.comm)))
        abort();
}

static void sys_stat(const char *p, size_t n)
{
    static const int position[4] = {0, -1, 1, 2};
    struct cpu_ticks cpu[3] = {{0}};
    bool seen[3] = {false};
    struct sys_stat st = {.position = position, .npositions = 4, .cpu = cpu, .seen = seen};
    parse_sys_stat(p, n, &st);
}

static void lines(const char *p, size_t n)
{
    struct io_line l;
    for (size_t at = 0, before = 0; parse_net_line(p, n, &at, &l); before = at)
        if (at <= before || !memchr(l.name, '\0', sizeof l.name))
            abort();
    for (size_t at = 0, before = 0; parse_disk_line(p, n, &at, &l); before = at)
        if (at <= before || !memchr(l.name, '\0', sizeof l.name))
            abort();
}

static void numbers(const char *p, size_t n)
{
    struct mem_info m;
    double v[3], avg;
    parse_meminfo(p, n, &m);
    int found = parse_decimals(p, n, v, 3);
    if (found < 0 || found > 3)
        abort();
    parse_pressure(p, n, &avg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const parse[])(const char *, size_t) = {pid_stat, sys_stat, lines, numbers};
    if (size == 0)
        return 0;
    char *exact = malloc(size); /* exactly as large and not terminated, so that a sanitizer notices
                                   reads beyond its end */
    if (!exact)
        return 0;
    memcpy(exact, data + 1, size - 1);
    parse[data[0] % 4](exact, size - 1);
    free(exact);
    return 0;
}

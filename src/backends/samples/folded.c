/* Folded stacks, the input of flame graphs: "main;run;step 120" in each line, the outermost caller
 * first. flamegraph.pl and the stackcollapse programs beside it define the format. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/samples/samples.h"

/* The number at the line's end: where its digits begin; NULL if there is none. */
static const char *find_count(const char *line, size_t n)
{
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)line[n - 1 - digits]))
        digits++;
    if (digits == 0 || digits > 18 || digits + 2 > n || line[n - 1 - digits] != ' ')
        return NULL;
    return line + n - digits;
}

static size_t trim_line_end(const char *line, size_t n)
{
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        n--;
    return n;
}

/* Whether the whole lines that are there are folded stacks, and one has a caller. */
static bool is_folded_stacks(const char *path, const unsigned char *head, size_t size)
{
    enum { LINES = 20 };
    const char *at = (const char *)head, *end = at + size;
    size_t lines = 0, stacks = 0;
    (void)path;
    if (memchr(head, '\0', size))
        return false;
    while (lines < LINES && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t n = trim_line_end(at, (size_t)((stop ? stop : end) - at));
        if (n > 0 && stop) {
            if (!find_count(at, n))
                return false;
            stacks += memchr(at, ';', n) != NULL;
            lines++;
        }
        if (!stop) /* a line that was cut is no evidence */
            break;
        at = stop + 1;
    }
    return stacks > 0;
}

/* Endings that say what code it is: stackcollapse-perf.pl and rooftop itself write them. */
static void take_annotation(struct hot_symbol *s, char *name, size_t n)
{
    static const struct annotation {
        const char *end, *module;
        uint8_t where;
    } all[] = {
        {"_[k]", "[kernel]", HOT_KERNEL}, {"_[j]", "[jit]", HOT_JIT}, {"_[i]", "", HOT_USER}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (n > 4 && strcmp(name + n - 4, all[i].end) == 0) {
            name[n - 4] = '\0';
            s->module = all[i].module;
            s->where = all[i].where;
            s->inlined = strcmp(all[i].end, "_[i]") == 0;
        }
}

static int32_t add_folded_path(struct hot_profile *p, char *line)
{
    int32_t node = -1;
    for (char *save = NULL, *name = strtok_r(line, ";", &save); name;
         name = strtok_r(NULL, ";", &save)) {
        struct hot_symbol s = {.name = name, .module = "", .path = "", .file = ""};
        take_annotation(&s, name, strlen(name));
        node = hot_profile_node(p, node, hot_profile_symbol(p, &s));
    }
    return node;
}

static int read_folded(const char *path, struct trace *t, struct error *err)
{
    struct samples_lines l;
    struct hot_profile *p = hot_profile_new();
    samples_lines_open(&l, path, t, err);
    while (samples_lines_next(&l) && !p->full) {
        const size_t n = trim_line_end(l.line, l.n);
        const char *count = find_count(l.line, n);
        if (n == 0)
            continue;
        if (!count || memchr(l.line, '\0', n)) {
            samples_lines_refuse(&l, "stackcollapse-perf.pl writes such lines",
                                 "it is not \"caller;callee COUNT\"");
            break;
        }
        const uint64_t weight = strtoull(count, NULL, 10);
        l.line[count - 1 - l.line] = '\0';
        hot_profile_add(p, add_folded_path(p, l.line), weight);
    }
    int rc = l.rc;
    samples_lines_close(&l);
    return samples_finish(p, rc, path, t, err);
}

const struct reader_ops reader_folded = {
    .name = "folded stacks",
    .summary = "",
    .streams = true,
    .samples = true,
    .recognise = is_folded_stacks,
    .read = read_folded,
};

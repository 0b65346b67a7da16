/* How fast texts of exporters are read, in MB/s, against a floor that no reader can beat: finding
 * the ends of the lines. exposition FILE [MIB]: the file, repeated until the text has so many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "exposition/exposition.h"

enum { ROUNDS = 5, MIB = 64 };

static double find_lines(const char *text, size_t n)
{
    size_t lines = 0;
    const uint64_t began = env_now_ns();
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + n - p))); p++)
        lines++;
    const uint64_t took = env_now_ns() - began;
    return lines ? (double)n * 1e3 / (double)took : 0;
}

static double read_samples(char *text, size_t n, size_t *samples)
{
    static struct exposition e;
    struct exposition_sample s;
    struct error err = ERROR_INIT;
    int rc;
    *samples = 0;
    const uint64_t began = env_now_ns();
    exposition_open(&e, EXPOSITION_TEXT, text, n, "text");
    while ((rc = exposition_next(&e, &s, &err)) == 1)
        ++*samples;
    const uint64_t took = env_now_ns() - began;
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", err.what, err.why);
    return (double)n * 1e3 / (double)took;
}

/* Fills text with the file again and again; returns how many bytes it has. */
static size_t repeat_file(char *text, const char *once, size_t n, size_t most)
{
    size_t size = 0;
    for (; size + n <= most; size += n)
        memcpy(text + size, once, n);
    return size;
}

int main(int argc, char **argv)
{
    const size_t most = (size_t)(argc > 2 ? atoi(argv[2]) : MIB) << 20;
    FILE *f = argc > 1 ? fopen(argv[1], "re") : NULL;
    if (!f)
        return 2;
    char *once = xcalloc(most + 1, 1), *text = xcalloc(most + 1, 1);
    const size_t n = fread(once, 1, most, f);
    size_t size = 0, samples = 0;
    double best = 0, floor = 0;
    fclose(f);
    for (int i = 0; n && i < ROUNDS; i++) {
        size = repeat_file(text, once, n, most);
        const double lines = find_lines(text, size), v = read_samples(text, size, &samples);
        floor = lines > floor ? lines : floor;
        best = v > best ? v : best;
    }
    printf("%zu bytes, %zu samples: %.0f MB/s; ends of lines only: %.0f MB/s\n", size, samples,
           best, floor);
    free(once);
    free(text);
    return 0;
}

/* A folder of rocprof-compute: pmc_perf.csv, then SQ_X.csv, sysinfo.csv and roofline.csv,
 * separated by the byte 0x1e (record separator). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/trace/trace.h"

enum { SEPARATOR = 0x1e };

static char folder[64];

static void leave(void)
{
    if (rmdir(folder) != 0)
        abort();
}

static void put(const char *name, const uint8_t *data, size_t size, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || (size && fwrite(data, size, 1, f) != 1) || fclose(f) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"pmc_perf.csv", "SQ_X.csv", "sysinfo.csv", "roofline.csv"};
    enum { FILES = sizeof names / sizeof *names };
    struct error err = ERROR_INIT;
    struct trace t = {0};
    char paths[FILES][128];
    const char *opened = folder;
    if (!*folder) {
        strcpy(folder, "/tmp/rooftop-fuzz-XXXXXX");
        if (!mkdtemp(folder) || atexit(leave) != 0)
            abort();
    }
    for (int i = 0; i < FILES; i++) {
        const uint8_t *end = size ? memchr(data, SEPARATOR, size) : NULL;
        size_t part = end ? (size_t)(end - data) : size;
        put(names[i], data, part, paths[i]);
        data += part + (end != NULL);
        size -= part + (end != NULL);
    }
    trace_open(&t, &opened, 1, &err);
    trace_free(&t);
    for (int i = 0; i < FILES; i++)
        unlink(paths[i]);
    return 0;
}

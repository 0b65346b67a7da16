/* CSV files of rocprofv3: up to four of one run, separated by the byte 0x1e (record separator). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/trace/trace.h"

enum { FILES = 4, SEPARATOR = 0x1e };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    char names[FILES][64];
    const char *paths[FILES];
    int fds[FILES];
    size_t n = 0;
    while (n < FILES) {
        const uint8_t *end = size ? memchr(data, SEPARATOR, size) : NULL;
        size_t part = end ? (size_t)(end - data) : size;
        fds[n] = memfd_create("fuzz", MFD_CLOEXEC);
        if (fds[n] < 0 || (part && write(fds[n], data, part) != (ssize_t)part))
            abort();
        snprintf(names[n], sizeof names[n], "/proc/self/fd/%d", fds[n]);
        paths[n] = names[n];
        n++;
        if (!end)
            break;
        data += part + 1;
        size -= part + 1;
    }
    trace_open(&t, paths, n, &err);
    trace_free(&t);
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
    return 0;
}

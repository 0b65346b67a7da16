/* Any bytes as the user's file of events and metrics, through a file in memory as the program reads
 * it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/live/user_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct user_tables *t;
    struct error err = ERROR_INIT;
    char path[64];
    int fd = memfd_create("tables", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (user_tables_load(&t, path, false, &err)) {
        if (t || err.kind != ERROR_INPUT || !*err.why)
            abort();
    } else {
        struct metric_set *m;
        if (metric_compile(&m, "zen4", t, &err) == 0)
            metric_free(m);
        user_tables_free(t);
    }
    close(fd);
    return 0;
}

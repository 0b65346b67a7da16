/* Any bytes as the collectives of a rank: a header, and what lies at the begin and at the end of
 * both tables. What is read has texts that end, and times that follow each other. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/job/collectives_file.h"

static const size_t places[] = {
    0,
    offsetof(struct collectives, groups),
    offsetof(struct collectives, calls),
    offsetof(struct collectives, calls) + 128,
    sizeof(struct collectives) - 128,
};
enum { PLACES = sizeof places / sizeof *places, SLOT = 128 };

static void check_call(const struct collectives_call *c, const struct collectives_call *before)
{
    if (before && c->serial <= before->serial)
        abort();
    if (memchr(c->op, '\0', sizeof c->op) == NULL || memchr(c->type, '\0', sizeof c->type) == NULL)
        abort();
    if ((c->begun && c->begun < c->called) || (c->ended && c->ended < c->begun))
        abort();
    if (c->last < c->first)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct collectives_file f;
    struct error err = ERROR_INIT;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    for (size_t i = 0; i < PLACES && fd >= 0 && i * SLOT < size; i++) {
        const size_t n = size - i * SLOT < SLOT ? size - i * SLOT : SLOT;
        if (pwrite(fd, data + i * SLOT, n, (off_t)places[i]) != (ssize_t)n)
            abort();
    }
    if (collectives_file_take(&f, fd, COLLECTIVES_CALLS, "fuzz", &err) == 0)
        for (uint32_t i = 0; i < f.ncalls; i++)
            check_call(&f.calls[i], i ? &f.calls[i - 1] : NULL);
    for (uint32_t i = 0; i < f.ngroups; i++)
        if (memchr(f.groups[i].name, '\0', sizeof f.groups[i].name) == NULL)
            abort();
    collectives_file_free(&f);
    if (fd >= 0)
        close(fd);
    return 0;
}

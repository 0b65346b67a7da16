/* An ELF file: its USDT notes, pairs of probes, and the libraries it needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bricks/probe_pairs.h"
#include "symbols/elf/usdt_notes.h"
#include "symbols/symbols_impl.h"

enum { PAIRS = 16 };

static void find_pairs(const struct usdt_notes *n)
{
    struct probe_patterns p;
    struct probe_pair found[PAIRS];
    struct probe_name *names = xcalloc(n->n + 1, sizeof *names);
    for (size_t i = 0; i < n->n; i++)
        names[i] = (struct probe_name){n->probes[i].provider, n->probes[i].name};
    /* the first name serves as a pattern too */
    if (n->n == 0 || probe_patterns_parse(&p, n->probes[0].name, NULL) != 0)
        probe_patterns_parse(&p, "*", NULL);
    size_t npairs = probe_pairs_find(&p, names, n->n, found, PAIRS);
    for (size_t i = 0; i < npairs; i++)
        if (found[i].begin >= n->n || found[i].end >= n->n || !found[i].name[0])
            abort();
    free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct usdt_notes n;
    struct arena texts = {0};
    static struct needed needed; /* static, because it is large */
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (usdt_notes_parse(&n, copy, size, "fuzz", NULL) == 0) {
        for (size_t i = 0; i < n.n; i++)
            if ((n.probes[i].located && n.probes[i].offset >= size) || !n.probes[i].provider[0] ||
                strlen(n.probes[i].name) > USDT_NAME_MAX ||
                strlen(n.probes[i].arguments) > USDT_ARGUMENTS_MAX)
                abort();
        find_pairs(&n);
    }
    usdt_notes_free(&n);
    free(copy);
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        needed_read(&needed, path, &texts);
    }
    if (fd >= 0)
        close(fd);
    arena_free(&texts);
    return 0;
}

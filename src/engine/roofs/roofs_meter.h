/* What measures the roofs of this host: backends/roofs fills it. */
#pragma once

#include "base/error.h"
#include "engine/roofs/host_roofs.h"

struct roofs_wish {
    bool quick;       /* a sixth of the time, with more spread */
    uint32_t threads; /* of the rows of all cores; 0: as many CPUs as the process may use */
    /* called before each row, from the calling thread; may be NULL */
    void (*progress)(void *ctx, const char *what, unsigned done, unsigned of);
    void *ctx;
};

struct roofs_meter {
    /*
     * Fills *out, also with what it was when it was given up. Blocks for about a minute, quick
     * about ten seconds. Returns 0; -ECANCELED (base/watch.h); -ENOMEM; -EAGAIN: no thread to be
     * had; -ENOTSUP on a CPU without loops here. The caller frees *out in any case.
     */
    int (*measure)(struct host_roofs *out, const struct roofs_wish *wish, struct error *err);
};
extern const struct roofs_meter roofs_meter;

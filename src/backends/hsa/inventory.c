#include "backends/hsa/inventory.h"

#include <errno.h>
#include <stdlib.h>

#include "backends/hsa/inventory_fill.h"
#include "base/arena.h"
#include "engine/live/ask.h"

/* The message from the process that asked. It runs rooftop too, but may have failed in any way. */
struct inventory_answer {
    int32_t rc;
    struct error err;
    struct hsa_inventory inventory;
};

#define END(text) ((text)[sizeof(text) - 1] = '\0')
#define FLAG(b)   (*(unsigned char *)&(b) &= 1)

/* Makes a message safe: texts end, counts are within their arrays, bools are 0 or 1. */
static bool tidy_inventory(struct inventory_answer *a)
{
    struct hsa_inventory *h = &a->inventory;
    END(a->err.what);
    END(a->err.why);
    END(a->err.help);
    END(h->library);
    END(h->vmem_why);
    FLAG(h->vmem);
    FLAG(h->emulated);
    if (h->nagents > HSA_AGENTS_MAX || a->err.code < 0)
        return false;
    for (uint32_t i = 0; i < h->nagents; i++) {
        struct hsa_agent_facts *g = &h->agent[i];
        if (g->nisas > HSA_ISAS_MAX || g->npools > HSA_POOLS_MAX)
            return false;
        FLAG(g->gpu);
        END(g->name);
        END(g->product);
        END(g->vendor);
        END(g->pci);
        for (uint32_t k = 0; k < g->nisas; k++)
            END(g->isa[k]);
        for (uint32_t k = 0; k < g->npools; k++) {
            FLAG(g->pool[k].allocatable);
            FLAG(g->pool[k].all_agents);
            END(g->pool[k].segment);
            END(g->pool[k].flags);
        }
    }
    return true;
}

int hsa_inventory_ask(struct hsa_inventory **out, int timeout_ms, struct error *err)
{
    const struct question q = {
        .source = "hsa",
        .what = "ask the HSA runtime",
        .who = "hsa_init()",
        .help = "does rocminfo work? see dmesg, and whether you may open /dev/kfd",
        .timeout_ms = timeout_ms,
        .most = sizeof(struct inventory_answer),
    };
    void *bytes;
    size_t n;
    *out = NULL;
    int rc = ask(&q, &bytes, &n, err);
    struct inventory_answer *a = bytes;
    if (rc == 0 && (n != sizeof *a || !tidy_inventory(a)))
        rc = error_set(err, ERROR_UNSUPPORTED, EIO, q.help, q.what, "its answer is invalid");
    else if (rc == 0 && a->rc != 0)
        rc = error_set(err, a->err.kind, a->err.code, a->err.help, a->err.what, "%s", a->err.why);
    if (rc == 0) {
        *out = xcalloc(1, sizeof **out);
        **out = a->inventory;
    }
    free(bytes);
    return rc;
}

void *hsa_inventory_pack(int rc, const struct hsa_inventory *h, const struct error *err, size_t *n)
{
    struct inventory_answer *a = xcalloc(1, sizeof *a);
    a->rc = rc;
    a->err = *err;
    a->inventory = *h;
    *n = sizeof *a;
    return a;
}

void *hsa_inventory_answer(size_t *n)
{
    struct hsa_inventory *h = xcalloc(1, sizeof *h);
    struct error err = ERROR_INIT;
    const int rc = hsa_inventory_fill(h, &err);
    void *answer = hsa_inventory_pack(rc, h, &err, n);
    free(h);
    return answer;
}

/* Any bytes as a document of --headless --format json: what is read makes sense, and a comparison
 * with itself finds no difference. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/compare/compare.h"
#include "export/live/run_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct runs *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->list[i].n; k++) {
            const struct run_number *x = &all->list[i].numbers[k];
            if (!isfinite(x->within.mean) || !(x->within.sd >= 0) || !(x->within.effective >= 1) ||
                x->group >= RUN_GROUPS || x->unit >= UNIT_COUNT_OF || !x->id[0] || x->scaled > 100)
                abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runs all = {.n = 0};
    struct error err = ERROR_INIT;
    if (run_json_parse(&all, (const char *)data, size, "fuzz", &err) != 0) {
        if (err.kind != ERROR_INPUT || !*err.why)
            abort();
    } else {
        check(&all);
        struct comparison *c = compare_runs(&all, &all);
        for (size_t i = 0; i < c->n; i++)
            if (c->rows[i].verdict == COMPARE_MORE || c->rows[i].verdict == COMPARE_LESS)
                abort();
        comparison_free(c);
    }
    runs_free(&all);
    return 0;
}

/* What is written for speedscope and pprof has the same sums as the profile, when it is read again.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/functions/functions.h"
#include "engine/functions/hot_profile.h"
#include "export/stacks/export_pprof.h"
#include "export/stacks/export_speedscope.h"
#include "support/hot_scene.h"
#include "support/test.h"
#include "support/trace_text.h"

static uint64_t sum_of(const struct hot_stacks *p, const char *name, uint64_t *total)
{
    struct function_row *rows;
    uint64_t self = 0;
    *total = 0;
    const size_t n = functions_list(p, &rows);
    for (size_t i = 0; i < n; i++)
        if (strcmp(p->symbols[rows[i].symbol].name, name) == 0) {
            self += rows[i].self;
            *total += rows[i].total;
        }
    free(rows);
    return self;
}

static void read_again(void (*write)(FILE *out, const struct hot_stacks *p))
{
    struct arena a = {0};
    const struct hot_stacks *p = scene_stacks(&a, 0, false);
    struct error err = ERROR_INIT;
    struct trace t;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    write(f, p);
    fclose(f);
    assert_int_equal(trace_text_open(&t, text, len, false, &err), 0);
    assert_non_null(t.samples);
    const struct hot_stacks *q = &t.samples->stacks;
    assert_int_equal(q->samples, p->samples);
    for (size_t i = 0; i < p->nsymbols; i++) {
        uint64_t total, again;
        const uint64_t self = sum_of(p, p->symbols[i].name, &total);
        assert_int_equal(sum_of(q, p->symbols[i].name, &again), self);
        assert_true(again <= total); /* symbols of two modules may be one there */
    }
    free(text);
    trace_free(&t);
    arena_free(&a);
}

TEST(speedscope_is_read_again)
{
    read_again(export_speedscope);
}

TEST(pprof_is_read_again)
{
    read_again(export_pprof);
}

#include "engine/att/att_fields.h"

static uint64_t if_known(uint32_t v)
{
    return v == ATT_UNKNOWN ? UINT64_MAX : v;
}

static double time_share(const struct att_item *r)
{
    return 100 *
           att_share(att_row_weight(r->t, r->row).time, att_sum_weight(r->t, &r->t->all).time);
}

static double stall_share(const struct att_item *r)
{
    struct att_weight w = att_row_weight(r->t, r->row);
    return 100 * att_share(w.stall, w.time);
}

static const char *service_of(const struct att_row *r)
{
    static const char *const services[] = {"trace", "host trap", "stochastic"};
    return r->service < sizeof services / sizeof *services ? services[r->service] : "other";
}

static bool was_sampled(const struct att_row *r)
{
    return r->issued || r->stalled;
}

static int by_stall(const void *a, const void *b)
{
    const struct att_item *x = a, *y = b;
    uint64_t p = att_row_weight(x->t, x->row).stall, q = att_row_weight(y->t, y->row).stall;
    return (p < q) - (p > q);
}

static int compare_att_items(const void *a, const void *b)
{
    const struct att_item *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

#define LIST_ROW   struct att_item
#define LIST_FILE  "engine/att/att_fields.def"
#define LIST_TABLE att_fields
#include "engine/value/list_field_table.h"

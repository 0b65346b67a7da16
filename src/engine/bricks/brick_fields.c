#include "engine/bricks/brick_fields.h"

static uint64_t if_timed(const struct brick_row *r, uint64_t ns)
{
    return r->timed ? ns : GRAPH_UNKNOWN;
}

/* 0 means that the program did not say. */
static uint64_t known_brick_number(uint64_t v)
{
    return v ? v : GRAPH_UNKNOWN;
}

static const char *category_of_brick_row(const struct brick_row *r)
{
    return r->kind == NODE_BRICK ? node_category_name((enum node_category)r->category) : "";
}

/* Known where a trace of system calls was read too. */
static uint64_t in_calls(const struct brick_row *r, uint64_t v)
{
    return r->has_calls ? v : GRAPH_UNKNOWN;
}

static const char *longest_call_of_row(const struct brick_row *r)
{
    return r->has_calls ? r->calls.most_in : NULL;
}

static double counter_rate_of_row(const struct brick_row *r, enum graph_rate rate)
{
    return graph_rate(r->counters, &r->counts, rate);
}

static const char *write_counts_of_row(const struct brick_row *r, char buf[FIELD_TEXT_MAX])
{
    return r->counters ? graph_counts_text(r->counters, &r->counts, buf, FIELD_TEXT_MAX) : "";
}

#define LIST_ROW   struct brick_row
#define LIST_FILE  "engine/bricks/brick_fields.def"
#define LIST_TABLE brick_fields
#include "engine/value/list_field_table.h"

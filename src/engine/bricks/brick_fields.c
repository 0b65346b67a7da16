#include "engine/bricks/brick_fields.h"

static uint64_t if_timed(const struct brick_row *r, uint64_t ns)
{
    return r->timed ? ns : GRAPH_UNKNOWN;
}

/* 0 means that the program did not say. */
static uint64_t told(uint64_t v)
{
    return v ? v : GRAPH_UNKNOWN;
}

static const char *category_of(const struct brick_row *r)
{
    return r->kind == NODE_BRICK ? node_category_name((enum node_category)r->category) : "";
}

#define LIST_ROW   struct brick_row
#define LIST_FILE  "engine/bricks/brick_fields.def"
#define LIST_TABLE brick_fields
#include "engine/value/list_field_table.h"

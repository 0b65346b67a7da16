#include "engine/functions/functions_fields.h"

#include <math.h>
#include <string.h>

static const struct hot_symbol *symbol_of_function(const struct functions_item *r)
{
    return &r->stacks->symbols[r->row->symbol];
}

static const char *write_source_of_function(const struct functions_item *r,
                                            char buf[FIELD_TEXT_MAX])
{
    functions_source(symbol_of_function(r), buf, FIELD_TEXT_MAX);
    return buf;
}

static const char *name_symbol_kind(const struct hot_symbol *s)
{
    return s->inlined ? "inlined" : functions_where_name((enum hot_where)s->where);
}

static double percent_of_samples(const struct functions_item *r, uint64_t samples)
{
    return functions_percent(r->stacks, samples);
}

/* By file, and in a file by line. */
static int by_source(const void *a, const void *b)
{
    const struct hot_symbol *x = symbol_of_function(a), *y = symbol_of_function(b);
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

#define LIST_ROW   struct functions_item
#define LIST_FILE  "engine/functions/functions_fields.def"
#define LIST_TABLE functions_fields
#include "engine/value/list_field_table.h"

/* Fields of a function, for filters. */
#include <stdio.h>

#include "engine/value/query.h"
#include "tui/views/functions/functions.h"

static const struct hot_symbol *symbol_of(const void *row)
{
    const struct functions_item *i = row;
    return &i->f->stacks->symbols[i->symbol];
}

static const char *function_name(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return symbol_of(row)->name;
}

static const char *module(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return symbol_of(row)->module;
}

static const char *source(const void *row, char buf[FIELD_TEXT_MAX])
{
    functions_source(symbol_of(row), buf, FIELD_TEXT_MAX);
    return buf;
}

static const char *kind(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return symbol_of(row)->inlined ? "inlined"
                                   : functions_where_name((enum hot_where)symbol_of(row)->where);
}

static double self(const void *row)
{
    const struct functions_item *i = row;
    return functions_percent(i->f, i->self);
}

static double total(const void *row)
{
    const struct functions_item *i = row;
    return functions_percent(i->f, i->total);
}

static double samples(const void *row)
{
    return (double)((const struct functions_item *)row)->self;
}

const struct list_field functions_fields[] = {
    {.name = "name", .alias = "function", .help = "function", .text = function_name, .plain = true},
    {.name = "module", .help = "file or [kernel], [jit], [vdso]", .text = module, .plain = true},
    {.name = "source", .alias = "file", .help = "source file:line", .text = source, .plain = true},
    {.name = "kind", .help = "user, kernel, jit, vdso, inlined, unknown", .text = kind},
    {.name = "self", .unit = UNIT_PERCENT, .help = "share in the function itself", .number = self},
    {.name = "total", .unit = UNIT_PERCENT, .help = "share with what it calls", .number = total},
    {.name = "samples",
     .unit = UNIT_COUNT,
     .help = "samples in the function itself",
     .number = samples},
    {.name = NULL},
};

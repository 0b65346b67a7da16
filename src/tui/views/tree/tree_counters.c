/* The columns of counters, in the tree and in the flat list. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/bricks/brick_fields.h"
#include "tui/views/tree/tree.h"

const struct counter_fields tree_counter_fields = {
    &graph_fields[GRAPH_FIELD_ipc],
    &graph_fields[GRAPH_FIELD_cache_miss],
    &graph_fields[GRAPH_FIELD_mispredict],
    {&graph_fields[GRAPH_FIELD_counter0], &graph_fields[GRAPH_FIELD_counter1],
     &graph_fields[GRAPH_FIELD_counter2], &graph_fields[GRAPH_FIELD_counter3]}};
const struct counter_fields flat_counter_fields = {
    &brick_fields[BRICK_FIELD_ipc],
    &brick_fields[BRICK_FIELD_cache_miss],
    &brick_fields[BRICK_FIELD_mispredict],
    {&brick_fields[BRICK_FIELD_counter0], &brick_fields[BRICK_FIELD_counter1],
     &brick_fields[BRICK_FIELD_counter2], &brick_fields[BRICK_FIELD_counter3]}};
enum { EVENT_COLUMNS = 4 };

void tree_counter_columns(struct table_fields *columns, const struct graph_counters *of,
                          const struct counter_fields *f)
{
    if (!graph_rate_asked(of, GRAPH_IPC))
        table_fields_remove(columns, f->ipc);
    if (!graph_rate_asked(of, GRAPH_MISSES))
        table_fields_remove(columns, f->miss);
    if (!graph_rate_asked(of, GRAPH_MISPREDICTS))
        table_fields_remove(columns, f->mispredict);
    for (uint32_t i = 0; i < EVENT_COLUMNS; i++) {
        if (!of || i >= of->n) {
            table_fields_remove(columns, f->event[i]);
            continue;
        }
        for (int c = 0; c < columns->n; c++)
            if (columns->field[c] == f->event[i])
                columns->columns[c].title = of->list[i].name;
    }
}

static void write_tree_number(char text[TABLE_CELL_MAX], const char *format, double v)
{
    if (isnan(v))
        snprintf(text, TABLE_CELL_MAX, "n/a");
    else
        snprintf(text, TABLE_CELL_MAX, format, v); /* raw: our own formats, for a number */
}

bool tree_counter_cell(const struct list_field *field, const struct counter_fields *f,
                       const struct graph_counters *of, const struct graph_counts *c,
                       char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    if (field == f->ipc)
        write_tree_number(text, "%.2f", graph_rate(of, c, GRAPH_IPC));
    else if (field == f->miss)
        write_tree_number(text, "%.1f", graph_rate(of, c, GRAPH_MISSES));
    else if (field == f->mispredict)
        write_tree_number(text, "%.2f", graph_rate(of, c, GRAPH_MISPREDICTS));
    for (uint32_t i = 0; i < EVENT_COLUMNS; i++) {
        if (field != f->event[i])
            continue;
        if (!c || isnan(c->value[i]) || c->calls == 0) {
            snprintf(text, TABLE_CELL_MAX, "n/a");
            return true;
        }
        const struct value v = value_ok(c->value[i] / (double)c->calls, UNIT_NONE);
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(&v, false, number));
        return true;
    }
    return field == f->ipc || field == f->miss || field == f->mispredict;
}

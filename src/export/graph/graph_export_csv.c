/* One row for each node (RFC 4180). An unknown value is an empty field. */
#include <stdlib.h>

#include "engine/graph/graph_fields.h"
#include "engine/value/list_field_document.h"
#include "export/graph/graph_export.h"

void graph_export_csv(FILE *out, const struct graph *g, const struct graph_export_options *o)
{
    const struct list_field *columns[FIELDS_MAX];
    int ncolumns =
        list_fields(graph_fields, FIELD_CSV, columns) - (o->path ? 0 : GRAPH_CSV_OF_PATH);
    bool *on = graph_on_path(g, o->path);
    struct graph_item item = graph_export_item(g, o, on);
    list_fields_csv_head(out, columns, ncolumns);
    fputs("\r\n", out);
    for (item.node = graph_export_first(g, o); item.node != GRAPH_NONE;
         item.node = graph_walk(g, item.node, o->root, &item.depth)) {
        list_fields_csv_row(out, columns, ncolumns, &item);
        fputs("\r\n", out);
    }
    free(on);
}

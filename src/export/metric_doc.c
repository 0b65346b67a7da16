/* Makes the table of docs/METRICS.md from the metrics themselves (raw: they are rooftop's own). */
#include "export/metric_doc.h"

#include <errno.h>

#include "engine/live/metric.h"

/* Writes a cell; escapes '|', which would end it. */
static void put_table_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text, out);
    }
}

static void put_metric(FILE *out, const struct metric_def *d)
{
    fprintf(out, "| `%s` | ", d->id);
    put_table_cell(out, *d->label ? d->label : "(step)");
    fprintf(out, " | %s | `", unit_name(d->unit));
    put_table_cell(out, d->formula);
    fprintf(out, "` | %s | %s | ", d->set, d->cpus);
    put_table_cell(out, d->what);
    fputs(" | ", out);
    put_table_cell(out, d->reference);
    fputs(" |\n", out);
}

int metric_document(FILE *out)
{
    for (int g = 0; g < METRIC_GROUP_COUNT; g++) {
        if (g == METRIC_USER)
            continue;
        fprintf(out, "### %s\n\n", metric_group_title((enum metric_group)g));
        fputs("| id | label | unit | formula | set | CPUs | what it tells | source |\n"
              "|---|---|---|---|---|---|---|---|\n",
              out);
        for (const struct metric_def *d = metric_table; d->id; d++)
            if (d->group == (enum metric_group)g)
                put_metric(out, d);
        putc('\n', out);
    }
    return ferror(out) ? -EIO : 0;
}

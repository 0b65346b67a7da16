/* The table of metrics as Markdown, for docs/. */
#include "cli/generate.h"

#include <string.h>

#include "engine/metric.h"

/* A cell: bars would end it. */
static void cell(FILE *out, const char *text)
{
    fputs("| ", out);
    for (const char *p = text ? text : ""; *p; p++) {
        if (*p == '|')
            fputc('\\', out);
        fputc(*p, out);
    }
    fputc(' ', out);
}

void generate_metrics(FILE *out)
{
    fputs("# Metrics\n", out);
    for (int g = 0; g < METRIC_GROUP_COUNT; g++) {
        bool head = false;
        for (const struct metric_def *m = metric_table; m->id; m++) {
            if ((int)m->group != g)
                continue;
            if (!head)
                fprintf(
                    out,
                    "\n## %s\n\n| id | label | formula | unit | set | CPUs | meaning | source |\n"
                    "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
                    metric_group_title((enum metric_group)g));
            head = true;
            cell(out, m->id);
            cell(out, m->label);
            cell(out, m->formula);
            cell(out, unit_name(m->unit));
            cell(out, m->set);
            cell(out, m->cpus);
            cell(out, m->what);
            cell(out, m->reference);
            fputs("|\n", out);
        }
    }
}

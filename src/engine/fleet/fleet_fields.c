#include "engine/fleet/fleet_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"

#define LIST_ROW   struct fleet_row
#define LIST_FILE  "engine/fleet/fleet_fields.def"
#define LIST_TABLE fleet_fields
#include "engine/value/list_field_table.h"

static const void *get_fleet_row(const void *picture, size_t i, void *made)
{
    (void)made;
    return &((const struct fleet_picture *)picture)->rows[i];
}

static int order_equal_hosts(const void *a, const void *b)
{
    /* node2 before node10 */
    return strverscmp(((const struct fleet_row *)a)->name, ((const struct fleet_row *)b)->name);
}

const struct list_rows fleet_rows = {
    .fields = fleet_fields, .row = get_fleet_row, .tie = order_equal_hosts};

const char *fleet_row_worst(const struct fleet_row *r)
{
    return r->outlier && r->worst >= 0 ? fleet_metrics[r->worst].id : "";
}

double fleet_row_distance(const struct fleet_row *r)
{
    return r->outlier && r->worst >= 0 ? r->distance[r->worst] : NAN;
}

static void say_outlier(const struct fleet_picture *p, const struct fleet_row *r, bool ascii,
                        char out[FLEET_WORDS])
{
    char value[VALUE_TEXT_MAX], median[VALUE_TEXT_MAX];
    const struct fleet_metric_row *m = &fleet_metrics[r->worst];
    const double d = r->distance[r->worst];
    int n = snprintf(out, FLEET_WORDS, "%s %s: %.3g deviations %s the median, %s", m->id,
                     value_text(r->v[r->worst], m->unit, ascii, value), fabs(d),
                     d < 0 ? "below" : "above",
                     value_text(p->middle[r->worst].median, m->unit, ascii, median));
    int more = -1;
    for (int k = 0; k < FLEET_METRICS; k++)
        more += r->outlier >> k & 1;
    if (more > 0 && n > 0 && n < FLEET_WORDS)
        snprintf(out + n, FLEET_WORDS - (size_t)n, "; %d more", more);
}

const char *fleet_row_words(const struct fleet_picture *p, const struct fleet_row *r, bool ascii,
                            char out[FLEET_WORDS])
{
    out[0] = '\0';
    if (r->state != FLEET_LIVE)
        snprintf(out, FLEET_WORDS, "%s", r->reason);
    else if (r->outlier && r->worst >= 0)
        say_outlier(p, r, ascii, out);
    return out;
}

const char *fleet_words(const struct fleet_picture *p, char out[FLEET_WORDS])
{
    static const enum fleet_state order[] = {FLEET_LIVE, FLEET_CONNECTING, FLEET_LATE, FLEET_LOST};
    size_t n =
        (size_t)snprintf(out, FLEET_WORDS, "%zu %s", p->nrows, plural(p->nrows, "host", "hosts"));
    const char *before = ":";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!p->states[order[i]])
            continue;
        n += (size_t)snprintf(out + n, FLEET_WORDS - n, "%s %zu %s", before, p->states[order[i]],
                              fleet_state_name(order[i]));
        before = ",";
    }
    if (p->outliers)
        snprintf(out + n, FLEET_WORDS - n, "; %zu far from the others", p->outliers);
    return out;
}

bool fleet_metric_known(const struct fleet_picture *p, enum fleet_metric m)
{
    for (size_t i = 0; i < p->nrows; i++)
        if (isfinite(p->rows[i].v[m]))
            return true;
    return false;
}

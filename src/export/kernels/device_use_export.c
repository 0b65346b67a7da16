#include "export/kernels/device_use_export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "engine/value/document.h"
#include "engine/value/value.h"
#include "export/kernels/kernels_export.h"

enum { NAME_CELLS = 24, COPIED = VALUE_TEXT_MAX + 4 };

static double percent_of_device(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* --- text --- */

/* The copied bytes: "" without copies, "n/a" if no size is recorded, "≥" if some sizes are not. */
static const char *format_copied_bytes(const struct device_use *r, bool ascii, char out[COPIED])
{
    struct value v = value_ok((double)(r->bytes[0] + r->bytes[1] + r->bytes[2]), UNIT_BYTES);
    static const char *const least[] = {"", "≥", ">="};
    char sum[VALUE_TEXT_MAX];
    if (r->ncopies == 0 || r->nunsized == r->ncopies)
        return r->ncopies ? "n/a" : "";
    snprintf(out, COPIED, "%s%s", least[r->nunsized ? 1 + ascii : 0], value_format(&v, ascii, sum));
    return out;
}

static void print_use(FILE *out, const struct device_use *r, bool indent, bool ascii)
{
    char name[200], bytes[COPIED], idle[256], memory[128];
    int room = NAME_CELLS;
    if (indent)
        snprintf(name, sizeof name, "  %s", r->device);
    else
        device_use_name(r, name, sizeof name);
    if (text_width(name) > room) { /* a long name gets a line of its own, so that the numbers stay
                                      below their headings */
        print_text(out, "  %s\n", name);
        *name = '\0';
    }
    print_text(out, "  %s%*s", name, room - text_width(name), "");
    print_text(out, " %7.1f %7.1f %7.1f %7.1f %7.1f", percent_of_device(r->compute, r->wall),
               percent_of_device(r->communication, r->wall), percent_of_device(r->both, r->wall),
               percent_of_device(r->copying, r->wall), percent_of_device(r->idle, r->wall));
    print_text(out, " %8" PRIu64 " %9s\n", r->nkernels, format_copied_bytes(r, ascii, bytes));
    if (r->outside)
        print_text(out, "      busy with work from outside of the part: %.1f %%\n",
                   percent_of_device(r->outside, r->wall));
    if (r->idle)
        print_text(out, "      idle: %s\n", device_use_idle_text(r, idle, sizeof idle));
    if (r->allocated != GRAPH_UNKNOWN)
        print_text(out, "      memory: %s\n",
                   device_use_memory_text(r, ascii, memory, sizeof memory));
}

void device_uses_text(FILE *out, const struct device_uses *u, bool ascii)
{
    char lines[DEVICE_USE_LINES][256];
    bool below = false;
    if (u->n == 0)
        return;
    print_text(out, "\n%s\n", u->nranks > 1 ? "By rank and device" : "By device");
    print_text(out, "  %-*s %7s %7s %7s %7s %7s %8s %9s\n", NAME_CELLS, "% of its time", "compute",
               "commun.", "both", "copies", "idle", "kernels", "copied");
    for (uint32_t i = 0; i < u->n; i++) {
        const struct device_use *r = &u->rows[i];
        below = below && strcmp(u->rows[i - 1].rank, r->rank) == 0;
        print_use(out, r, below, ascii);
        below = below || !*r->device;
    }
    for (int i = 0, n = device_uses_say(u, lines); i < n; i++)
        print_text(out, "  %s\n", lines[i]);
}

/* --- documents --- */

static double or_nan(uint64_t v)
{
    return v == GRAPH_UNKNOWN ? NAN : (double)v;
}

static cJSON *json_use(const struct device_use *r, const struct trace *t)
{
    static const char *const ways[] = {"to_device", "to_host", "on_devices"};
    cJSON *j = cJSON_CreateObject(), *idle, *bytes;
    json_add_text(j, "rank", *r->rank ? r->rank : NULL);
    json_add_number(j, "rank_number", r->rank_number == TRACE_UNKNOWN ? NAN : r->rank_number);
    json_add_text(j, "device", *r->device ? r->device : NULL);
    json_add_text(j, "model",
                  r->agent < t->nagents && t->agents[r->agent].model != GRAPH_NONE
                      ? graph_text(t->calls, t->agents[r->agent].model)
                      : NULL);
    json_add_u64(j, "wall_ns", r->wall);
    json_add_u64(j, "kernels_running_ns", r->kernels);
    json_add_u64(j, "compute_ns", r->compute);
    json_add_u64(j, "communication_ns", r->communication);
    json_add_u64(j, "overlap_ns", r->both);
    json_add_u64(j, "copying_ns", r->copying);
    json_add_u64(j, "only_copies_ns", r->busy - r->kernels);
    json_add_u64(j, "outside_ns", r->outside);
    json_add_u64(j, "idle_ns", r->idle);
    idle = cJSON_AddObjectToObject(j, "idle");
    json_add_u64(idle, "before_launch_ns", r->late);
    json_add_u64(idle, "launch_to_start_ns", r->launching);
    json_add_u64(idle, "waiting_ns", r->waiting);
    json_add_u64(idle, "after_last_ns", r->drained);
    json_add_u64(idle, "launch_unknown_ns", r->unknown);
    json_add_u64(j, "dispatches", r->nkernels);
    json_add_u64(j, "communications", r->ncommunications);
    json_add_u64(j, "copies", r->ncopies);
    bytes = cJSON_AddObjectToObject(j, "copied_bytes");
    for (int i = 0; i < 3; i++)
        json_add_number(bytes, ways[i],
                        r->ncopies && r->nunsized == r->ncopies ? NAN : (double)r->bytes[i]);
    json_add_u64(j, "copies_without_bytes", r->nunsized);
    json_add_number(j, "memory_bytes", r->memory ? (double)r->memory : NAN);
    json_add_number(j, "allocated_peak_bytes", or_nan(r->allocated));
    json_add_number(j, "reserved_peak_bytes", or_nan(r->reserved));
    return j;
}

static void json_arrivals(cJSON *doc, const struct device_uses *u)
{
    const struct arrivals *a = &u->arrivals;
    cJSON *j = cJSON_AddObjectToObject(doc, "arrivals");
    char name[200];
    bool known = !a->why_not;
    json_add_text(j, "why_not", a->why_not);
    json_add_number(j, "collectives", known ? (double)a->together : NAN);
    json_add_number(j, "undecided", known ? (double)a->undecided : NAN);
    json_add_number(j, "unmatched", known ? (double)a->unmatched : NAN);
    json_add_number(j, "waited_ns", known ? (double)a->waited : NAN);
    json_add_number(j, "uncertainty_ns", known ? (double)a->uncertainty_ns : NAN);
    json_add_text(j, "latest",
                  known && a->latest != TRACE_UNKNOWN
                      ? device_use_name(&u->rows[a->latest], name, sizeof name)
                      : NULL);
}

void device_uses_json(cJSON *doc, const struct device_uses *u, const struct trace *t)
{
    cJSON *list = cJSON_AddArrayToObject(doc, "ranks");
    for (uint32_t i = 0; i < u->n; i++) {
        const struct arrival_row *r = &u->arrivals.of[i];
        bool known = !u->arrivals.why_not && *u->rows[i].device;
        cJSON *j = json_use(&u->rows[i], t);
        json_add_number(j, "came_last", known ? (double)r->times : NAN);
        json_add_number(j, "waited_for_ns", known ? (double)r->caused : NAN);
        json_add_number(j, "waited_ns", known ? (double)r->waited : NAN);
        cJSON_AddItemToArray(list, j);
    }
    cJSON *judged = cJSON_AddObjectToObject(doc, "imbalance");
    char name[200];
    bool slow = u->slowest != TRACE_UNKNOWN, idle = u->idlest != TRACE_UNKNOWN;
    json_add_text(judged, "slowest_rank", slow ? u->rows[u->slowest].rank : NULL);
    json_add_number(judged, "compute_over_mean", u->imbalance);
    json_add_text(judged, "idlest",
                  idle ? device_use_name(&u->rows[u->idlest], name, sizeof name) : NULL);
    json_add_number(judged, "idle_spread", u->spread);
    json_arrivals(doc, u);
}

void device_uses_csv(FILE *out, const struct device_uses *u)
{
    for (uint32_t i = 0; i < u->n; i++) {
        const struct device_use *r = &u->rows[i];
        const struct arrival_row *a = &u->arrivals.of[i];
        bool known = !u->arrivals.why_not && *r->device;
        const struct {
            const char *what;
            uint64_t value; /* GRAPH_UNKNOWN: an empty field */
        } rows[] = {
            {"wall_ns", r->wall},
            {"kernels_running_ns", r->kernels},
            {"compute_ns", r->compute},
            {"communication_ns", r->communication},
            {"overlap_ns", r->both},
            {"copying_ns", r->copying},
            {"outside_ns", r->outside},
            {"idle_ns", r->idle},
            {"came_last", known ? a->times : GRAPH_UNKNOWN},
            {"waited_for_ns", known ? a->caused : GRAPH_UNKNOWN},
            {"waited_ns", known ? a->waited : GRAPH_UNKNOWN},
            {"allocated_peak_bytes", r->allocated},
            {"reserved_peak_bytes", r->reserved},
        };
        char name[200], text[240];
        device_use_name(r, name, sizeof name);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            snprintf(text, sizeof text, "%s: %s", name, rows[k].what);
            print_csv(out, "%s", text);
            csv_write_number(out, or_nan(rows[k].value));
            fputc('\n', out);
        }
    }
}

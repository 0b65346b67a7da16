/* The table of kernels as a picture: where the time of the devices and of the critical path went,
 * and a bar for each kernel with its label. */
#include <inttypes.h>

#include "base/print.h"
#include "engine/value/document.h"
#include "export/kernels/kernels_export.h"
#include "export/svg.h"

enum { WIDTH = 1200, LEFT = 10, BAR_X = 560, BAR_W = 240, ROW = 20, TOP = 150, ROWS_MAX = 1000 };
enum { LEGEND_W = 265, LEGEND_COLUMNS = 4 };
enum { HEAD_X = 130, HEAD_W = WIDTH - HEAD_X - LEFT, HEAD_H = 18, CHAR = 7, AFTER = 10 };

#define KERNEL        "#f0c75e"
#define COPY          "#e79a6f"
#define COMMUNICATION "#6cc3a0"
#define LAUNCH        "#b8a9d9"
#define HOST          "#7fb2e5"
#define UNRECORDED    "#bccbda"
#define IDLE          "#d8d8d2"

struct bar_part {
    const char *name, *fill;
    uint64_t ns;
};

/* Draws a bar that is divided into parts, with a legend below. */
static void print_whole(FILE *out, unsigned y, const char *name, const struct bar_part *parts,
                        int n)
{
    uint64_t sum = 0;
    double x = HEAD_X;
    char time[VALUE_TEXT_MAX];
    for (int i = 0; i < n; i++)
        sum += parts[i].ns;
    print_xml(out, "<text x=\"%d\" y=\"%u\">%s</text>\n", LEFT, y + HEAD_H - 5, name);
    for (int i = 0; i < n && sum; i++) {
        double w = (double)parts[i].ns / (double)sum * HEAD_W;
        const int at = HEAD_X + i % LEGEND_COLUMNS * LEGEND_W;
        const unsigned below = y + 14U * (unsigned)(i / LEGEND_COLUMNS);
        print_xml(out,
                  "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>"
                  "<rect x=\"%d\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                  "<text x=\"%d\" y=\"%u\">%s %s, %.1f %%</text>\n",
                  x, y, w, HEAD_H, parts[i].fill, at, below + 24, parts[i].fill, at + 14,
                  below + 33, parts[i].name, value_time((double)parts[i].ns, false, time),
                  100.0 * (double)parts[i].ns / (double)sum);
        x += w;
    }
}

static void print_totals(FILE *out, const struct kernels_total *t)
{
    const struct bar_part devices[] = {
        {"kernels", KERNEL, t->busy - t->copying},
        {"only copies", COPY, t->copying},
        {"idle", IDLE, kernels_idle(t)},
    };
    const struct bar_part path[] = {
        {"kernels", KERNEL, t->on_path[PATH_COMPUTE]},
        {"copies", COPY, t->on_path[PATH_COPY]},
        {"communication", COMMUNICATION, t->on_path[PATH_COMMUNICATION]},
        {"launch", LAUNCH, t->on_path[PATH_LATENCY]},
        {"host", HOST, t->on_path[PATH_HOST]},
        {"host, nothing recorded", UNRECORDED, t->on_path[PATH_UNKNOWN]},
        {"waiting", IDLE, t->on_path[PATH_WAIT]},
    };
    print_whole(out, 34, "devices", devices, (int)(sizeof devices / sizeof *devices));
    print_whole(out, 84, "critical path", path, (int)(sizeof path / sizeof *path));
}

static void draw_kernel_bar(FILE *out, unsigned y, const struct kernel_row *r, double most)
{
    char total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX], share[SHARE_PERCENT];
    double w = most > 0 ? (double)r->sum.total / most * BAR_W : 0;
    fputs("<g><title>", out);
    print_xml(out, "%.*s", 2000, r->name);
    fprintf(out, "</title><text x=\"%d\" y=\"%u\">", LEFT, y + ROW - 6);
    print_xml(out, "%.*s", (BAR_X - LEFT) / CHAR - 2, r->name);
    print_xml(out,
              "</text><rect x=\"%d\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>"
              "<text xml:space=\"preserve\" x=\"%d\" y=\"%u\">%5s %% %10s %8" PRIu64 " x %10s  ",
              BAR_X, y + 2, w > 1 ? w : 1, ROW - 4, r->kind == NODE_KERNEL ? KERNEL : COPY,
              BAR_X + BAR_W + AFTER, y + ROW - 6, share_percent(r->share, share),
              value_time(kernel_ns(&r->sum, r->sum.total), false, total), r->sum.calls,
              value_time(r->mean, false, mean));
    print_xml(out, "%.*s", 20, r->label.rule ? bottleneck_id(r->label.label) : "");
    fputs("</text></g>\n", out);
}

void kernels_export_svg(FILE *out, const struct kernels *k, const struct kernel_table *table,
                        const uint32_t *rows, uint32_t n)
{
    double most = 0;
    uint32_t shown = n < ROWS_MAX ? n : ROWS_MAX;
    for (uint32_t i = 0; i < shown; i++)
        if ((double)table->rows[rows[i]].sum.total > most)
            most = (double)table->rows[rows[i]].sum.total;
    svg_begin(out, WIDTH, TOP + (shown + (shown < n)) * ROW + 10, 12, "");
    fprintf(out,
            "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%" PRIu64
            " dispatches of kernels, %" PRIu64 " copies; as a whole: ",
            LEFT, k->total.nkernels, k->total.ncopies);
    print_xml(out, "%s",
              k->total.label.rule ? bottleneck_name(k->total.label.label) : "nothing to say");
    fputs("</text>\n", out);
    print_totals(out, &k->total);
    for (uint32_t i = 0; i < shown; i++)
        draw_kernel_bar(out, TOP + i * ROW, &table->rows[rows[i]], most);
    if (shown < n)
        fprintf(out, "<text x=\"%d\" y=\"%u\">… and %" PRIu32 " more</text>\n", LEFT,
                TOP + shown * ROW + ROW - 6, n - shown);
    svg_end(out);
}

#include "export/golden/golden_export.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "engine/value/document.h"

/* --- JSON: a line of the trace is a line of the file --- */

/* Writes n texts and what ends them. before: a comma, which the first has not, and more. */
static void write_texts(FILE *out, char *const *texts, size_t n, const char *before,
                        const char *end)
{
    for (size_t i = 0; i < n; i++) {
        fputs(i ? before : before + 1, out); /* raw: our own words */
        print_json_quoted(out, texts[i]);
    }
    fputs(end, out); /* raw: our own words */
}

void golden_write(FILE *out, const void *what)
{
    const struct golden *g = what;
    char text[32];
    print_json(out,
               "{\n  \"format\": \"" GOLDEN_FORMAT "\",\n  \"name\": \"%s\",\n  \"command\": [",
               g->name ? g->name : "");
    for (size_t i = 0; g->command && g->command[i]; i++)
        print_json(out, "%s\"%s\"", i ? ", " : "", g->command[i]);
    print_json(out, "],\n  \"level\": \"%s\",\n  \"rules\": %d,\n  \"calls\": %" PRIu64 ",\n",
               g->level == GOLDEN_ORDER ? "order" : "effects", GOLDEN_RULES_VERSION, g->calls);
    fputs("  \"wall_ms\": [", out);
    for (size_t i = 0; i < g->nwall; i++)
        print_json(out, "%s%s", i ? ", " : "", number_text(g->wall_ms[i], text));
    fputs("],\n  \"counts\": [", out);
    for (size_t i = 0; i < g->ncounts; i++)
        print_json(out,
                   "%s\n    {\"name\": \"%s\", \"calls\": %" PRIu64 ", \"errors\": %" PRIu64 "}",
                   i ? "," : "", g->counts[i].name, g->counts[i].calls, g->counts[i].errors);
    fputs("],\n  \"findings\": [", out);
    write_texts(out, g->findings, g->nfindings, ",\n    ", "],\n  \"free\": [");
    for (size_t i = 0; i < g->nfreedoms; i++)
        print_json(out, "%s\n    {\"section\": \"%s\", \"what\": \"%s\", \"why\": \"%s\"}",
                   i ? "," : "", g->freedoms[i].section, g->freedoms[i].what, g->freedoms[i].why);
    fputs("],\n  \"sections\": [\n", out);
    for (size_t i = 0; i < g->n; i++) {
        const struct golden_section *s = &g->sections[i];
        fputs(i ? ",\n" : "", out);
        print_json(out, "    {\"title\": \"%s\", \"lines\": [", s->title);
        write_texts(out, s->lines, s->n, ",\n      ", s->n ? "\n    ]}" : "]}");
    }
    fputs(g->n ? "\n  ]\n}\n" : "  ]\n}\n", out);
}

/* --- differences --- */

/* The byte at or before `at` where the line may be cut without dividing a character. */
static size_t cut_at(const char *line, size_t at)
{
    while (at && ((unsigned char)line[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static size_t common_start(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return i;
}

/* Prints a line. Of a long line it prints the beginning and the part around byte `at`, and how much
 * is left out. */
static void write_diff_line(FILE *out, const char *mark, const char *line, size_t at)
{
    enum { LONG = 240, HEAD = 60, BEFORE = 40 };
    size_t n = strlen(line);
    if (n <= LONG) {
        print_text(out, "%s%s\n", mark, line);
        return;
    }
    size_t from = at > HEAD + BEFORE ? cut_at(line, at - BEFORE) : 0, head = 0;
    size_t to = cut_at(line, from + LONG < n ? from + LONG - HEAD : n);
    print_text(out, "%s", mark);
    if (from) {
        head = cut_at(line, HEAD);
        print_put_n(out, PRINT_TEXT, line, head);
        print_text(out, "[... %zu bytes ...]", from - head);
    }
    print_put_n(out, PRINT_TEXT, line + from, to - from);
    if (to < n)
        print_text(out, "[... %zu bytes]", n - to);
    print_text(out, "\n");
}

/* Prints lines [from, to) of s. Each is cut around its difference from the line of other, at
 * other_from and after, that it replaces. */
static void write_lines(FILE *out, const char *mark, const struct golden_section *s, size_t from,
                        size_t to, const struct golden_section *other, size_t other_from,
                        size_t other_n)
{
    for (size_t i = from; s && i < to && i < s->n; i++) {
        size_t at = 0;
        if (other && i - from < other_n)
            at = common_start(s->lines[i], other->lines[other_from + i - from]);
        write_diff_line(out, mark, s->lines[i], at);
    }
}

void golden_diff_write(FILE *out, const struct golden *stored, const struct golden *run,
                       const struct golden_diff *d, unsigned context)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct golden_hunk *h = &d->list[i];
        const struct golden_section *a = golden_section_find(stored, h->title),
                                    *b = golden_section_find(run, h->title);
        size_t before = h->stored_from < context ? h->stored_from : context;
        bool follows = i && d->list[i - 1].title == h->title;
        size_t free_lines =
            follows ? h->stored_from - d->list[i - 1].stored_from - d->list[i - 1].stored_n
                    : before;
        if (before > free_lines)
            before = free_lines;
        print_text(out, "@@ %s, line %zu @@\n", h->title, h->stored_from + 1);
        write_lines(out, "  ", a, h->stored_from - before, h->stored_from, NULL, 0, 0);
        write_lines(out, "- ", a, h->stored_from, h->stored_from + h->stored_n, b, h->run_from,
                    h->run_n);
        write_lines(out, "+ ", b, h->run_from, h->run_from + h->run_n, a, h->stored_from,
                    h->stored_n);
        size_t after = h->stored_from + h->stored_n;
        size_t next = i + 1 < d->n && d->list[i + 1].title == h->title ? d->list[i + 1].stored_from
                                                                       : after + context;
        write_lines(out, "  ", a, after, after + context < next ? after + context : next, NULL, 0,
                    0);
    }
}

/* --- the page for all --- */

static void write_row(FILE *out, const struct golden *g)
{
    print_markdown(out, "| %s | ", g->name);
    for (size_t i = 0; g->command && g->command[i]; i++)
        print_markdown(out, "%s%s", i ? " " : "", g->command[i]);
    fprintf(out, " | %" PRIu64 " | ", g->calls);
    if (g->nwall)
        fprintf(out, "%.3g", g->wall_ms[g->nwall - 1]);
    fputs(" | ", out);
    for (size_t i = 0; i < g->ncounts && i < 5; i++)
        print_markdown(out, "%s%s %" PRIu64, i ? ", " : "", g->counts[i].name, g->counts[i].calls);
    fputs(" |\n", out);
}

static void write_part(FILE *out, const struct golden *g)
{
    const struct golden_section *effects = golden_section_find(g, "effects");
    print_markdown(out, "\n## %s\n\nWhat leaves the processes:\n\n", g->name);
    for (size_t i = 0; effects && i < effects->n; i++)
        print_markdown(out, "- %s\n", effects->lines[i]);
    if (g->nfreedoms)
        fputs("\nFree, because runs differ in it:\n\n", out);
    for (size_t i = 0; i < g->nfreedoms; i++)
        print_markdown(out, "- %s: %s: %s\n", g->freedoms[i].section, g->freedoms[i].what,
                       g->freedoms[i].why);
    if (g->nfindings)
        fputs("\nWhat costs time without need:\n\n", out);
    for (size_t i = 0; i < g->nfindings; i++)
        print_markdown(out, "- %s\n", g->findings[i]);
}

void golden_write_page(FILE *out, const struct golden *all, size_t n)
{
    fputs("# Golden traces\n\nMade by `rooftop check golden`. Times are of the machine that "
          "captured; they "
          "are not compared.\n\n| name | command | calls | ms | most calls "
          "|\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < n; i++)
        write_row(out, &all[i]);
    for (size_t i = 0; i < n; i++)
        write_part(out, &all[i]);
}

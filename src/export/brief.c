#include "export/brief.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "engine/value/document.h"

void brief_verdict(struct brief *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(b->verdict, sizeof b->verdict, format, ap);
    va_end(ap);
    text_whole(b->verdict);
}

void brief_evidence(struct brief *b, const char *format, ...)
{
    if (b->nevidence == BRIEF_EVIDENCE)
        return;
    char *text = b->evidence[b->nevidence++];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof b->evidence[0], format, ap);
    va_end(ap);
    text_whole(text);
}

void brief_row(struct brief *b, const char *what, const char *format, ...)
{
    if (b->nrows == BRIEF_ROWS) {
        b->left_out++;
        return;
    }
    struct brief_row *r = &b->rows[b->nrows++];
    print_line(r->what, sizeof r->what, "%s", what);
    va_list ap;
    va_start(ap, format);
    vsnprintf(r->measure, sizeof r->measure, format, ap);
    va_end(ap);
    text_whole(r->measure);
}

bool brief_is_gone_pipe(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

void brief_next(struct brief *b, const char *command, const char *const *files, size_t n)
{
    char *text = NULL;
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (brief_is_gone_pipe(files[i]))
            return;
    FILE *f = b->nnext < BRIEF_NEXT ? open_memstream(&text, &len) : NULL;
    if (!f)
        return;
    print_text(f, "%s", command);
    for (size_t i = 0; i < n; i++) {
        char *path = shell_path(files[i]);
        print_text(f, " %s", path);
        free(path);
    }
    fclose(f);
    if (len < BRIEF_TEXT)
        memcpy(b->next[b->nnext++], text, len + 1);
    free(text);
}

void brief_top_add(struct brief_top *t, size_t index, double weight)
{
    size_t at = t->n;
    while (at > 0 && t->weight[at - 1] < weight)
        at--;
    t->left_out += t->n == BRIEF_ROWS;
    if (at == BRIEF_ROWS)
        return;
    if (t->n < BRIEF_ROWS)
        t->n++;
    for (size_t i = t->n - 1; i > at; i--) {
        t->weight[i] = t->weight[i - 1];
        t->index[i] = t->index[i - 1];
    }
    t->weight[at] = weight;
    t->index[at] = index;
}

/* --- text and Markdown --- */

static void write_brief_text(FILE *out, const struct brief *b)
{
    print_text(out, "%s\n", b->verdict);
    for (size_t i = 0; i < b->nevidence; i++)
        print_text(out, "  %s\n", b->evidence[i]);
    for (size_t i = 0; i < b->nrows; i++)
        print_text(out, "- %s: %s\n", b->rows[i].what, b->rows[i].measure);
    if (b->left_out)
        fprintf(out, "  and %llu more\n", (unsigned long long)b->left_out);
    for (size_t i = 0; i < b->nnext; i++)
        print_text(out, "next: %s\n", b->next[i]);
}

static void write_brief_markdown(FILE *out, const struct brief *b)
{
    print_markdown(out, "**%s**\n", b->verdict);
    if (b->nevidence)
        fputc('\n', out);
    for (size_t i = 0; i < b->nevidence; i++)
        print_markdown(out, "- %s\n", b->evidence[i]);
    if (b->nrows)
        print_markdown(out, "\n| %s | |\n|---|---|\n", b->command);
    for (size_t i = 0; i < b->nrows; i++)
        print_markdown(out, "| %s | %s |\n", b->rows[i].what, b->rows[i].measure);
    if (b->left_out)
        fprintf(out, "\nand %llu more\n", (unsigned long long)b->left_out);
    if (b->nnext)
        fputc('\n', out);
    for (size_t i = 0; i < b->nnext; i++)
        print_text(out, "    %s\n", b->next[i]);
}

/* --- JSON --- */

static cJSON *make_brief_json(const struct brief *b)
{
    cJSON *doc = document_begin("rooftop.brief/1");
    json_add_text(doc, "command", b->command);
    json_add_text(doc, "verdict", b->verdict);
    cJSON *list = cJSON_AddArrayToObject(doc, "evidence");
    for (size_t i = 0; i < b->nevidence; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(b->evidence[i]));
    list = cJSON_AddArrayToObject(doc, "rows");
    for (size_t i = 0; i < b->nrows; i++) {
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "what", b->rows[i].what);
        json_add_text(row, "measure", b->rows[i].measure);
        cJSON_AddItemToArray(list, row);
    }
    json_add_number(doc, "left_out", (double)b->left_out);
    list = cJSON_AddArrayToObject(doc, "next");
    for (size_t i = 0; i < b->nnext; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(b->next[i]));
    if (b->wrote) {
        cJSON *wrote = cJSON_AddObjectToObject(doc, "wrote");
        json_add_text(wrote, "path", b->wrote);
        json_add_number(wrote, "bytes", b->wrote_bytes);
    }
    return doc;
}

/* Leaves out the last rows, then evidence and next steps, then a path that is too long, until the
 * document fits. */
static void write_brief_json(FILE *out, const struct brief *given)
{
    struct brief b = *given;
    for (;;) {
        cJSON *doc = make_brief_json(&b);
        char *text = json_document(doc, false);
        cJSON_Delete(doc);
        const bool fits = !text || strlen(text) < BRIEF_JSON_BYTES;
        if (text && fits)
            fprintf(out, "%s\n", text); /* raw: of json_document */
        free(text);
        const bool bare = b.nrows + b.nevidence + b.nnext == 0;
        if (fits || (bare && !b.wrote))
            return;
        if (bare) {
            b.wrote = NULL;
        } else if (b.nrows) {
            b.nrows--;
            b.left_out++;
        } else if (b.nevidence) {
            b.nevidence--;
        } else {
            b.nnext--;
        }
    }
}

void brief_write(FILE *out, const struct brief *b, const char *format)
{
    if (format && strcmp(format, "json") == 0)
        write_brief_json(out, b);
    else if (format && strcmp(format, "markdown") == 0)
        write_brief_markdown(out, b);
    else
        write_brief_text(out, b);
}

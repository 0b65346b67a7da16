/* Reads golden traces; export/golden writes them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/list.h"
#include "engine/golden/golden_diff.h"
#include "engine/golden/golden_impl.h"
#include "engine/value/document.h"

enum { FILE_MAX = 256 << 20 };

/* Adds a line. File names may have any bytes: invalid UTF-8 becomes U+FFFD here, as in the file. */
void golden_section_add(struct golden_section *s, char *line)
{
    char *valid = text_utf8(line, strlen(line));
    free(line);
    line = valid;
    LIST_ADD(s->lines, s->n, s->cap, line);
}

struct golden_section *golden_section_new(struct golden *g, const char *title)
{
    LIST_ROOM(g->sections, g->n, g->cap);
    g->sections[g->n] = (struct golden_section){.title = text_utf8(title, strlen(title))};
    return &g->sections[g->n++];
}

static int refuse_document(struct error *err, const char *path, const char *why)
{
    return error_set(err, ERROR_INPUT, EINVAL,
                     "make it again with rooftop check golden capture, and look at the difference",
                     path, "%s", why);
}

static bool read_lines(struct golden *out, const cJSON *section)
{
    const cJSON *title = cJSON_GetObjectItemCaseSensitive(section, "title");
    const cJSON *lines = cJSON_GetObjectItemCaseSensitive(section, "lines"), *line;
    if (!cJSON_IsString(title) || !cJSON_IsArray(lines))
        return false;
    struct golden_section *s = golden_section_new(out, title->valuestring);
    if (golden_section_find(out, s->title) != s)
        return false;
    cJSON_ArrayForEach(line, lines)
    {
        if (!cJSON_IsString(line))
            return false;
        golden_section_add(s, xstrdup(line->valuestring));
    }
    return true;
}

static void read_command(struct golden *out, const cJSON *command)
{
    int n = cJSON_GetArraySize(command), i = 0;
    const cJSON *word;
    out->command = xcalloc((size_t)n + 1, sizeof *out->command);
    cJSON_ArrayForEach(word, command) if (cJSON_IsString(word)) out->command[i++] =
        xstrdup(word->valuestring);
}

static void read_wall_times(struct golden *out, const cJSON *times)
{
    const cJSON *one;
    size_t cap = 0;
    cJSON_ArrayForEach(one, times)
    {
        if (!cJSON_IsNumber(one))
            continue;
        LIST_ADD(out->wall_ms, out->nwall, cap, one->valuedouble);
    }
}

static uint64_t number_in(const cJSON *of, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(of, key);
    return cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble < 1e18
               ? (uint64_t)v->valuedouble
               : 0;
}

static void read_description(struct golden *out, const cJSON *doc)
{
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(doc, "counts"), *one;
    const cJSON *findings = cJSON_GetObjectItemCaseSensitive(doc, "findings");
    size_t cap = 0;
    cJSON_ArrayForEach(one, counts)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(one, "name");
        if (!cJSON_IsString(name))
            continue;
        LIST_ROOM(out->counts, out->ncounts, cap);
        out->counts[out->ncounts++] = (struct golden_count){
            xstrdup(name->valuestring), number_in(one, "calls"), number_in(one, "errors")};
    }
    cap = 0;
    cJSON_ArrayForEach(one, findings)
    {
        if (!cJSON_IsString(one))
            continue;
        LIST_ADD(out->findings, out->nfindings, cap, xstrdup(one->valuestring));
    }
}

static void read_freedoms(struct golden *out, const cJSON *list)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(one, "section");
        const cJSON *what = cJSON_GetObjectItemCaseSensitive(one, "what");
        const cJSON *why = cJSON_GetObjectItemCaseSensitive(one, "why");
        if (cJSON_IsString(section) && cJSON_IsString(what) && *what->valuestring)
            golden_freedom_add(out, section->valuestring, what->valuestring,
                               cJSON_IsString(why) ? why->valuestring : "");
    }
}

static const char *read_golden_document(struct golden *out, const cJSON *doc)
{
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(doc, "format");
    const cJSON *rules = cJSON_GetObjectItemCaseSensitive(doc, "rules");
    const cJSON *level = cJSON_GetObjectItemCaseSensitive(doc, "level");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(doc, "name");
    const cJSON *sections = cJSON_GetObjectItemCaseSensitive(doc, "sections"), *section;
    if (!cJSON_IsString(format) || strcmp(format->valuestring, GOLDEN_FORMAT) != 0)
        return "it is no golden trace of this version: its format is not " GOLDEN_FORMAT;
    if (!cJSON_IsNumber(rules) || rules->valuedouble != GOLDEN_RULES_VERSION)
        return "it was made by other rules for what differs between runs";
    if (!cJSON_IsArray(sections) || cJSON_GetArraySize(sections) == 0)
        return "it has no sections: an empty trace is never golden";
    out->name = xstrdup(cJSON_IsString(name) ? name->valuestring : "");
    out->level = cJSON_IsString(level) && strcmp(level->valuestring, "effects") == 0
                     ? GOLDEN_EFFECTS
                     : GOLDEN_ORDER;
    out->calls = number_in(doc, "calls");
    read_description(out, doc);
    read_freedoms(out, cJSON_GetObjectItemCaseSensitive(doc, "free"));
    read_command(out, cJSON_GetObjectItemCaseSensitive(doc, "command"));
    read_wall_times(out, cJSON_GetObjectItemCaseSensitive(doc, "wall_ms"));
    cJSON_ArrayForEach(
        section,
        sections) if (!read_lines(out, section)) return "a section has no title, no lines, or the "
                                                        "title of another one";
    return NULL;
}

int golden_parse(struct golden *out, const char *path, const char *text, size_t n,
                 struct error *err)
{
    *out = (struct golden){0};
    const char *end = NULL;
    cJSON *doc = cJSON_ParseWithLengthOpts(text, n, &end, false);
    if (!doc) {
        size_t line = 1;
        char why[64];
        for (const char *p = text; end && p < end; p++)
            line += *p == '\n';
        snprintf(why, sizeof why, "it is not JSON, from line %zu on", line);
        return refuse_document(err, path, why);
    }
    const char *why = read_golden_document(out, doc);
    cJSON_Delete(doc);
    if (!why)
        return 0;
    golden_free(out);
    return refuse_document(err, path, why);
}

int golden_read(struct golden *out, const char *path, struct error *err)
{
    *out = (struct golden){0};
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, errno,
                         errno == ENOENT ? "make it with rooftop check golden capture" : NULL, path,
                         "%s", strerror(errno));
    char *text = NULL;
    size_t n = 0, cap = 0;
    while (n <= FILE_MAX) {
        if (n == cap) {
            cap = cap ? 2 * cap : 1 << 16;
            text = xrealloc(text, cap, 1);
        }
        size_t got = fread(text + n, 1, cap - n, f);
        if (got == 0)
            break;
        n += got;
    }
    int rc;
    if (ferror(f))
        rc = error_set(err, ERROR_INPUT, EISDIR, NULL, path, "it cannot be read");
    else if (n > FILE_MAX)
        rc = refuse_document(err, path, "it is larger than 256 MiB");
    else
        rc = golden_parse(out, path, text ? text : "", n, err);
    fclose(f);
    free(text);
    return rc;
}

void golden_free(struct golden *g)
{
    for (size_t i = 0; i < g->n; i++) {
        for (size_t k = 0; k < g->sections[i].n; k++)
            free(g->sections[i].lines[k]);
        free(g->sections[i].lines);
        free(g->sections[i].title);
    }
    for (size_t i = 0; g->command && g->command[i]; i++)
        free(g->command[i]);
    for (size_t i = 0; i < g->ncounts; i++)
        free(g->counts[i].name);
    for (size_t i = 0; i < g->nfindings; i++)
        free(g->findings[i]);
    for (size_t i = 0; i < g->nfreedoms; i++) {
        free(g->freedoms[i].section);
        free(g->freedoms[i].what);
        free(g->freedoms[i].why);
    }
    for (size_t i = 0; i < g->nmade; i++)
        free(g->made[i]);
    free(g->made);
    free(g->freedoms);
    free(g->counts);
    free(g->findings);
    free(g->command);
    free(g->sections);
    free(g->wall_ms);
    free(g->name);
    *g = (struct golden){0};
}

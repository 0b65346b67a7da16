#include "export/summary_export.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "engine/value/document.h"

enum { LABEL = 12 };

void summary_export_text(FILE *out, const struct summary *s, const char *path)
{
    print_text(out, "%s\n%s\n\n", path, s->head);
    for (size_t i = 0; i < s->n; i++)
        print_text(out, "%-*s  %s\n", LABEL, s->lines[i].label, s->lines[i].text);
}

void summary_export_json(FILE *out, const struct summary *s, const char *path)
{
    cJSON *doc = document_begin("rooftop.summary/1");
    json_add_text(doc, "file", path);
    json_add_text(doc, "head", s->head);
    cJSON *list = cJSON_AddArrayToObject(doc, "lines");
    for (size_t i = 0; i < s->n; i++) {
        const struct summary_line *l = &s->lines[i];
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "label", l->label);
        json_add_text(row, "text", l->text);
        json_add_text(row, "how", l->how);
        json_add_text(row, "more", l->more);
        cJSON_AddItemToArray(list, row);
    }
    char *text = json_document(doc, true);
    cJSON_Delete(doc);
    fprintf(out, "%s\n", text); /* raw: of json_document */
    free(text);
}

void summary_export_csv(FILE *out, const struct summary *s)
{
    fputs("label,text,more\n", out);
    for (size_t i = 0; i < s->n; i++)
        print_csv(out, "%s,%s,%s\n", s->lines[i].label, s->lines[i].text,
                  s->lines[i].more ? s->lines[i].more : "");
}

/* The commands that know more: the view of each line, each once. */
static void add_next_commands(struct brief *b, const struct summary *s, const char *path)
{
    char command[64];
    for (size_t i = 0; i < s->n; i++) {
        const struct summary_line *l = &s->lines[i];
        bool before = !l->more && !l->next;
        for (size_t k = 0; k < i && !before; k++)
            before = l->more ? s->lines[k].more && strcmp(s->lines[k].more, l->more) == 0
                             : s->lines[k].next && strcmp(s->lines[k].next, l->next) == 0;
        if (before)
            continue;
        snprintf(command, sizeof command, "rooftop --view %s", l->more ? l->more : "");
        brief_next(b, l->more ? command : l->next, &path, 1);
    }
}

/* The verdict, with what the file is as its first evidence. What says why follows it. */
void summary_brief(struct brief *b, const struct summary *s, const char *path)
{
    const char *label = ""; /* it goes on with the verdict */
    brief_verdict(b, "%s", s->n ? s->lines[0].text : "it says nothing");
    brief_evidence(b, "%s", s->head);
    for (size_t i = 1; i < s->n; i++) {
        const struct summary_line *l = &s->lines[i];
        label = *l->label ? l->label : label;
        const bool why = l->tone == SUMMARY_VERDICT || !*label || strcmp(label, "because") == 0;
        if (why)
            brief_evidence(b, "%s", l->text);
        else if (l->tone != SUMMARY_FAINT)
            brief_row(b, label, "%s", l->text);
    }
    add_next_commands(b, s, path);
}

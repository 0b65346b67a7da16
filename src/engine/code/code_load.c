#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/code/code.h"
#include "symbols/source/disassemble.h"
#include "symbols/source/source_text.h"

void code_free(struct code *c)
{
    if (!c)
        return;
    free(c->lines);
    arena_free(&c->arena);
    free(c);
}

static void load_function_source(struct code *c, const struct code_request *r)
{
    struct error err = ERROR_INIT;
    struct source_text *t;
    if (!r->file[0]) {
        snprintf(c->why, sizeof c->why,
                 "no debug information tells its source; compile it with -g");
        return;
    }
    /* in a file of more lines than are shown, the function is in the middle */
    int first = r->line > SOURCE_LINES_MAX / 2 ? r->line - SOURCE_LINES_MAX / 2 : 1;
    int last = first + SOURCE_LINES_MAX - 1;
    if (source_text_read(r->file, r->path[0] ? r->path : NULL, first, last, &t, &err) != 0) {
        error_format(&err, c->why, sizeof c->why);
        return;
    }
    c->lines = xcalloc(t->n, sizeof *c->lines);
    for (size_t i = 0; i < t->n; i++)
        c->lines[c->n++] = (struct code_line){.at = (uint64_t)t->first + i,
                                              .text = arena_strdup(&c->arena, t->lines[i])};
    if (t->newer)
        snprintf(c->note, sizeof c->note,
                 "the file is newer than the program: lines may have moved");
    source_text_free(t);
}

/* Whether row i begins the code of another source line. */
static bool new_line(const struct disassembly *d, size_t i)
{
    const struct disassembly_row *now = &d->rows[i];
    if (!now->file || now->line <= 0)
        return false;
    return i == 0 || !d->rows[i - 1].file || d->rows[i - 1].line != now->line ||
           strcmp(d->rows[i - 1].file, now->file) != 0;
}

static void load_assembly(struct code *c, const struct code_request *r)
{
    struct error err = ERROR_INIT;
    struct disassembly *d = NULL;
    int rc;
    if (!r->path[0] || (!r->size && !r->function)) {
        snprintf(c->why, sizeof c->why, "%s",
                 !r->path[0]
                     ? "no file holds its instructions: they are the kernel's, or were made "
                       "while the program ran"
                     : "its symbol does not tell how long it is");
        return;
    }
    if (r->function)
        rc = disassemble_function(r->path, r->object, r->object_size, r->function, &d, &err);
    else
        rc = disassemble(r->path, r->address, r->size, &d, &err);
    if (rc != 0) {
        error_format(&err, c->why, sizeof c->why);
        return;
    }
    c->lines = xcalloc(2 * d->n, sizeof *c->lines);
    for (size_t i = 0; i < d->n; i++) {
        const struct disassembly_row *row = &d->rows[i];
        if (new_line(d, i))
            c->lines[c->n++] =
                (struct code_line){.at = row->address,
                                   .text = arena_printf(&c->arena, "%s:%d", row->file, row->line),
                                   .heading = true};
        c->lines[c->n++] =
            (struct code_line){.at = row->address, .text = arena_strdup(&c->arena, row->text)};
    }
    snprintf(c->note, sizeof c->note, "by %.60s%s", d->tool,
             d->cut ? "; there is more than is shown" : "");
    disassembly_free(d);
}

void code_load(struct code *out, const struct code_request *r, const bool *cancel)
{
    if (__atomic_load_n(cancel, __ATOMIC_RELAXED))
        return;
    if (r->assembly)
        load_assembly(out, r);
    else
        load_function_source(out, r);
}

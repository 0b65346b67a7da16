/* The short answer about golden traces, and lines for GitHub Actions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/golden/golden_impl.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/written.h"
#include "export/github.h"

enum { LINE = 60 };

bool golden_wants_brief(const struct options *o)
{
    return o->brief || (o->format && strcmp(o->format, "text") != 0);
}

static const char *first_line(const struct golden *g, const char *title, size_t from, size_t n)
{
    const struct golden_section *s = n ? golden_section_find(g, title) : NULL;
    return s && from < s->n ? s->lines[from] : NULL;
}

/* "- what was stored + what the run did", the first line of each. */
static const char *describe_hunk(const struct golden_hunk *h, const struct golden *stored,
                                 const struct golden *run, char out[BRIEF_MEASURE])
{
    const char *old = first_line(stored, h->title, h->stored_from, h->stored_n),
               *new = first_line(run, h->title, h->run_from, h->run_n);
    print_line(out, BRIEF_MEASURE, "%s%.*s%s%s%.*s", old ? "- " : "", LINE, old ? old : "",
               old && new ? " " : "", new ? "+ " : "", LINE, new ? new : "");
    return out;
}

static void annotate_golden(struct golden_summary *s, const char *path, const char *name,
                            const char *text)
{
    if (!s->lines)
        s->lines = open_memstream(&s->annotations, &s->size);
    if (s->lines)
        github_annotate(s->lines, "error", path, 0, name, text);
}

void golden_summary_add(struct golden_summary *s, const struct golden_options *own,
                        const char *name, const struct golden *stored, const struct golden *run,
                        const struct golden_diff *d)
{
    char path[4096], hunk[BRIEF_MEASURE], text[BRIEF_TEXT];
    s->checked++;
    s->differ += d->n > 0;
    if (d->n == 0)
        return;
    print_line(text, sizeof text, "differs in %zu place%s, first in %s: %s", d->n,
               d->n == 1 ? "" : "s", d->list[0].title,
               describe_hunk(&d->list[0], stored, run, hunk));
    golden_path(own, name, ".json", path);
    annotate_golden(s, path, name, text);
    if (own->all)
        brief_row(&s->brief, name, "%s", text);
    for (size_t i = 0; i < d->n && !own->all; i++) {
        print_line(text, sizeof text, "%s, line %zu", d->list[i].title, d->list[i].stored_from + 1);
        brief_row(&s->brief, text, "%s", describe_hunk(&d->list[i], stored, run, hunk));
    }
}

void golden_summary_stored(struct golden_summary *s, const struct golden_options *own,
                           const struct golden *run)
{
    s->stored++;
    if (own->all) {
        brief_row(&s->brief, run->name, "%" PRIu64 " system calls, %zu of its lines left out",
                  run->calls, run->nfreedoms);
        return;
    }
    brief_row(&s->brief, "runs", "%zu", run->nwall);
    brief_row(&s->brief, "system calls", "%" PRIu64, run->calls);
    for (size_t i = 0; i < run->nfreedoms; i++) {
        const struct golden_freedom *f = &run->freedoms[i];
        brief_evidence(&s->brief, "not compared, in %s: %s: %s", f->section, f->what, f->why);
    }
}

/* Commands about the same scenario, or all of them: "rooftop check golden diff". */
static void add_golden_next(struct brief *b, const struct options *o, const char *command)
{
    const struct golden_options *own = o->own;
    const char *name = own->all ? "--all" : o->operands[0];
    char line[256];
    snprintf(line, sizeof line, "%s%s%s", command, own->all ? " --all" : "",
             own->folder ? " --folder" : "");
    const char *words[] = {own->folder ? own->folder : name, name};
    brief_next(b, line, words, !!own->folder + !own->all);
}

static void write_golden_annotations(FILE *out, const void *what)
{
    const struct golden_summary *s = what;
    fwrite(s->annotations, 1, s->size, out); /* raw: written by github_annotate */
}

/* The answer of capture and accept: what was stored. */
static int tell_golden_stored(struct golden_summary *s, const struct options *o, struct error *err)
{
    const struct golden_options *own = o->own;
    struct written w;
    char path[4096];
    if (own->all)
        snprintf(path, sizeof path, "%s", own->folder ? own->folder : GOLDEN_FOLDER);
    else
        golden_path(own, o->operands[0], ".json", path);
    written_begin(&w, path, NAN);
    w.brief = s->brief;
    add_golden_next(&w.brief, o, "rooftop check golden");
    if (s->stored + s->differ == 0)
        brief_verdict(&w.brief, "nothing is written: what the run does is stored already");
    else if (s->differ)
        brief_evidence(&w.brief, "%zu of %zu differed, and %s now stored as the run does",
                       s->differ, s->checked, s->differ == 1 ? "is" : "are");
    return written_tell(&w, o, err);
}

/* The answer of check, diff and compare. */
static int tell_golden_checked(struct golden_summary *s, const struct options *o, struct error *err)
{
    const struct golden_options *own = o->own;
    const bool stored = strcmp(o->command, "golden compare") != 0;
    struct brief *b = &s->brief;
    b->command = o->words;
    if (!stored)
        brief_verdict(b, s->differ ? "the two differ" : "the two do the same");
    else if (own->all)
        brief_verdict(b, "%zu of %zu scenarios differ", s->differ, s->checked);
    else
        brief_verdict(b, "%s %s", o->operands[0], s->differ ? "differs" : "is as stored");
    if (s->differ && stored) {
        add_golden_next(b, o, "rooftop check golden diff");
        add_golden_next(b, o, "rooftop check golden accept");
    } else {
        brief_next_again(b, o, "");
    }
    return brief_output(b, o, err);
}

int golden_summary_end(struct golden_summary *s, const struct options *o, struct error *err)
{
    const bool stores =
        strcmp(o->command, "golden capture") == 0 || strcmp(o->command, "golden accept") == 0;
    int rc = 0;
    if (s->lines) {
        fclose(s->lines);
        s->lines = NULL;
        if (strcmp(o->command, "golden check") == 0)
            rc = output_annotations(write_golden_annotations, s, err);
    }
    if (rc != 0 || !golden_wants_brief(o))
        return rc;
    return stores ? tell_golden_stored(s, o, err) : tell_golden_checked(s, o, err);
}

void golden_summary_free(struct golden_summary *s)
{
    if (s->lines)
        fclose(s->lines);
    free(s->annotations);
}

/* Completions of the arguments of commands: names from this machine and of this program. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/live/event_sources.h"
#include "engine/live/metric.h"
#include "engine/live/signals.h"
#include "tui/app/app_state.h"
#include "tui/app/commands.h"
#include "tui/canvas/theme.h"
#include "tui/model/captures.h"

enum { CANDIDATES_MAX = 32768 };

void candidates_add(struct candidates *c, const char *text, const char *note)
{
    if (c->n >= CANDIDATES_MAX)
        return;
    LIST_ROOM(c->rows, c->n, c->cap);
    struct candidate *k = &c->rows[c->n++];
    snprintf(k->text, sizeof k->text, "%s", text);
    snprintf(k->note, sizeof k->note, "%s", note ? note : "");
}

void candidates_add_words(struct candidates *c, const char *words)
{
    char word[CANDIDATE_TEXT_MAX];
    for (size_t n; *words; words += n + strspn(words + n, " ")) {
        n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        candidates_add(c, word, "");
    }
}

void complete_fields(const struct app *a, const char *before, struct candidates *out)
{
    (void)before;
    for (const struct list_field *f = view_fields(views[a->view], &a->state[a->view]); f && f->name;
         f++)
        if (!f->unfiltered)
            candidates_add(out, f->name, f->help);
}

void complete_views(const struct app *a, const char *before, struct candidates *out)
{
    (void)before;
    for (int i = 0; views[i]; i++)
        candidates_add(out, views[i]->name,
                       view_draws(views[i], &a->model, &a->state[i])
                           ? action_table[views[i]->select].help
                           : views[i]->absent);
    for (int i = 0; i < TABS; i++)
        if (view_named(view_tabs[i].name) < 0)
            candidates_add(out, view_tabs[i].name, action_table[view_tabs[i].select].help);
}

void complete_themes(const struct app *a, const char *before, struct candidates *out)
{
    char **names;
    (void)a, (void)before;
    size_t n = theme_list(&names);
    for (size_t i = 0; i < n; i++) {
        candidates_add(out, names[i], "");
        free(names[i]);
    }
    free(names);
}

void complete_sorts(const struct app *a, const char *before, struct candidates *out)
{
    const char *name;
    (void)before;
    for (int i = 0; (name = view_sort(views[a->view], &a->state[a->view], i)) != NULL; i++)
        candidates_add(out, name, i == a->state[a->view].sort ? "now; again reverses" : "");
}

void complete_pids(const struct app *a, const char *before, struct candidates *out)
{
    const struct snapshot *s = a->model.snap;
    (void)before;
    for (size_t i = 0; s && i < s->nprocs; i++) {
        char pid[16], note[96];
        if (s->procs[i].kernel_thread)
            continue;
        snprintf(pid, sizeof pid, "%d", s->procs[i].pid);
        snprintf(note, sizeof note, "%s  %.70s", s->procs[i].comm, s->procs[i].cmdline);
        candidates_add(out, pid, note);
    }
}

void complete_children(const struct app *a, const char *before, struct candidates *out)
{
    (void)a, (void)before;
    candidates_add(out, "new", "what they start from now on");
    candidates_add(out, "all", "what they have started too");
    candidates_add(out, "none", "their own threads only");
}

/* Completes the signal, then the process. */
void complete_signals(const struct app *a, const char *before, struct candidates *out)
{
    if (strchr(before, ' ')) {
        complete_pids(a, before, out);
        return;
    }
    for (const struct signal_info *s = signal_table; s->name; s++)
        candidates_add(out, s->name, s->what);
}

void complete_launched(const struct app *a, const char *before, struct candidates *out)
{
    (void)before;
    for (size_t i = 0; i < a->model.nlaunched; i++) {
        const struct capturer_kernel *k = &a->model.launched[i];
        struct candidate c;
        captures_expression(k->name, c.text, sizeof c.text);
        snprintf(c.note, sizeof c.note, "%" PRIu64 " x  %.70s", k->dispatches, k->name);
        candidates_add(out, c.text, c.note);
    }
}

void complete_intervals(const struct app *a, const char *before, struct candidates *out)
{
    (void)a, (void)before;
    candidates_add_words(out, "100ms 200ms 500ms 1s 2s 5s 10s");
}

void complete_boxes(const struct app *a, const char *before, struct candidates *out)
{
    const struct view_box *b = views[a->view]->boxes;
    if (*before) {
        candidates_add(out, "expand", "give it the whole view");
        candidates_add(out, "hide", "");
        candidates_add(out, "show", "");
        return;
    }
    for (int i = 0; b && b[i].name; i++)
        candidates_add(out, b[i].name, b[i].what);
}

/* Completes the action, then its keys as they are. */
void complete_bindings(const struct app *a, const char *before, struct candidates *out)
{
    char name[64];
    (void)a;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(before, " "), before);
    const enum action which = action_named(name);
    if (which != ACTION_NONE && *keymap_keys(which))
        candidates_add(out, keymap_keys(which), "its keys now");
    if (*before)
        candidates_add(out, "none", "no key");
    for (int i = 1; i < ACTION_COUNT && !*before; i++)
        if (action_table[i].contexts != CONTEXT_MOUSE)
            candidates_add(out, action_table[i].name, action_table[i].help);
}

void complete_presets(const struct app *a, const char *before, struct candidates *out)
{
    const struct preset *p;
    (void)before;
    for (size_t i = 0; (p = app_preset(a, i)); i++)
        candidates_add(out, p->name, p->boxes);
}

void complete_on_off(const struct app *a, const char *before, struct candidates *out)
{
    (void)a, (void)before;
    candidates_add_words(out, "on off");
}

/* The catalog is made when the first event is typed: it takes some milliseconds. */
void complete_events(const struct app *a, const char *before, struct candidates *out)
{
    struct event_catalog *c = a->events;
    (void)before;
    if (c->n == 0)
        event_sources_list(c, backends, NULL, 0);
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].kind != EVENT_KIND_USDT)
            candidates_add(out, c->rows[i].name, c->rows[i].description);
    candidates_add(out, "off", "only the default events");
}

void complete_topics(const struct app *a, const char *before, struct candidates *out)
{
    (void)a, (void)before;
    for (int i = 1; i < ACTION_COUNT; i++)
        candidates_add(out, action_table[i].name, action_table[i].help);
    for (const struct palette_command *p = command_table; p->name; p++)
        if (p->action == ACTION_NONE)
            candidates_add(out, p->name, p->help);
}

void complete_values(const struct app *a, const char *before, struct candidates *out)
{
    const struct snapshot *s = a->model.snap;
    (void)before;
    for (size_t i = 0; s && i < s->nmetrics; i++)
        candidates_add(out, s->metrics[i].def->id, s->metrics[i].def->label);
    for (size_t i = 0; s && i < s->ncounters; i++)
        candidates_add(out, s->counters[i].name, s->counters[i].desc);
}

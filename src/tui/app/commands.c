/* The commands: one function per command, and the table of them. */
#include "tui/app/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "engine/live/metric.h"
#include "engine/live/signals.h"
#include "tui/app/app_control.h"
#include "tui/app/app_state.h"
#include "tui/model/captures.h"
#include "tui/model/counter_key.h"
#include "tui/model/permit.h"
#include "tui/overlays/palette.h"

/* --- helpers --- */

/* Reports "theme 'foo': there is no such theme; did you mean 'food'?". */
static unsigned report_unknown(const struct app *a, const char *kind, const char *name,
                               void (*complete)(const struct app *, const char *,
                                                struct candidates *),
                               struct error *err)
{
    struct candidates known = {0};
    struct nearest near;
    char what[160], near_names[320], help[384] = "";
    if (complete)
        complete(a, "", &known);
    nearest_start(&near, name);
    for (size_t i = 0; i < known.n; i++)
        nearest_offer(&near, known.rows[i].text);
    if (nearest_list(&near, near_names, sizeof near_names))
        snprintf(help, sizeof help, "did you mean %s?", near_names);
    else
        for (size_t i = 0; i < known.n && strlen(help) < 160; i++)
            snprintf(help + strlen(help), sizeof help - strlen(help), "%s%s",
                     i ? ", " : "there are ", known.rows[i].text);
    snprintf(what, sizeof what, "%s '%.80s'", kind, name);
    free(known.rows);
    error_set(err, ERROR_USAGE, EINVAL, help[0] ? help : NULL, what, "there is none of that name");
    return 0;
}

static unsigned refuse_argument(const char *what, const char *arg, const char *expected,
                                struct error *err)
{
    error_set(err, ERROR_USAGE, EINVAL, NULL, what, "'%.60s' is not %s", arg, expected);
    return 0;
}

/* The action that a line can name: not what only a click of the mouse does. */
static enum action find_typed_action(const char *name)
{
    const enum action a = action_named(name);
    return action_table[a].contexts == CONTEXT_MOUSE ? ACTION_NONE : a;
}

/* 1 on, 0 off, -1 neither */
static int on_off(const char *arg)
{
    if (strcmp(arg, "on") == 0)
        return 1;
    return strcmp(arg, "off") == 0 ? 0 : -1;
}

/* --- commands --- */

static unsigned run_view(struct app *a, const char *arg, struct error *err)
{
    const int view = view_named(arg), tab = view_tab_named(arg);
    if (view >= 0)
        return app_select_view(a, view) | APP_REDRAW;
    if (tab >= 0)
        return app_select_tab(a, (enum tab)tab) | APP_REDRAW;
    return report_unknown(a, "view", arg, complete_views, err);
}

static unsigned run_theme(struct app *a, const char *arg, struct error *err)
{
    struct candidates known = {0};
    bool found = strchr(arg, '/') != NULL; /* arg is a file name */
    complete_themes(a, "", &known);
    for (size_t i = 0; i < known.n; i++)
        found |= strcmp(known.rows[i].text, arg) == 0;
    free(known.rows);
    if (!found)
        return report_unknown(a, "theme", arg, complete_themes, err);
    snprintf(a->theme, sizeof a->theme, "%s", arg);
    return APP_REDRAW | APP_THEME;
}

static unsigned run_filter(struct app *a, const char *arg, struct error *err)
{
    return app_set_filter(a, arg, err) == 0 ? APP_REDRAW : 0;
}

static unsigned run_search(struct app *a, const char *arg, struct error *err)
{
    (void)err;
    struct view_state *st = &a->state[a->view];
    snprintf(st->search, sizeof st->search, "%s", arg);
    st->find = 2;
    return APP_REDRAW;
}

static unsigned run_sort(struct app *a, const char *arg, struct error *err)
{
    const char *name;
    for (int i = 0; (name = view_sort(views[a->view], &a->state[a->view], i)) != NULL; i++)
        if (strcmp(name, arg) == 0)
            return app_sort(a, i);
    return report_unknown(a, "column", arg, complete_sorts, err);
}

static unsigned run_attach(struct app *a, const char *arg, struct error *err)
{
    char *end;
    errno = 0;
    long pid = strtol(arg, &end, 10);
    if (*end || errno || pid < 1 || pid > 0x7fffffff)
        return refuse_argument("attach", arg, "the number of a process", err);
    a->attach_pid = (pid_t)pid;
    return APP_REDRAW | APP_ATTACH;
}

static unsigned run_children(struct app *a, const char *arg, struct error *err)
{
    static const char *const words[] = {
        [CHILDREN_NEW] = "new", [CHILDREN_ALL] = "all", [CHILDREN_NONE] = "none"};
    const struct snapshot *s = a->model.snap;
    const char *refused = permit_refused(&a->model, ACTION_ATTACH);
    if (refused) {
        error_set(err, ERROR_PERMISSION, EPERM, NULL, "children", "%s", refused);
        return 0;
    }
    for (int i = 0; i < 3; i++)
        if (strcmp(words[i], arg) == 0) {
            a->children = (enum target_children)i;
            return APP_REDRAW | (s && s->target_kind == TARGET_PIDS ? APP_CHILDREN : 0);
        }
    return refuse_argument("children", arg, "new, all or none", err);
}

static unsigned run_interval(struct app *a, const char *arg, struct error *err)
{
    char *end;
    double s = strtod(arg, &end);
    if (strcmp(end, "ms") == 0)
        s /= 1000;
    else if (*end && strcmp(end, "s") != 0)
        s = -1;
    if (!(s >= 0.05 && s <= 3600))
        return refuse_argument("interval", arg, "a time of 0.05 to 3600 seconds (500ms, 2s, 10)",
                               err);
    a->interval_s = a->model.interval_s = s;
    return APP_REDRAW | APP_INTERVAL;
}

static unsigned run_write(struct app *a, const char *arg, struct error *err)
{
    (void)err;
    snprintf(a->path, sizeof a->path, "%s", arg);
    return APP_REDRAW | APP_WRITE;
}

static unsigned run_save(struct app *a, const char *arg, struct error *err)
{
    (void)err;
    snprintf(a->path, sizeof a->path, "%s", arg);
    return APP_REDRAW | APP_SAVE;
}

/* "bind quit Alt-q X": these keys and no others; "bind quit none": no key. */
static unsigned run_bind(struct app *a, const char *arg, struct error *err)
{
    char name[64], text[200];
    const char *keys = arg + strcspn(arg, " ");
    keys += strspn(keys, " ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, " "), arg);
    const enum action which = action_named(name);
    if (which != ACTION_NONE && !*keys) {
        error_set(err, ERROR_USAGE, EINVAL, "bind ACTION KEYS, or none for no key", name,
                  "its keys are: %s", keymap_keys(which));
        return 0;
    }
    if (keymap_choose(name, strcmp(keys, "none") == 0 ? "" : keys, err) != 0)
        return 0;
    snprintf(text, sizeof text, "%s: %s; :save keeps it", name, keys);
    app_message(a, false, text);
    return APP_REDRAW;
}

static unsigned run_box(struct app *a, const char *arg, struct error *err)
{
    char name[32], what[16] = "expand";
    int fields = sscanf(arg, "%31s %15s", name, what);
    int box = fields >= 1 ? app_box_find(a->view, name) : -1;
    bool known = !strcmp(what, "show") || !strcmp(what, "hide") || !strcmp(what, "expand");
    if (box < 0)
        return report_unknown(a, "box", fields >= 1 ? name : arg, complete_boxes, err);
    if (!known)
        return refuse_argument("box", what, "show, hide or expand", err);
    if (!app_box_set(a, box, what[0]))
        error_set(err, ERROR_USAGE, EINVAL, "show another one first", "box hide",
                  "it is the last one shown");
    return APP_REDRAW;
}

static unsigned run_preset(struct app *a, const char *arg, struct error *err)
{
    const struct preset *p;
    for (size_t i = 0; (p = app_preset(a, i)); i++)
        if (strcmp(p->name, arg) == 0) {
            a->preset = (int)i + 1;
            return app_preset_apply(a, p, err) == 0 ? APP_REDRAW : 0;
        }
    return report_unknown(a, "preset", arg, complete_presets, err);
}

static unsigned run_ascii(struct app *a, const char *arg, struct error *err)
{
    if (on_off(arg) < 0)
        return refuse_argument("ascii", arg, "on or off", err);
    a->host.ascii = on_off(arg) == 1;
    return APP_REDRAW | APP_ASCII;
}

static unsigned run_help(struct app *a, const char *arg, struct error *err)
{
    (void)err;
    for (int i = 0; overlays[i]; i++)
        if (overlays[i]->toggle == ACTION_HELP)
            overlay_open(a, overlays[i], arg);
    return APP_REDRAW;
}

static unsigned run_explain(struct app *a, const char *arg, struct error *err)
{
    const struct snapshot *s = a->model.snap;
    char key[VIEW_TEXT_MAX] = "";
    for (size_t i = 0; s && i < s->nmetrics && !key[0]; i++)
        if (!strcmp(s->metrics[i].def->id, arg) || !strcmp(s->metrics[i].def->label, arg))
            snprintf(key, sizeof key, "m:%s", s->metrics[i].def->id);
    for (size_t i = 0; s && i < s->ncounters && !key[0]; i++)
        if (strcmp(s->counters[i].name, arg) == 0)
            counter_key(&s->counters[i], key);
    if (!key[0])
        return report_unknown(a, "metric or counter", arg, complete_values, err);
    overlay_open(a, &overlay_explain, key);
    return APP_REDRAW;
}

static unsigned run_seek(struct app *a, const char *arg, struct error *err)
{
    return app_seek(a, arg, err) == 0 ? APP_REDRAW : 0;
}

static unsigned run_range(struct app *a, const char *arg, struct error *err)
{
    return app_window_range(a, arg, err) == 0 ? APP_REDRAW : 0;
}

static unsigned run_window(struct app *a, const char *arg, struct error *err)
{
    return app_window_time(a, arg, err) == 0 ? APP_REDRAW : 0;
}

static unsigned run_capture(struct app *a, const char *arg, struct error *err)
{
    const char *why = captures_refused(&a->model);
    if (why) {
        error_set(err, ERROR_USAGE, ENODEV, NULL, "capture", "%s", why);
        return 0;
    }
    snprintf(a->capture, sizeof a->capture, "%s", arg);
    return APP_REDRAW | APP_CAPTURE;
}

/* The second word of "TERM 4711": 0 if there is none, -1 if it is not a process number. */
static pid_t pid_word(const char *arg)
{
    char *end;
    const char *word = arg + strcspn(arg, " ");
    word += strspn(word, " ");
    if (!*word)
        return 0;
    long pid = strtol(word, &end, 10);
    return *end || pid < 1 || pid > 0x7fffffff ? -1 : (pid_t)pid;
}

static unsigned run_kill(struct app *a, const char *arg, struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, " "), arg);
    int signo = signal_number(name);
    if (signo == 0)
        return report_unknown(a, "signal", name, complete_signals, err);
    if (pid_word(arg) < 0)
        return refuse_argument("kill", arg, "a signal and the number of a process", err);
    return app_control_signal(a, signo, pid_word(arg), err);
}

static unsigned run_nice(struct app *a, const char *arg, struct error *err)
{
    char *end;
    long v = strtol(arg, &end, 10);
    if (end == arg || (*end && *end != ' ') || v < -20 || v > 19 || pid_word(arg) < 0)
        return refuse_argument("nice", arg,
                               "a value of -20 to 19 and perhaps the number of a process", err);
    return app_control_nice(a, (int)v, false, pid_word(arg), err);
}

static unsigned run_event(struct app *a, const char *arg, struct error *err)
{
    if (strlen(arg) >= sizeof a->event)
        return refuse_argument("event", arg, "the name of an event", err);
    snprintf(a->event, sizeof a->event, "%s", arg);
    return APP_REDRAW | APP_EVENT;
}

/* Runs the command of a view, whichever view is shown. */
static unsigned run_in_view(struct app *a, const struct view_ops *v, const char *name,
                            const char *arg, struct error *err)
{
    const int result = v->command(name, arg, &a->model, app_view_state(a, v), err);
    return result < 0 ? 0 : APP_REDRAW | app_obey_view(a, (enum view_result)result);
}

#define VIEW(id, tab, name, keys, help) extern const struct view_ops view_##name;
#define VIEW_COMMAND(id, view, called, takes, words, tells)                                        \
    static void complete_##id(const struct app *a, const char *before, struct candidates *out)     \
    {                                                                                              \
        (void)a, (void)before;                                                                     \
        candidates_add_words(out, words);                                                          \
    }                                                                                              \
    static unsigned run_##id(struct app *a, const char *arg, struct error *err)                    \
    {                                                                                              \
        return run_in_view(a, &view_##view, called, arg, err);                                     \
    }
#define VIEW_FIRST_COMMAND VIEW_COMMAND
#define VIEW_LAST_COMMAND  VIEW_COMMAND
#include "tui/views/views.def"
#define COMMAND_OF_VIEW(id, view, called, takes, words, tells)                                     \
    {called, takes, ACTION_NONE, tells, complete_##id, run_##id},

const struct palette_command command_table[] = {
    {"view", "NAME", ACTION_NONE, "show a view", complete_views, run_view},
    {"filter", "QUERY", ACTION_FILTER, "show only rows that match", complete_fields, run_filter},
    {"search", "TEXT", ACTION_SEARCH, "go to the next row with this text", NULL, run_search},
    {"sort", "COLUMN", ACTION_NONE, "sort by a column; again reverses", complete_sorts, run_sort},
    {"attach", "PID", ACTION_ATTACH, "watch this process instead", complete_pids, run_attach},
    {"children", "new|all|none", ACTION_NONE, "which children of watched processes are watched too",
     complete_children, run_children},
    {"kill", "SIGNAL [PID]", ACTION_SIGNAL, "send a signal; asks first", complete_signals,
     run_kill},
    {"nice", "VALUE [PID]", ACTION_NONE, "nice value of a process, -20 to 19; asks first", NULL,
     run_nice},
    {"explain", "NAME", ACTION_EXPLAIN, "explain a metric or counter", complete_values,
     run_explain},
    {"box", "NAME show|hide|expand", ACTION_NONE, "a box of this view", complete_boxes, run_box},
    {"preset", "NAME", ACTION_PRESET_NEXT, "boxes by preset; without a name the next one",
     complete_presets, run_preset},
    {"interval", "SECONDS", ACTION_NONE, "time between two samples", complete_intervals,
     run_interval},
    {"theme", "NAME", ACTION_THEMES, "choose a theme; without a name from the list",
     complete_themes, run_theme},
    {"ascii", "on|off", ACTION_TOGGLE_ASCII, "draw with ASCII characters only", complete_on_off,
     run_ascii},
    {"bind", "ACTION KEYS|none", ACTION_NONE, "give an action these keys, no others",
     complete_bindings, run_bind},
    {"save", "[PRESET]", ACTION_SAVE,
     "keep theme and bound keys in the configuration file; with a name these boxes as a preset",
     NULL, run_save},
    {"write", "FILE", ACTION_WRITE,
     "write the picture to FILE.txt and FILE.svg, the numbers to FILE.json", NULL, run_write},
#define VIEW_FIRST_COMMAND COMMAND_OF_VIEW
#include "tui/views/views.def"
    {"event", "NAME|ports|off", ACTION_NONE,
     "count this event too, as -e does; ports: what fills the pipes; off: only the default ones",
     complete_events, run_event},
#define VIEW_COMMAND COMMAND_OF_VIEW
#include "tui/views/views.def"
    {"range", "NAME|off", ACTION_NONE,
     "only what ran in ranges of that name: NAME@3 the third; off: all of the profile", NULL,
     run_range},
    {"window", "FROM TO|off", ACTION_WINDOW,
     "only that time of the profile, as in 1.2s 1.3s; off: all of it", NULL, run_window},
    {"capture", "REGEX", ACTION_CAPTURE, "capture the next dispatch of a kernel", complete_launched,
     run_capture},
#define VIEW_LAST_COMMAND COMMAND_OF_VIEW
#include "tui/views/views.def"
    {"seek", "±TIME|HH:MM:SS|N%|end", ACTION_NONE, "go to a moment of the past", NULL, run_seek},
    {"help", "[TOPIC]", ACTION_HELP, "help about a word", complete_topics, run_help},
    {.name = NULL},
};

const struct palette_command *command_find(const char *name)
{
    for (const struct palette_command *p = command_table; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* --- the line --- */

static void complete_names(const struct app *a, const char *before, struct candidates *out)
{
    (void)a, (void)before;
    for (const struct palette_command *p = command_table; p->name; p++)
        candidates_add(out, p->name, p->help);
    for (int i = 1; i < ACTION_COUNT; i++)
        if (action_table[i].contexts != CONTEXT_MOUSE)
            candidates_add(out, action_table[i].name, action_table[i].help);
}

static unsigned run_action(struct app *a, enum action act, struct error *err)
{
    const char *why = permit_refused(&a->model, act);
    if (why) {
        error_set(err, ERROR_PERMISSION, EPERM, NULL, action_table[act].name, "%s", why);
        return 0;
    }
    if (!(action_table[act].contexts & (app_contexts(a) | CONTEXT_OVERLAY))) {
        error_set(err, ERROR_USAGE, EINVAL, NULL, action_table[act].name,
                  "it does not apply to anything in this view");
        return 0;
    }
    return app_perform(a, act, 0);
}

/* Runs a single command. Changes line. */
static unsigned run_one(struct app *a, char *line, struct error *err)
{
    char *name = line + strspn(line, " "), *end = line + strlen(line);
    while (end > name && end[-1] == ' ')
        *--end = '\0';
    char *arg = name + strcspn(name, " ");
    if (*arg)
        *arg++ = '\0';
    arg += strspn(arg, " ");
    const struct palette_command *p = command_find(name);
    enum action act = p ? p->action : find_typed_action(name);
    if (!*name)
        return APP_REDRAW;
    if (!p && act == ACTION_NONE)
        return report_unknown(a, "command", name, complete_names, err);
    if (!*arg && act != ACTION_NONE)
        return run_action(a, act, err);
    if (!p)
        error_set(err, ERROR_USAGE, EINVAL, NULL, name, "it takes no argument");
    else if (!*arg)
        error_set(err, ERROR_USAGE, EINVAL, NULL, name, "%s is wanted", p->args);
    else if (p->action != ACTION_NONE && permit_refused(&a->model, p->action))
        error_set(err, ERROR_PERMISSION, EPERM, NULL, name, "%s",
                  permit_refused(&a->model, p->action));
    else
        return p->run(a, arg, err) | (err->kind == ERROR_NONE ? APP_REDRAW : 0);
    return 0;
}

/* The length up to the ';' that separates commands; a ';' inside '"' does not. */
static size_t first_command(const char *line)
{
    bool quoted = false;
    size_t n = 0;
    for (; line[n] && (quoted || line[n] != ';'); n++) {
        if (quoted && line[n] == '\\' && line[n + 1])
            n++;
        else if (line[n] == '"')
            quoted = !quoted;
    }
    return n;
}

unsigned app_command(struct app *a, const char *line, struct error *err)
{
    char part[LINE_EDIT_MAX];
    unsigned asked = 0;
    err->kind = ERROR_NONE;
    while (*line && err->kind == ERROR_NONE) {
        size_t n = first_command(line);
        snprintf(part, sizeof part, "%.*s", (int)n, line);
        asked |= run_one(a, part, err);
        line += n + (line[n] == ';');
    }
    return asked;
}

unsigned app_command_or_ask(struct app *a, const char *line)
{
    struct error err = ERROR_INIT;
    char text[640];
    size_t n = strlen(line);
    if (n && line[n - 1] == ' ') {
        palette_open(a, line);
        return APP_REDRAW;
    }
    unsigned asked = app_command(a, line, &err);
    if (err.kind != ERROR_NONE)
        app_message(a, true, error_format(&err, text, sizeof text));
    return asked | APP_REDRAW;
}

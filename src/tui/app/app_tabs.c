/*
 * The first row: a tab for each view that has something to show, and the name of what is watched.
 * If there is little room, first the name is shortened, then the titles of the tabs. A tab is never
 * a bare digit.
 */
#include <stdio.h>
#include <string.h>

#include "engine/live/gpus.h"
#include "tui/app/app_state.h"
#include "tui/widgets/notice.h"

enum {
    NAME = 9 /* "rooftop" and its gap */,
    SHORT = 4,
    STATUS_LEAST = 8,
    STATUS_MAX = 30,
    WATCHED_LEAST = 6
};

const char *app_first_key(enum action action, char out[16])
{
    const char *keys = keymap_keys(action);
    snprintf(out, 16, "%.*s", (int)strcspn(keys, " "), keys);
    return out;
}

enum action app_view_action(int view)
{
    for (int i = 0; views[view]->before && views[i]; i++)
        if (strcmp(views[i]->name, views[view]->before) == 0)
            return views[i]->select;
    return views[view]->select;
}

/* --- the name of what is watched --- */

struct status {
    char name[256];     /* the opened file, else what is watched */
    char rest[256];     /* more about a file's target, and the interval */
    const char *banner; /* says that time is paused or played; "": neither */
};

void app_set_file(struct app *a, const char *const *paths, size_t n)
{
    const char *slash, *path = n ? paths[0] : "";
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    char text[sizeof a->file];
    snprintf(text, sizeof text, "%.*s", (int)len, path);
    slash = strrchr(text, '/');
    snprintf(a->file, sizeof a->file, "%s", slash && slash[1] ? slash + 1 : text);
    len = strlen(a->file);
    if (n > 1 && len < sizeof a->file)
        snprintf(a->file + len, sizeof a->file - len, " +%zu", n - 1);
}

/* Writes the target without folders: "gemm -n 3" for "build/x/gemm -n 3". */
static void write_short_target(const struct snapshot *s, const char *target, char *out, size_t size)
{
    bool command = s && s->target_kind == TARGET_COMMAND;
    bool cgroup = s && s->target_kind == TARGET_CGROUP; /* "cgroup a/b" */
    const char *from = cgroup ? target + strcspn(target, " ") : target;
    from += cgroup && *from;
    for (const char *p = from; (command || cgroup) && *p && *p != ' '; p++)
        if (*p == '/' && p[1] && p[1] != ' ')
            from = p + 1;
    snprintf(out, size, "%s", from);
}

/* Cuts text to at most w cells. */
static void cut_target(char *text, int w)
{
    const char *p = text;
    int used = 0;
    if (text_width(text) <= w)
        return;
    while (*p && used + text_char_width(text_next(&(const char *){p})) < w)
        used += text_char_width(text_next(&p));
    snprintf(text + (p - text), sizeof "…", "…");
}

/* Writes the name of the opened file and of the shown part. */
static void write_opened_name(const struct app *a, char *out, size_t size)
{
    const char *part = app_window_text(a);
    snprintf(out, size, "%.120s%s%s", part, a->file[0] && part[0] ? " of " : "", a->file);
}

/* Writes the longest form that fits into room cells, or the beginning of the shortest. */
static void write_status(const struct app *a, int room, struct status *out)
{
    const struct snapshot *s = a->model.snap;
    const char *target = s ? s->target : "starting", *ended = s && s->target_gone ? "ended: " : "";
    char shorter[208], interval[32], file[sizeof out->name];
    write_opened_name(a, file, sizeof file);
    write_short_target(s, target, shorter, sizeof shorter - sizeof "…");
    snprintf(interval, sizeof interval, " · %g s", a->interval_s);
    for (int form = 0; form < 3; form++) {
        const char *watched = form == 0 ? target : shorter;
        int rest = room - text_width(file) - text_width(ended) - text_width(interval) - 3;
        if (form == 1 && file[0] && rest >= WATCHED_LEAST)
            cut_target(shorter, rest);
        if (file[0]) {
            snprintf(out->name, sizeof out->name, "%s", file);
            snprintf(out->rest, sizeof out->rest, "%s%s%.190s%s", form < 2 ? " · " : "",
                     form < 2 ? ended : "", form < 2 ? watched : "", interval);
        } else {
            snprintf(out->name, sizeof out->name, "%s%.200s", ended, watched);
            snprintf(out->rest, sizeof out->rest, "%s", interval);
        }
        if (text_width(out->name) + text_width(out->rest) <= room)
            return;
    }
}

static const char *banner_of(const struct app *a)
{
    if (a->time.file)
        return a->time.playing ? " PLAYING " : " PAUSED ";
    if (a->time.live)
        return "";
    return a->time.playing ? " REPLAY " : " PAUSED ";
}

/* The cells for the whole status, including the banner. */
static int status_cells(const struct app *a)
{
    struct status st;
    int banner = text_width(banner_of(a)), room = STATUS_MAX;
    write_status(a, room, &st);
    int w = text_width(st.name) + text_width(st.rest);
    w = w < room ? w : room;
    return w + 2 + (banner ? banner + 1 : 0);
}

/* Draws the status in the cells from x0 on, aligned to the right. */
static void draw_tab_status(struct canvas *c, int x0, struct rect r, const struct app *a)
{
    const struct notice *worst = notice_worst(a->model.snap);
    const char *banner = banner_of(a);
    struct status st;
    int end = r.x + r.w - 1, banner_w = text_width(banner);
    if (banner_w && end - x0 >= banner_w) {
        end -= banner_w;
        canvas_text(c, end, r.y, banner_w, banner, STYLE(STYLE_BANNER));
        end -= 1;
    }
    int room = end - x0;
    write_status(a, room, &st);
    int rest = text_width(st.rest), name = text_width(st.name);
    if (name + rest > room) /* the name is more important than the rest */
        rest = 0;
    name = name + rest > room ? room : name;
    if (name < 4)
        return;
    int x = end - rest - name;
    if (worst && worst->level != NOTICE_INFO && x - x0 > 12) {
        canvas_text(c, x - 11, r.y, 9, "! see ?", STYLE(STYLE_WARN));
        canvas_zone(c, (struct rect){x - 11, r.y, 7, 1}, ACTION_HELP, 0);
    }
    int gone =
        !a->file[0] && a->model.snap && a->model.snap->target_gone ? (int)strlen("ended: ") : 0;
    canvas_text(c, x, r.y, name, st.name, STYLE(STYLE_TITLE));
    if (gone && gone < name)
        canvas_restyle(c, (struct rect){x, r.y, gone, 1}, STYLE(STYLE_WARN));
    canvas_text(c, x + name, r.y, rest, st.rest, STYLE(STYLE_DIM));
}

/* --- tabs --- */

enum tab_form { TABS_FULL, TABS_NAMELESS, TABS_CLOSE, TABS_SHORT };

/* Cells of a view's title in a form. The chosen view keeps its whole title. */
static int title_cells(const struct app *a, int view, enum tab_form form)
{
    int w = (int)strlen(views[view]->title);
    return form < TABS_SHORT || view == a->view || w < SHORT ? w : SHORT;
}

/* Cells of a tab and the gap after it. */
static int tab_cells(const struct app *a, int view, enum tab_form form)
{
    return 1 + 1 + title_cells(a, view, form) + (form < TABS_CLOSE ? 3 : 1);
}

static int all_cells(const struct app *a, enum tab_form form)
{
    int need = 1 + (form == TABS_FULL ? NAME : 0);
    for (int i = 0; views[i]; i++)
        need += app_view_shown(a, i) ? tab_cells(a, i, form) : 0;
    return need;
}

static enum tab_form tab_form(const struct app *a, int w)
{
    int status = status_cells(a);
    for (enum tab_form f = TABS_FULL; f < TABS_SHORT; f++)
        if (all_cells(a, f) + status <= w)
            return f;
    return TABS_SHORT;
}

/*
 * The first drawn tab if they do not all fit. The tab of the chosen view is always among the drawn
 * ones.
 */
static int first_tab(const struct app *a, enum tab_form form, int room)
{
    int first = a->view, used = 0;
    for (int i = a->view; i >= 0; i--) {
        used += app_view_shown(a, i) ? tab_cells(a, i, form) : 0;
        if (used > room)
            break;
        first = i;
    }
    return first;
}

/*
 * Numbers from an emulated GPU are no measurements, so every view says it, even where nothing else
 * fits.
 */
static void draw_emulated(struct canvas *c, struct rect *r, const struct snapshot *s)
{
    static const char text[] = " EMULATED ";
    int w = (int)sizeof text - 1;
    if (!s || !s->gpus || !s->gpus->emulated)
        return;
    r->w -= w;
    canvas_text(c, r->x + r->w, r->y, w, text, STYLE(STYLE_BANNER));
}

static void draw_tab(const struct app *a, struct canvas *c, struct rect r, int view,
                     enum tab_form form)
{
    char key[16], text[32];
    int pad = form < TABS_CLOSE ? 1 : 0, title = title_cells(a, view, form);
    canvas_text(c, r.x + pad, r.y, 1, app_first_key(app_view_action(view), key), STYLE(STYLE_HOT));
    snprintf(text, sizeof text, "%.*s", title, views[view]->title);
    canvas_text(c, r.x + pad + 2, r.y, title, text,
                STYLE(view == a->view ? STYLE_TITLE : STYLE_DIM));
    if (view == a->view) /* the chosen tab also differs without colour */
        canvas_restyle(c, r, STYLE(STYLE_SELECTED));
    canvas_zone(c, r, (int)views[view]->select, 0);
}

void app_draw_tabs(struct app *a, struct canvas *c, struct rect r)
{
    draw_emulated(c, &r, a->model.snap);
    enum tab_form form = tab_form(a, r.w);
    int x = r.x + 1, first = 0, banner = text_width(banner_of(a));
    int room = r.w - 1 - (banner ? banner + 2 : 0), left = room - STATUS_LEAST;
    bool all = all_cells(a, form) <= room;
    if (form == TABS_FULL)
        x += canvas_text(c, x, r.y, 8, "rooftop", STYLE(STYLE_TITLE)) + 2;
    if (!all) { /* more tabs than fit: Tab and the keys reach the others */
        first = first_tab(a, form, left - 4);
        if (first > 0)
            x += canvas_text(c, x, r.y, 2, "‹", STYLE(STYLE_HOT)) + 1;
    }
    int end = r.x + (all ? room : left - 2); /* the mark of further tabs takes two cells */
    for (int i = first; views[i]; i++) {
        if (!app_view_shown(a, i))
            continue;
        int w = tab_cells(a, i, form) - 1;
        if (x + w > end) {
            x += canvas_text(c, x, r.y, 2, "›", STYLE(STYLE_HOT)) + 1;
            break;
        }
        draw_tab(a, c, (struct rect){x, r.y, w, 1}, i, form);
        x += w + 1;
    }
    draw_tab_status(c, x + 1, r, a);
}

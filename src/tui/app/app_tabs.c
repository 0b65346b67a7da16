/*
 * The first row: a tab for each digit with a view that has something to show, all of one width, a
 * last one for the shown view where it has nothing, and the name of what is watched. What is where
 * depends on the width of the screen and on the number of views that have something, only. A tab is
 * never a bare digit.
 */
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "engine/live/gpus.h"
#include "tui/app/app_state.h"
#include "tui/widgets/notice.h"

enum {
    NAME = 9 /* "rooftop" and its gap */,
    FULL = 13 /* the widest tab: " 4 path      " */,
    SHORT = 7 /* the narrowest: "4 path " */,
    MARK = 2 /* "‹" or "›" and its gap */,
    TABS_LEAVE = 24 /* cells for the status, beside tabs that are wider than the narrowest */,
    NAME_LEAVES = 34 /* and beside the name "rooftop" */,
    STATUS_LEAST = 8,
    BANNER = 9,
    WATCHED_LEAST = 6,
    NAME_CUT_LEAST = 4 /* less of a name says nothing */
};

const char *app_first_key(enum action action, char out[16])
{
    const char *keys = keymap_keys(action);
    snprintf(out, 16, "%.*s", (int)strcspn(keys, " "), keys);
    return out;
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
    if (slash && strcmp(slash, "/session.rooftop") == 0) { /* of a rank: the folder says which */
        text[slash - text] = '\0';
        slash = strrchr(text, '/');
    }
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

/* Whether the view shows this host as it is now, whatever file is open. */
static bool shows_host(const struct view_ops *v)
{
    static const char *const of_host[] = {"overview", "counters", "gpu"};
    bool found = false;
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++)
        found |= strcmp(v->name, of_host[i]) == 0;
    return found;
}

/* An opened file stands alone: nothing of the host that it is looked at on. A session keeps its
 * interval, which is its own. */
static bool has_file_head(const struct app *a)
{
    const struct snapshot *s = a->model.snap;
    if (!a->file[0] || (s && s->target_kind != TARGET_HOST))
        return false;
    return a->model.playback || !shows_host(views[a->view]);
}

/* What the head says is watched. */
static const char *name_watched(const struct app *a)
{
    const struct snapshot *s = a->model.snap;
    if (a->model.fleet && strcmp(views[a->view]->name, "fleet") == 0)
        return "many hosts";
    return s ? s->target : "starting";
}

/* Writes the longest form that fits into room cells, or the beginning of the shortest. */
static void write_status(const struct app *a, int room, struct status *out)
{
    const struct snapshot *s = a->model.snap;
    const char *target = name_watched(a);
    const char *ended = s && s->target_gone ? "ended: " : "";
    char shorter[208], interval[32], file[sizeof out->name];
    write_opened_name(a, file, sizeof file);
    write_short_target(s, target, shorter, sizeof shorter - sizeof "…");
    snprintf(interval, sizeof interval, " · %g s", a->interval_s);
    if (has_file_head(a)) {
        snprintf(out->name, sizeof out->name, "%s", file);
        snprintf(out->rest, sizeof out->rest, "%s", a->model.playback ? interval : "");
        return;
    }
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

/* Draws that time is paused or played, else that something is missing: both at the same place. */
static void draw_banner(struct canvas *c, int x, int y, int w, const struct app *a)
{
    const struct notice *worst = notice_worst(a->model.snap);
    const char *banner = banner_of(a);
    if (*banner) {
        canvas_text(c, x + w - text_width(banner), y, text_width(banner), banner,
                    STYLE(STYLE_BANNER));
    } else if (worst && worst->level != NOTICE_INFO) {
        canvas_text(c, x, y, w, "! see ?", STYLE(STYLE_WARN));
        canvas_zone(c, (struct rect){x, y, 7, 1}, ACTION_HELP, 0);
    }
}

/* Draws the status in the cells from x on. */
static void draw_tab_status(struct canvas *c, int x, struct rect r, const struct app *a)
{
    struct status st;
    int end = r.x + r.w - 1;
    if (end - x >= BANNER + STATUS_LEAST || *banner_of(a)) {
        draw_banner(c, end - BANNER, r.y, BANNER, a);
        end -= BANNER + 1;
    }
    const int room = end - x;
    write_status(a, room, &st);
    int rest = text_width(st.rest), name = text_width(st.name);
    if (name + rest > room) /* the name is more important than the rest */
        rest = 0;
    if (name > room && room < NAME_CUT_LEAST)
        return;
    name = name > room ? room : name;
    int gone =
        !a->file[0] && a->model.snap && a->model.snap->target_gone ? (int)strlen("ended: ") : 0;
    canvas_text(c, x, r.y, name, st.name, STYLE(STYLE_TITLE));
    if (gone && gone < name)
        canvas_restyle(c, (struct rect){x, r.y, gone, 1}, STYLE(STYLE_WARN));
    canvas_text(c, x + name, r.y, rest, st.rest, STYLE(STYLE_DIM));
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

/* --- tabs --- */

struct tab_row {
    bool named; /* "rooftop" stands before the tabs */
    int w;      /* cells of a tab */
    int n;      /* number of tabs */
    int chosen; /* which of them is shown */
    enum tab tabs[TABS];
};

static void list_tabs(const struct app *a, int w, struct tab_row *out)
{
    const enum tab shown = view_tab(a->view);
    *out = (struct tab_row){.n = 0};
    for (int i = 0; i < TABS; i++) {
        if (!app_tab_filled(a, (enum tab)i))
            continue;
        if (shown == (enum tab)i)
            out->chosen = out->n;
        out->tabs[out->n++] = (enum tab)i;
    }
    const int places = out->n ? out->n : 1; /* the others do not move for a view that has nothing */
    if (!app_tab_filled(a, shown)) {
        out->chosen = out->n;
        out->tabs[out->n++] = shown;
    }
    out->w = limit_int((w - 1 - TABS_LEAVE) / places, SHORT, FULL);
    out->named = 1 + NAME + places * FULL + NAME_LEAVES <= w;
}

static void draw_tab(struct canvas *c, struct rect r, enum tab tab, bool chosen)
{
    char key[16], text[32];
    const int pad = r.w >= FULL ? 1 : 0, room = r.w - 2 * pad - 2;
    const struct view_tab *t = &view_tabs[tab];
    snprintf(text, sizeof text, "%s", text_width(t->name) <= room ? t->name : t->narrow);
    canvas_text(c, r.x + pad, r.y, 1, app_first_key(t->select, key), STYLE(STYLE_HOT));
    canvas_text(c, r.x + pad + 2, r.y, room, text, STYLE(STYLE_TEXT));
    if (chosen)
        canvas_restyle(c, r, STYLE(STYLE_SELECTED));
    canvas_zone(c, r, (int)t->select, 0);
}

void app_draw_tabs(struct app *a, struct canvas *c, struct rect r)
{
    struct tab_row row;
    draw_emulated(c, &r, a->model.snap);
    list_tabs(a, r.w, &row);
    int x = r.x + 1, first = 0, last = row.n;
    if (row.named)
        x += canvas_text(c, x, r.y, 8, "rooftop", STYLE(STYLE_TITLE)) + 2;
    const int room = r.x + r.w - 1 - STATUS_LEAST - x;
    if (row.n * row.w > room) { /* pages of tabs: Tab and the digits reach the others */
        const int fit = (room - 2 * MARK) / row.w;
        first = row.chosen / fit * fit;
        last = first + fit < row.n ? first + fit : row.n;
        if (first > 0)
            canvas_text(c, x, r.y, 1, "‹", STYLE(STYLE_HOT));
        x += MARK;
        if (last < row.n)
            canvas_text(c, x + fit * row.w, r.y, 1, "›", STYLE(STYLE_HOT));
    }
    for (int i = first; i < last; i++, x += row.w)
        draw_tab(c, (struct rect){x, r.y, row.w - (row.w < FULL), 1}, row.tabs[i], i == row.chosen);
    draw_tab_status(c, x + (last < row.n ? MARK : 0) + 1, r, a);
}

/* The line about what is watched and about the host that it runs on. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/live/proc_rows.h"
#include "engine/live/signals.h"
#include "tui/views/watched/watched.h"

enum { HEAD_TEXT = 512, NAME_LEAST = 12, LINE_LEAST = 4 };

static void write_elapsed(double s, bool ascii, char out[VALUE_TEXT_MAX])
{
    const unsigned long t = s > 0 ? (unsigned long)s : 0;
    if (s > 0 && s < 0.1)
        value_time(1e9 * s, ascii, out);
    else if (t < 100)
        snprintf(out, VALUE_TEXT_MAX, "%.1f s", s);
    else if (t < 3600)
        snprintf(out, VALUE_TEXT_MAX, "%lu min %02lu s", t / 60, t % 60);
    else if (t < 100 * 3600)
        snprintf(out, VALUE_TEXT_MAX, "%lu h %02lu min", t / 3600, t / 60 % 60);
    else
        snprintf(out, VALUE_TEXT_MAX, "%lu d %02lu h", t / 86400, t / 3600 % 24);
}

static void write_how_ended(const struct snapshot *s, char *out, size_t size)
{
    const int status = s->command.wait_status;
    char name[SIGNAL_NAME_MAX];
    if (s->target_kind != TARGET_COMMAND)
        snprintf(out, size, "ended");
    else if (WIFSIGNALED(status))
        snprintf(out, size, "killed by %s", signal_name(WTERMSIG(status), name));
    else
        snprintf(out, size, "ended with status %d", WEXITSTATUS(status));
}

void watched_state(const struct snapshot *s, bool ascii, char *out, size_t size)
{
    char elapsed[VALUE_TEXT_MAX] = "", how[64];
    if (s->use.elapsed.validity == VALUE_OK)
        write_elapsed(s->use.elapsed.v, ascii, elapsed);
    write_how_ended(s, how, sizeof how);
    if (s->target_kind == TARGET_CGROUP && s->use.processes == 0 &&
        s->use.elapsed.validity == VALUE_OK)
        snprintf(out, size, "no process in it"); /* one may come */
    else if (s->target_gone)
        snprintf(out, size, "%s%s%s", how, *elapsed ? " after " : "", elapsed);
    else if (s->use.elapsed.validity == VALUE_OK)
        snprintf(out, size, "running %s", elapsed);
    else
        snprintf(out, size, "%s", s->use.elapsed.validity == VALUE_PENDING ? "starting" : "");
}

/* If processes are watched by number, adds the first one's command line: "pid 12" alone says
 * little. */
static void write_subject(const struct snapshot *s, char *out, size_t size)
{
    pid_t first;
    const bool found =
        s->target_kind == TARGET_PIDS && proc_rows_watched(s, &first, 1) && !strchr(s->target, ',');
    const struct proc *p = found ? proc_rows_find(s, first) : NULL;
    snprintf(out, size, "%s%s%s", s->target, p ? " " : "", p ? p->cmdline : "");
}

/* Cuts the middle of the subject, but not the number in "pid 12 ./train" where there is room. */
static void cut_subject(const struct snapshot *s, const char *subject, int cells,
                        char out[HEAD_TEXT])
{
    const size_t n = strlen(s->target);
    const bool has_line = strlen(subject) > n; /* a long target fills the subject */
    size_t kept = 0;
    if (s->target_kind == TARGET_PIDS && has_line && cells > (int)n + LINE_LEAST)
        kept = n + 1;
    memcpy(out, subject, kept);
    text_cut_middle(out + kept, HEAD_TEXT - kept, subject + kept, cells - (int)kept, "…");
}

static struct style find_state_style(const struct snapshot *s)
{
    const bool well = s->target_kind != TARGET_COMMAND || s->command.wait_status == 0;
    if (!s->target_gone)
        return STYLE(STYLE_DIM);
    return STYLE(well ? STYLE_OK : STYLE_WARN);
}

static void write_whole_percent(const struct value *v, bool ascii, char out[VALUE_TEXT_MAX])
{
    if (v->validity == VALUE_OK)
        snprintf(out, VALUE_TEXT_MAX, "%.0f %%", v->v);
    else
        value_format(v, ascii, out);
}

/* "host: cpu 100 % (others 98 %)  mem 4 %"; after the end all of it is others'. */
static void write_host(const struct snapshot *s, bool ascii, char *out, size_t size)
{
    char cpu[VALUE_TEXT_MAX], others[VALUE_TEXT_MAX], memory[VALUE_TEXT_MAX];
    const struct memory *m = &s->memory;
    const bool known =
        m->used.validity == VALUE_OK && m->total.validity == VALUE_OK && m->total.v > 0;
    const struct value share =
        known ? value_ok(100 * m->used.v / m->total.v, UNIT_PERCENT) : m->used;
    write_whole_percent(&s->total.busy, ascii, cpu);
    write_whole_percent(&s->use.others, ascii, others);
    write_whole_percent(&share, ascii, memory);
    if (s->target_gone)
        snprintf(out, size, "host: cpu %s  mem %s", cpu, memory);
    else
        snprintf(out, size, "host: cpu %s (others %s)  mem %s", cpu, others, memory);
}

void watched_head(struct canvas *c, struct rect r, const struct model *m)
{
    char host[160], subject[HEAD_TEXT], state[128], cut[HEAD_TEXT];
    int x = r.x + 1, end = r.x + r.w - 1;
    if (!m->snap) {
        canvas_text(c, x, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    write_host(m->snap, c->ascii, host, sizeof host);
    write_subject(m->snap, subject, sizeof subject);
    watched_state(m->snap, c->ascii, state, sizeof state);
    const int w = text_width(host), states = *state ? text_width(state) + 3 : 0;
    if (end - x - w - states - 2 >= NAME_LEAST) {
        end -= w;
        canvas_text(c, end, r.y, w, host, STYLE(STYLE_DIM));
        canvas_zone(c, (struct rect){end, r.y, w, 1}, ACTION_EXPAND, WATCHED_HOST + 1);
        end -= 2;
    }
    cut_subject(m->snap, subject, end - x - states, cut);
    x += canvas_text(c, x, r.y, end - x, cut, STYLE(STYLE_TITLE));
    if (states)
        x += canvas_text(c, x, r.y, end - x, " · ", STYLE(STYLE_DIM));
    canvas_text(c, x, r.y, end - x, state, find_state_style(m->snap));
}

/* What the watched command wrote: the end of it, or further up when scrolled. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tui/view.h"

static bool available(const struct model *m)
{
    return m->snap && m->snap->target_kind == TARGET_COMMAND;
}

static size_t count_lines(const char *s, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += s[i] == '\n';
    return lines + (n && s[n - 1] != '\n');
}

/* Draws one line of raw bytes: control characters and colours of the program do not reach our
 * terminal. */
static void draw_line(struct canvas *c, int x, int y, int w, const char *s, size_t n)
{
    char line[4096];
    size_t out = 0;
    for (size_t i = 0; i < n && out < sizeof line - 9; i++) {
        if (s[i] == '\033' && i + 1 < n && s[i + 1] == '[') { /* CSI … final byte */
            for (i += 2; i < n && ((unsigned char)s[i] < 0x40 || (unsigned char)s[i] > 0x7e); i++)
                ;
        } else if (s[i] == '\t') {
            do
                line[out++] = ' ';
            while (out % 8);
        } else if (s[i] && s[i] != '\r') {
            line[out++] = s[i];
        }
    }
    line[out] = '\0';
    canvas_text(c, x, y, w, line, STYLE(STYLE_TEXT));
}

static void state_text(const struct command_state *k, char *out, size_t size)
{
    if (k->running)
        snprintf(out, size, "running, %.1f s", k->elapsed_s);
    else if (WIFSIGNALED(k->wait_status))
        snprintf(out, size, "ended by signal %d after %.1f s", WTERMSIG(k->wait_status),
                 k->elapsed_s);
    else
        snprintf(out, size, "exited with %d after %.1f s", WEXITSTATUS(k->wait_status),
                 k->elapsed_s);
}

static void draw(struct canvas *c, struct rect area, const struct model *m, struct view_state *st)
{
    char right[128] = "", state[64];
    const struct command_state *k = m->snap ? &m->snap->command : NULL;
    if (k) {
        struct value total = value_ok((double)k->output_total, UNIT_BYTES);
        char bytes[VALUE_TEXT_MAX];
        state_text(k, state, sizeof state);
        snprintf(right, sizeof right, "%s  %s", state, value_format(&total, c->ascii, bytes));
    }
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), m->snap ? m->snap->target : "output", right);
    struct rect in = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    st->page = in.h;
    if (!k || !k->output || k->output_len == 0) {
        canvas_text(c, in.x, in.y, in.w, "no output yet", STYLE(STYLE_DIM));
        return;
    }
    size_t lines = count_lines(k->output, k->output_len);
    int hidden = (int)lines - in.h;
    hidden = hidden < 0 ? 0 : hidden;
    st->rows = (int)lines;
    /* scroll counts lines up from the end, so that new output does not move what is being read by
     * much */
    st->scroll = st->scroll > hidden ? hidden : st->scroll < 0 ? 0 : st->scroll;
    int first = hidden - st->scroll, line = 0;
    const char *p = k->output, *end = p + k->output_len;
    while (p < end && line < first + in.h) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        const char *stop = nl ? nl : end;
        if (line >= first)
            draw_line(c, in.x, in.y + line - first, in.w, p, (size_t)(stop - p));
        p = stop + 1;
        line++;
    }
}

static enum view_result act(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    int page = st->page > 1 ? st->page - 1 : 1;
    switch (a) {
    case ACTION_UP:
        st->scroll++;
        return VIEW_HANDLED;
    case ACTION_DOWN:
        st->scroll--;
        return VIEW_HANDLED;
    case ACTION_PAGE_UP:
        st->scroll += page;
        return VIEW_HANDLED;
    case ACTION_PAGE_DOWN:
        st->scroll -= page;
        return VIEW_HANDLED;
    case ACTION_TOP:
        st->scroll = st->rows;
        return VIEW_HANDLED;
    case ACTION_BOTTOM:
        st->scroll = 0;
        return VIEW_HANDLED;
    default:
        return VIEW_IGNORED;
    }
}

const struct view_ops view_output = {
    .name = "output",
    .title = "output",
    .select = ACTION_VIEW_OUTPUT,
    .contexts = CONTEXT_OUTPUT,
    .available = available,
    .absent = "there is no output: start a command with  rooftop -- CMD",
    .draw = draw,
    .act = act,
};

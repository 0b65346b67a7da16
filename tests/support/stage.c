#include "support/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"
#include "tui/canvas/render.h"

void stage_feed(struct stage *s, const char *name, int tick)
{
    struct snapshot *snap = scene(name, tick);
    app_update(s->a, snap);
    snapshot_unref(snap);
    stage_look(s);
}

void stage_open(struct stage *s, const char *name, int cols, int rows, int ticks)
{
    memset(s, 0, sizeof *s);
    s->a = app_new(1, false, "rooftop-dark");
    canvas_init(&s->c);
    canvas_resize(&s->c, cols, rows);
    for (int t = 0; t < ticks; t++)
        stage_feed(s, name, t);
    stage_look(s);
}

void stage_close(struct stage *s)
{
    app_free(s->a);
    canvas_free(&s->c);
    snapshot_pool_drain();
}

const char *stage_look(struct stage *s)
{
    char *text = NULL;
    size_t len = 0;
    app_draw(s->a, &s->c);
    FILE *f = open_memstream(&text, &len);
    render_text(f, &s->c);
    fclose(f);
    snprintf(s->screen, sizeof s->screen, "%s", text);
    free(text);
    return s->screen;
}

void stage_key(struct stage *s, uint32_t key)
{
    s->asked = app_key(s->a, &(struct key_event){.key = key});
    stage_look(s);
}

void stage_type(struct stage *s, const char *text)
{
    while (*text)
        stage_key(s, text_next(&text));
}

void stage_click(struct stage *s, int x, int y, int button)
{
    struct key_event ev = {.key = KEY_MOUSE_, .x = x, .y = y, .button = button};
    s->asked = app_key(s->a, &ev);
    stage_look(s);
}

void stage_view(struct stage *s, const char *name)
{
    s->asked = app_perform(s->a, views[view_named(name)]->select, 0);
    stage_look(s);
}

void stage_command(struct stage *s, const char *line)
{
    stage_key(s, ':');
    stage_type(s, line);
    stage_key(s, KEY_ENTER_);
}

bool stage_sees(const struct stage *s, const char *text)
{
    return strstr(s->screen, text) != NULL;
}

const char *stage_row(struct stage *s, int y)
{
    size_t n = 0;
    for (int x = 0; y >= 0 && y < s->c.rows && x < s->c.cols && n < sizeof s->row - 5; x++) {
        uint32_t ch = s->c.cells[y * s->c.cols + x].ch;
        if (ch)
            n += text_encode(ch, s->row + n);
    }
    s->row[n] = '\0';
    return s->row;
}

bool stage_find(struct stage *s, const char *text, int *x, int *y)
{
    for (int row = 0; row < s->c.rows; row++) {
        const char *at = strstr(stage_row(s, row), text);
        if (!at)
            continue;
        *x = 0;
        for (const char *p = s->row; p < at;)
            *x += text_char_width(text_next(&p));
        *y = row;
        return true;
    }
    return false;
}

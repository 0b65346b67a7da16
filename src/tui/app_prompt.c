#include <stdio.h>
#include <string.h>

#include "tui/app_state.h"

void app_open_prompt(struct app *a, enum prompt p, const char *text)
{
    a->prompt = p;
    a->prompt_line.limit = p == PROMPT_WRITE || p == PROMPT_SAVE ? APP_TEXT_MAX : VIEW_TEXT_MAX;
    line_edit_set(&a->prompt_line, text);
    snprintf(a->prompt_before, sizeof a->prompt_before, "%s", text);
}

/* What is typed takes effect as it is typed. */
static void apply_prompt(struct app *a, const char *text)
{
    struct view_state *st = &a->state[a->view];
    if (a->prompt == PROMPT_FILTER)
        snprintf(st->filter, sizeof st->filter, "%.*s", VIEW_TEXT_MAX - 1, text);
    if (a->prompt == PROMPT_SEARCH) {
        snprintf(st->search, sizeof st->search, "%.*s", VIEW_TEXT_MAX - 1, text);
        st->find = 2;
    }
}

static unsigned finish_prompt(struct app *a)
{
    enum prompt p = a->prompt;
    a->prompt = PROMPT_NONE;
    if (p != PROMPT_WRITE && p != PROMPT_SAVE)
        return APP_REDRAW;
    if (!a->prompt_line.text[0])
        return APP_REDRAW;
    snprintf(a->path, sizeof a->path, "%s", a->prompt_line.text);
    return APP_REDRAW | (p == PROMPT_WRITE ? APP_WRITE : APP_SAVE_OUTPUT);
}

unsigned app_prompt_key(struct app *a, uint32_t key)
{
    switch (key) {
    case KEY_ENTER_:
    case '\n':
        return finish_prompt(a);
    case KEY_ESCAPE:
        apply_prompt(a, a->prompt_before);
        a->prompt = PROMPT_NONE;
        return APP_REDRAW;
    case 3: /* ^C leaves, whatever is open */
        return APP_QUIT;
    default:
        break;
    }
    enum line_edit_result r = line_edit_key(&a->prompt_line, key);
    if (r == LINE_EDIT_CHANGED)
        apply_prompt(a, a->prompt_line.text);
    return r == LINE_EDIT_IGNORED ? 0 : APP_REDRAW;
}

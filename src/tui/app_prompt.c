#include <stdio.h>
#include <string.h>

#include "tui/app_state.h"

void app_open_prompt(struct app *a, enum prompt p, const char *text)
{
    a->prompt = p;
    snprintf(a->prompt_text, sizeof a->prompt_text, "%s", text);
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

static void erase_last(char *text)
{
    size_t n = strlen(text);
    while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
        n--;
    if (n)
        n--;
    text[n] = '\0';
}

static unsigned finish_prompt(struct app *a)
{
    enum prompt p = a->prompt;
    a->prompt = PROMPT_NONE;
    if (p != PROMPT_WRITE && p != PROMPT_SAVE)
        return APP_REDRAW;
    if (!a->prompt_text[0])
        return APP_REDRAW;
    snprintf(a->path, sizeof a->path, "%s", a->prompt_text);
    return APP_REDRAW | (p == PROMPT_WRITE ? APP_WRITE : APP_SAVE_OUTPUT);
}

unsigned app_prompt_key(struct app *a, uint32_t key)
{
    size_t n = strlen(a->prompt_text);
    size_t room =
        a->prompt == PROMPT_WRITE || a->prompt == PROMPT_SAVE ? APP_TEXT_MAX : VIEW_TEXT_MAX;
    char utf8[4];
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
    case KEY_BACKSPACE_:
    case 8:
        erase_last(a->prompt_text);
        break;
    case 21: /* ^U */
        a->prompt_text[0] = '\0';
        break;
    default:
        if (key < 0x20 || key > 0x10ffff || (key >= 0x7f && key < 0xa0))
            return 0;
        size_t len = text_encode(key, utf8);
        if (n + len >= room)
            return 0;
        memcpy(a->prompt_text + n, utf8, len);
        a->prompt_text[n + len] = '\0';
    }
    apply_prompt(a, a->prompt_text);
    return APP_REDRAW;
}

#include <errno.h>
#include <stdio.h>

#include "tui/app/app_state.h"

void app_open_prompt(struct app *a, enum prompt p, const char *text)
{
    a->prompt = p;
    a->prompt_line.limit = p == PROMPT_SEARCH ? VIEW_TEXT_MAX : APP_TEXT_MAX;
    a->filter_error = (struct error){0};
    line_edit_set(&a->prompt_line, text);
    snprintf(a->prompt_before, sizeof a->prompt_before, "%s", text);
}

int app_set_filter(struct app *a, const char *text, struct error *err)
{
    struct view_state *st = &a->state[a->view];
    struct query *q = NULL;
    const struct list_field *fields = view_fields(views[a->view], st);
    if (!fields && *text)
        return error_set(err, ERROR_USAGE, EINVAL, "/ searches", "filter",
                         "this view has no rows to filter");
    int rc = *text ? query_compile(&q, text, fields, err) : 0;
    if (rc != 0)
        return rc;
    query_free(a->query[a->view]);
    a->query[a->view] = q;
    st->query = q;
    snprintf(st->filter, sizeof st->filter, "%s", text);
    return 0;
}

/* Applies the text at every key. */
static void apply_prompt(struct app *a, const char *text)
{
    struct view_state *st = &a->state[a->view];
    a->filter_error = (struct error){0};
    /* an incomplete query keeps the rows of the last complete one */
    if (a->prompt == PROMPT_FILTER)
        app_set_filter(a, text, &a->filter_error);
    if (a->prompt == PROMPT_SEARCH) {
        snprintf(st->search, sizeof st->search, "%.*s", VIEW_TEXT_MAX - 1, text);
        st->find = 2;
    }
}

static unsigned finish_view_prompt(struct app *a)
{
    struct error err = ERROR_INIT;
    char text[640];
    if (views[a->view]->typed(a->prompt_line.text, &a->model, &a->state[a->view], &err) < 0)
        app_message(a, true, error_format(&err, text, sizeof text));
    return APP_REDRAW;
}

static unsigned finish_prompt(struct app *a)
{
    enum prompt p = a->prompt;
    if (p == PROMPT_FILTER && a->filter_error.kind != ERROR_NONE)
        return APP_REDRAW; /* the prompt stays open and shows the error */
    a->prompt = PROMPT_NONE;
    if (p == PROMPT_VIEW)
        return finish_view_prompt(a);
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
    case 3: /* ^C quits, whatever is open */
        return app_quit(a);
    default:
        break;
    }
    enum line_edit_result r = line_edit_key(&a->prompt_line, key);
    if (r == LINE_EDIT_CHANGED)
        apply_prompt(a, a->prompt_line.text);
    return r == LINE_EDIT_IGNORED ? 0 : APP_REDRAW;
}

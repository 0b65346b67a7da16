#include "tui/app/app_benchmarks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/views/history/history.h"

void app_benchmarks_begin(struct app *a)
{
    a->benchmarks.shown.share = -1;
    a->model.benchmarks = &a->benchmarks.shown;
}

static void keep_benchmark_list(struct app_benchmarks *b, struct history_list *list)
{
    if (b->list)
        bench_history_list_free(b->list);
    free(b->list);
    b->shown.list = b->list = list;
}

static void keep_pair(struct app_benchmarks *b, struct history_pair *pair)
{
    if (b->pair)
        history_pair_free(b->pair);
    free(b->pair);
    b->shown.pair = b->pair = pair;
}

void app_benchmarks_free(struct app *a)
{
    history_loader_free(a->benchmarks.loader);
    keep_benchmark_list(&a->benchmarks, NULL);
    keep_pair(&a->benchmarks, NULL);
}

/* Takes over a list that was read, or says why there is none. */
static void show_benchmark_list(struct app *a, struct history_list *list, const char *note, int rc,
                                const struct error *err)
{
    struct app_benchmarks *b = &a->benchmarks;
    b->shown.failed[0] = '\0';
    if (list)
        keep_benchmark_list(b, list);
    else if (rc == -ECANCELED)
        snprintf(b->shown.failed, sizeof b->shown.failed, "Reading was given up: H reads it again");
    else
        error_format(err, b->shown.failed, sizeof b->shown.failed);
    if (b->shown.failed[0] || *note)
        app_message(a, b->shown.failed[0] != '\0', b->shown.failed[0] ? b->shown.failed : note);
    memset(b->asked, 0, sizeof b->asked); /* an imported point may have other samples now */
}

unsigned app_benchmarks_read(struct app *a)
{
    struct app_benchmarks *b = &a->benchmarks;
    b->shown.failed[0] = '\0';
    if (b->at_once) {
        struct error err = ERROR_INIT;
        char note[256];
        struct history_list *list = xcalloc(1, sizeof *list);
        int rc = history_loader_now(NULL, list, note, &err);
        if (rc != 0) {
            free(list);
            list = NULL;
        }
        show_benchmark_list(a, list, note, rc, &err);
        return APP_REDRAW;
    }
    if (!b->loader) {
        b->loader = history_loader_new(NULL);
        app_replay_watch(a, history_loader_fd(b->loader));
    }
    history_loader_start(b->loader);
    b->shown.share = 0;
    return APP_REDRAW;
}

static void show_benchmark_pair(struct app_benchmarks *b, struct history_pair *pair,
                                const struct error *err)
{
    b->shown.pair_failed[0] = '\0';
    keep_pair(b, pair);
    if (!pair)
        error_format(err, b->shown.pair_failed, sizeof b->shown.pair_failed);
}

unsigned app_benchmarks_poll(struct app *a)
{
    struct app_benchmarks *b = &a->benchmarks;
    struct history_list *list;
    struct history_pair *pair;
    struct error err = ERROR_INIT;
    char note[256];
    int rc;
    if (!b->loader)
        return 0;
    double before = b->shown.share;
    bool got = history_loader_take(b->loader, &list, note, &rc, &err);
    b->shown.share = history_loader_share(b->loader);
    if (got)
        show_benchmark_list(a, list, note, rc, &err);
    if (history_loader_take_pair(b->loader, &pair, &rc, &err)) {
        show_benchmark_pair(b, pair, &err);
        got = true;
    }
    return got || before != b->shown.share ? APP_REDRAW : 0;
}

void app_benchmarks_refresh(struct app *a)
{
    const struct benchmarks_shown *s = &a->benchmarks.shown;
    if (!s->list && s->share < 0 && !s->failed[0])
        app_benchmarks_read(a);
}

/* On this thread. */
static void read_pair_now(struct app_benchmarks *b, const int64_t id[2])
{
    struct error err = ERROR_INIT;
    struct bench_history *h = NULL;
    char note[256];
    struct history_pair *pair = xcalloc(1, sizeof *pair);
    int rc = bench_history_open(&h, NULL, true, note, sizeof note, &err);
    rc = rc ? rc : history_pair_read(h, id, pair, &err);
    bench_history_close(h);
    if (rc != 0) {
        history_pair_free(pair);
        free(pair);
        pair = NULL;
    }
    show_benchmark_pair(b, pair, &err);
}

bool app_benchmarks_follow(struct app *a)
{
    struct app_benchmarks *b = &a->benchmarks;
    const int64_t *wish = history_wish(&a->state[a->view]);
    if (!b->list || !wish[1] || memcmp(wish, b->asked, sizeof b->asked) == 0)
        return false;
    if (b->at_once)
        read_pair_now(b, wish);
    else if (!b->loader || history_loader_reads_pair(b->loader))
        return false; /* one after the other: the next picture asks again */
    else
        history_loader_ask_pair(b->loader, wish);
    memcpy(b->asked, wish, sizeof b->asked);
    return b->at_once;
}

unsigned app_benchmarks_back(struct app *a)
{
    struct app_benchmarks *b = &a->benchmarks;
    if (!(views[a->view]->contexts & CONTEXT_HISTORY) || !b->loader || b->shown.share < 0)
        return 0;
    history_loader_give_up(b->loader);
    return APP_REDRAW;
}

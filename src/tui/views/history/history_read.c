#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/views/history/history.h"

void history_begin(void *own)
{
    ((struct history_state *)own)->share = -1;
}

static void keep_benchmark_list(struct history_state *own, struct history_list *list)
{
    if (own->list)
        bench_history_list_free(own->list);
    free(own->list);
    own->list = list;
}

static void keep_pair(struct history_state *own, struct history_pair *pair)
{
    if (own->pair)
        history_pair_free(own->pair);
    free(own->pair);
    own->pair = pair;
}

void history_end(void *state)
{
    struct history_state *own = state;
    history_loader_free(own->loader);
    keep_benchmark_list(own, NULL);
    keep_pair(own, NULL);
}

/* Takes over a list that was read, or says why there is none. */
static void show_benchmark_list(struct view_state *st, struct history_list *list, const char *note,
                                int rc, const struct error *err)
{
    struct history_state *own = st->own;
    own->failed[0] = '\0';
    if (list)
        keep_benchmark_list(own, list);
    else if (rc == -ECANCELED)
        snprintf(own->failed, sizeof own->failed, "Reading was given up: H reads it again");
    else
        error_format(err, own->failed, sizeof own->failed);
    if (own->failed[0] || *note)
        st->host->say(st->host->app, own->failed[0] != '\0', own->failed[0] ? own->failed : note);
    memset(own->asked, 0, sizeof own->asked); /* an imported point may have other samples now */
}

void history_read(struct view_state *st)
{
    struct history_state *own = st->own;
    own->failed[0] = '\0';
    if (st->host->at_once) {
        struct error err = ERROR_INIT;
        char note[256];
        struct history_list *list = xcalloc(1, sizeof *list);
        int rc = history_loader_now(NULL, list, note, &err);
        if (rc != 0) {
            free(list);
            list = NULL;
        }
        show_benchmark_list(st, list, note, rc, &err);
        return;
    }
    if (!own->loader)
        own->loader = history_loader_new(NULL);
    history_loader_start(own->loader);
    own->share = 0;
}

static void show_benchmark_pair(struct history_state *own, struct history_pair *pair,
                                const struct error *err)
{
    own->pair_failed[0] = '\0';
    keep_pair(own, pair);
    if (!pair)
        error_format(err, own->pair_failed, sizeof own->pair_failed);
}

int history_fd(const void *own)
{
    const struct history_loader *l = ((const struct history_state *)own)->loader;
    return l ? history_loader_fd(l) : -1;
}

bool history_poll(struct view_state *st)
{
    struct history_state *own = st->own;
    struct history_list *list;
    struct history_pair *pair;
    struct error err = ERROR_INIT;
    char note[256];
    int rc;
    if (!own->loader)
        return false;
    double before = own->share;
    bool got = history_loader_take(own->loader, &list, note, &rc, &err);
    own->share = history_loader_share(own->loader);
    if (got)
        show_benchmark_list(st, list, note, rc, &err);
    if (history_loader_take_pair(own->loader, &pair, &rc, &err)) {
        show_benchmark_pair(own, pair, &err);
        got = true;
    }
    return got || before != own->share;
}

/* Reads on the calling thread the points that the view needs. */
static void read_pair_now(struct history_state *own)
{
    struct error err = ERROR_INIT;
    struct bench_history *h = NULL;
    char note[256];
    struct history_pair *pair = xcalloc(1, sizeof *pair);
    int rc = bench_history_reopen(&h, NULL, note, sizeof note, &err);
    if (rc == 0)
        rc = history_pair_read(h, own->wish, pair, &err);
    bench_history_close(h);
    if (rc != 0) {
        history_pair_free(pair);
        free(pair);
        pair = NULL;
    }
    show_benchmark_pair(own, pair, &err);
}

/* Reads what the shown view needs: all series, then the points that it compares. */
bool history_follow(const struct model *m, struct view_state *st, bool shown)
{
    struct history_state *own = st->own;
    (void)m;
    if (!shown)
        return false;
    if (!own->list && own->share < 0 && !own->failed[0]) {
        history_read(st);
        return true;
    }
    if (!own->list || !own->wish[1] || memcmp(own->wish, own->asked, sizeof own->asked) == 0)
        return false;
    if (st->host->at_once)
        read_pair_now(own);
    else if (!own->loader || history_loader_reads_pair(own->loader))
        return false; /* one after the other: the next picture asks again */
    else
        history_loader_ask_pair(own->loader, own->wish);
    memcpy(own->asked, own->wish, sizeof own->asked);
    return st->host->at_once;
}

/* Lists the captures in folders. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/capture/capture_impl.h"

enum { DEPTH = 2, ITEMS_MAX = 4096, ENTRIES_MAX = 1 << 16 };

struct capture_search {
    struct capture_list *list;
    size_t entries;
};

/* The time of a capture as text that sorts by time: from its document, else the modification time
 * of its folder. */
static void format_capture_time(const struct capture_item *item, char out[40])
{
    struct stat st;
    struct tm tm;
    *out = '\0';
    if (item->head && *item->head->time)
        snprintf(out, 40, "%s", item->head->time);
    else if (stat(item->path, &st) == 0 && gmtime_r(&st.st_mtime, &tm))
        strftime(out, 40, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static int newest_first(const void *a, const void *b)
{
    char x[40], y[40];
    format_capture_time(a, x);
    format_capture_time(b, y);
    int order = strcmp(y, x);
    return order ? order
                 : strcmp(((const struct capture_item *)a)->path,
                          ((const struct capture_item *)b)->path);
}

static void add_found_capture(struct capture_search *s, const char *path)
{
    struct capture_list *l = s->list;
    struct error err = ERROR_INIT;
    char text[800];
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->items[i].path, path) == 0)
            return;
    if (l->n == ITEMS_MAX)
        return;
    l->items = xrealloc(l->items, l->n + 1, sizeof *l->items);
    struct capture_item *item = &l->items[l->n++];
    *item = (struct capture_item){.path = xstrdup(path)};
    if (capture_open_head(&item->head, path, &err) != 0) {
        snprintf(text, sizeof text, "%s", err.why);
        item->why = xstrdup(text);
    }
}

static int look_into_folder(struct capture_search *s, const char *folder, int depth,
                            struct error *err)
{
    char sub[4400];
    if (capture_folder_is(folder)) {
        add_found_capture(s, folder);
        return 0;
    }
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT || depth > 0
                   ? 0
                   : error_set(err, ERROR_INPUT, errno, NULL, folder, "%s", strerror(errno));
    for (struct dirent *e; (e = readdir(dir)) && s->entries < ENTRIES_MAX;) {
        s->entries++;
        snprintf(sub, sizeof sub, "%.4096s/%s", folder, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        if (capture_folder_is(sub))
            add_found_capture(s, sub);
        else if (depth + 1 < DEPTH && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
            look_into_folder(s, sub, depth + 1, err);
    }
    closedir(dir);
    return 0;
}

int capture_list_read(struct capture_list *out, const char *const *folders, size_t nfolders,
                      struct error *err)
{
    struct capture_search s = {.list = out};
    int rc = 0;
    *out = (struct capture_list){.n = 0};
    for (size_t i = 0; rc == 0 && i < nfolders; i++)
        rc = look_into_folder(&s, folders[i], 0, err);
    if (rc)
        capture_list_free(out);
    else if (out->n)
        qsort(out->items, out->n, sizeof *out->items, newest_first);
    return rc;
}

void capture_list_free(struct capture_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].path);
        free(l->items[i].why);
        capture_free(l->items[i].head);
    }
    free(l->items);
    *l = (struct capture_list){.n = 0};
}

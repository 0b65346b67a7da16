#include "engine/replay/replay_list.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/owner.h"

#define HERE "rooftop_captures"

/* --- reading --- */

static bool add_folder(const char **folders, size_t *n, const char *folder)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(folders[i], folder) == 0)
            return false;
    if (*n < REPLAY_FOLDERS_MAX)
        folders[(*n)++] = folder;
    return true;
}

/* The folder's absolute path, so that it is the same folder next time; unchanged if it does not
 * exist. */
static const char *absolute_folder_of(struct arena *arena, const char *folder)
{
    char *real = realpath(folder, NULL);
    const char *out = arena_strdup(arena, real ? real : folder);
    free(real);
    return out;
}

/* Whether the default folder in the working directory may be read. The user did not name it, the
 * directory may be /tmp, and a capture contains code that is run. Returns false, with a note, if
 * another user could have put it there. */
static bool here_is_ours(char *note, size_t size)
{
    struct stat state;
    const char *why = stat(HERE, &state) == 0 ? owner_refuses(&state, geteuid()) : NULL;
    if (why)
        snprintf(note, size, HERE " here is left out: %s; --captures " HERE " shows it", why);
    return !why;
}

static size_t collect_folders(const struct replay_list_request *r, struct replay_store *h,
                              struct arena *arena, const char **folders, char *note, size_t size)
{
    const char *remembered[REPLAY_FOLDERS_MAX];
    size_t n = 0, known = replay_store_folders(h, arena, remembered, REPLAY_FOLDERS_MAX);
    for (size_t i = 0; i < r->nfolders; i++)
        add_folder(folders, &n, absolute_folder_of(arena, r->folders[i]));
    if (here_is_ours(note, size))
        add_folder(folders, &n, absolute_folder_of(arena, HERE));
    for (size_t i = 0; i < known; i++)
        add_folder(folders, &n, remembered[i]);
    return n;
}

static bool is_captured_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Stores the folders in which captures were found, so that the next list has them from any
 * directory. */
static void remember_folders(const struct replay_list *l, const char **folders, size_t n,
                             struct replay_store *h)
{
    for (size_t i = n; i > 0; i--) {
        for (size_t k = 0; k < l->n; k++)
            if (is_captured_below(l->rows[k].path, folders[i - 1])) {
                replay_store_remember(h, folders[i - 1], env_wall_ns() + n - i, NULL);
                break;
            }
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void fill_row(struct replay_list *l, struct replay_row *row, const struct capture_item *item,
                     struct replay_store *h)
{
    row->capture = item->head;
    row->path = item->path;
    if (!item->head) {
        row->name = base_name(item->path);
        row->can = REPLAY_CANNOT;
        snprintf(row->why, sizeof row->why, "%s", item->why ? item->why : "it cannot be opened");
        return;
    }
    const struct capture *c = item->head;
    row->name = c->demangled_name[0] ? c->demangled_name : c->mangled_name;
    row->can = replay_host_can(&l->host, c, row->why);
    replay_key_of(&row->key, c);
    replay_store_results(h, &row->key, REPLAY_PASTS_SHOWN, &row->past, NULL);
}

/* The newest row of what was opened: remembered folders may have newer ones. */
static size_t find_first(const struct replay_list *l, const char *opened)
{
    for (size_t i = 0; opened && i < l->n; i++)
        if (is_captured_below(l->rows[i].path, opened))
            return i;
    return 0;
}

static void name_folders(struct replay_list *l, const char **folders, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof l->folders; i++)
        used += (size_t)snprintf(l->folders + used, sizeof l->folders - used, "%s%s", i ? ", " : "",
                                 folders[i]);
}

int replay_list_read(struct replay_list *out, const struct replay_list_request *r,
                     struct error *err)
{
    struct arena arena = {0};
    struct replay_store *h;
    struct error failed = ERROR_INIT;
    const char *folders[REPLAY_FOLDERS_MAX];
    *out = (struct replay_list){0};
    if (replay_store_open(&h, r->state_dir, r->readonly, out->note, sizeof out->note, &failed) !=
        0) /* without a history, captures are listed all the same */
        error_format(&failed, out->note, sizeof out->note);
    size_t n = collect_folders(r, h, &arena, folders, out->note, sizeof out->note);
    int rc = capture_list_read(&out->captures, folders, n, err);
    if (rc == 0) {
        if (r->host)
            out->host = *r->host;
        else if (r->ask && out->captures.n)
            r->ask(&out->host);
        name_folders(out, folders, n);
        out->rows = xcalloc(out->captures.n + 1, sizeof *out->rows);
        for (size_t i = 0; i < out->captures.n; i++)
            fill_row(out, &out->rows[out->n++], &out->captures.items[i], h);
        out->first = find_first(out, r->opened ? absolute_folder_of(&arena, r->opened) : NULL);
        if (!r->readonly)
            remember_folders(out, folders, n, h);
    }
    replay_store_close(h);
    arena_free(&arena);
    return rc;
}

void replay_list_free(struct replay_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        replay_pasts_free(&l->rows[i].past);
    free(l->rows);
    capture_list_free(&l->captures);
    *l = (struct replay_list){0};
}

/* --- texts --- */

const char *replay_shape_text(const struct capture *c, char out[LAUNCH_TEXT])
{
    uint32_t blocks[3];
    return value_launch_sizes(value_blocks(c->grid, c->block, blocks), c->block, out);
}

const char *replay_date_text(const struct capture *c, char *out, size_t size)
{
    snprintf(out, size, "%.16s", c->time);
    if (strlen(out) == 16 && out[10] == 'T')
        out[10] = ' ';
    return out;
}

/* --- fields --- */

static const char *const can_words[] = {"yes", "no", "unknown"};

static const char *agent_name_of_capture(const struct capture *c)
{
    if (!c)
        return "";
    return c->agent_name[0] ? c->agent_name : c->isa_name;
}

static const char *full_isa_of(const struct capture *c)
{
    if (!c)
        return "";
    return c->isa_name[0] ? c->isa_name : c->agent_name;
}

static struct value bytes_of_replay_row(const struct replay_row *r)
{
    return r->capture ? value_ok((double)r->capture->bytes, UNIT_BYTES)
                      : value_missing(r->why, UNIT_BYTES);
}

static struct value gpu_time_of(const struct replay_row *r)
{
    const struct capture *c = r->capture;
    if (c && c->gpu_ns)
        return value_ok((double)c->gpu_ns / 1e9, UNIT_SECONDS);
    return value_missing(c ? "the capture does not tell it" : r->why, UNIT_SECONDS);
}

/* The list is in the order of dates, the newest first. */
static int compare_row_places(const void *a, const void *b)
{
    return (a > b) - (a < b);
}

#define LIST_ROW   struct replay_row
#define LIST_FILE  "engine/replay/replay_fields.def"
#define LIST_TABLE replay_fields
#include "engine/value/list_field_table.h"

static const void *listed_capture(const void *list, size_t i, void *made)
{
    (void)made;
    return &((const struct replay_list *)list)->rows[i];
}

const struct list_rows replay_rows = {replay_fields, .row = listed_capture};

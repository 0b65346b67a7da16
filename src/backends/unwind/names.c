#include "backends/unwind/names.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/unwind/unwind_impl.h"
#include "base/hash.h"
#include "base/list.h"
#include "symbols/symbols.h"

/* --- files --- */

static void find_recorded_file(struct frame_names *n, const struct map_file *mf,
                               struct file_state *f)
{
    char path[PATH_MAX + 128];
    for (size_t i = 0; !f->open && locate_recorded(mf, i, path, sizeof path); i++) {
        const void *id = NULL;
        struct symbol_file *file = symbols_file(n->symbols, path, NULL);
        const size_t size = file ? symbol_file_build_id(file, &id) : 0;
        if (!file || !locate_is_recorded(mf, path, id, size))
            continue;
        f->path = xstrdup(path);
        f->open = file;
    }
}

static struct file_state *find_file_state(struct frame_names *n, pid_t pid,
                                          const struct process_map *map)
{
    char path[PATH_MAX + 64];
    if (map->file >= n->nfiles) {
        size_t cap = map->file + 64;
        n->files = xrealloc(n->files, cap, sizeof *n->files);
        memset(n->files + n->nfiles, 0, (cap - n->nfiles) * sizeof *n->files);
        n->nfiles = cap;
    }
    struct file_state *f = &n->files[map->file];
    if (f->tried || map->file == 0)
        return f;
    f->tried = true;
    if (n->shared.recorded) {
        find_recorded_file(n, maps_file(n->shared.maps, map->file), f);
        return f;
    }
    if (!locate_file(maps_file(n->shared.maps, map->file), pid, map, path, sizeof path))
        return f;
    f->path = xstrdup(path);
    f->open = symbols_file(n->symbols, path, NULL);
    return f;
}

bool names_file_address(struct frame_names *n, pid_t pid, const struct process_map *map,
                        uint64_t address, uint32_t *file, uint64_t *file_address)
{
    struct file_state *f = find_file_state(n, pid, map);
    *file = map->file;
    return f->open &&
           symbol_file_address(f->open, address - map->start + map->offset, file_address);
}

const char *names_file_path(struct frame_names *n, uint32_t file)
{
    return file < n->nfiles ? n->files[file].path : NULL;
}

static void forget_files(struct frame_names *n)
{
    for (size_t i = 0; i < n->nfiles; i++) {
        free(n->files[i].path);
        eh_index_free(n->files[i].index);
    }
    free(n->files);
    n->files = NULL;
    n->nfiles = 0;
    n->index_bytes = 0;
}

/* --- interning --- */

static const char *choose_text(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

static struct hot_symbol make_hot_symbol(const struct name_found *f,
                                         const struct symbol_frame *frame, char number[32])
{
    struct hot_symbol s = f->common;
    s.path = choose_text(s.path, "");
    if (!frame) {
        snprintf(number, 32, "0x%" PRIx64, f->size ? f->start : f->address);
        s.name = number;
        s.file = "";
        s.address = f->size ? f->start : 0;
        s.size = f->size;
        return s;
    }
    s.name = choose_text(frame->name, "?");
    s.file = choose_text(frame->decl_file, "");
    s.line = frame->decl_line;
    s.address = frame->inlined ? 0 : frame->address;
    s.size = frame->inlined ? 0 : frame->size;
    s.inlined = frame->inlined;
    return s;
}

static void keep_found(struct frame_names *n, struct name_kept *k, const struct name_found *f)
{
    size_t count = f->n ? f->n : 1;
    char number[32];
    if (n->nlevels + count > n->cap_levels) {
        n->cap_levels = n->cap_levels ? n->cap_levels * 2 : 1024;
        n->levels = xrealloc(n->levels, n->cap_levels, sizeof *n->levels);
    }
    if (k->n < count) { /* a renewed answer keeps its space if it fits */
        k->first = (uint32_t)n->nlevels;
        n->nlevels += count;
    }
    k->n = (uint32_t)count;
    k->until_ns = f->until_ns;
    pthread_mutex_lock(n->shared.lock);
    for (size_t i = 0; i < count; i++) {
        const struct symbol_frame *frame = f->n ? &f->frames[i] : NULL;
        struct hot_symbol s = make_hot_symbol(f, frame, number);
        n->levels[k->first + i] = (struct names_level){
            .symbol = symtab_add(n->shared.table, &s),
            .line = frame ? frame->line : 0,
            .file = symtab_string(n->shared.table, frame ? choose_text(frame->file, "") : "")};
    }
    pthread_mutex_unlock(n->shared.lock);
}

/* --- the table of answers --- */

static struct name_kept *kept_for(struct frame_names *n, uint32_t place, pid_t pid,
                                  uint64_t address)
{
    uint64_t hash = hash_number((uint64_t)place << 32 | (uint32_t)pid, address);
    HASH_EACH (&n->by_address, hash, i) {
        struct name_kept *k = &n->kept[i];
        if (k->address == address && k->place == place && k->pid == pid)
            return k;
    }
    hash_table_add(&n->by_address, hash, n->nkept);
    LIST_ROOM(n->kept, n->nkept, n->cap);
    n->kept[n->nkept] = (struct name_kept){.address = address, .place = place, .pid = pid};
    return &n->kept[n->nkept++];
}

/* --- resolving --- */

static bool find_user(struct frame_names *n, const struct names_query *q, struct name_wanted *w)
{
    const struct process_map *map =
        maps_find(n->shared.maps, q->pid, w->address, !q->caller, q->now_ns);
    *w = (struct name_wanted){.place = PLACE_JIT,
                              .pid = q->pid,
                              .address = w->address,
                              .map = map,
                              .module = map ? "[anon]" : "[unknown]"};
    if (!map)
        return !q->caller;
    if (map->kind == MAP_VDSO) {
        w->place = PLACE_VDSO;
        w->pid = 0;
        w->address -= map->start;
    } else if (map->kind == MAP_FILE && map->file) {
        uint64_t address = w->address - map->start + map->offset;
        struct file_state *f = find_file_state(n, q->pid, map);
        if (f->open)
            symbol_file_address(f->open, address, &address);
        w->place = PLACE_FILE + map->file;
        /* a file that cannot be opened may be run-time code, different in each process */
        w->pid = f->open ? 0 : q->pid;
        w->address = address;
    }
    return true;
}

bool names_resolve(struct frame_names *n, const struct names_query *q, struct names_answer *out)
{
    struct name_wanted w = {.place = PLACE_KERNEL, .address = q->address - q->caller};
    if (q->space == SPACE_HYPERVISOR || q->space == SPACE_GUEST)
        w.pid = -(pid_t)q->space; /* distinguishes it from the same address in the kernel */
    else if (q->space == SPACE_USER && !find_user(n, q, &w))
        return false;
    struct name_kept *k = kept_for(n, w.place, w.pid, w.address);
    if (k->n == 0 || q->now_ns > k->until_ns) {
        struct name_found f;
        names_ask(n, q, &w, &f);
        keep_found(n, k, &f);
    }
    *out = (struct names_answer){.levels = n->levels + k->first,
                                 .n = k->n,
                                 .address = w.address + q->caller,
                                 .until_ns = k->until_ns};
    return true;
}

/* --- making and freeing --- */

static struct symbols *new_symbols(const struct frame_names *n)
{
    struct symbols *s = symbols_new(SYMBOLS_BYTES_MAX);
    if (n->shared.recorded)
        symbols_ended(s);
    return s;
}

struct frame_names *names_new(const struct names_shared *shared)
{
    struct frame_names *n = xcalloc(1, sizeof *n);
    n->shared = *shared;
    n->symbols = new_symbols(n);
    return n;
}

static void drop_names(struct frame_names *n)
{
    free(n->kept);
    hash_table_free(&n->by_address);
    free(n->levels);
    forget_files(n);
}

void names_reset(struct frame_names *n)
{
    drop_names(n);
    n->kept = NULL;
    n->levels = NULL;
    n->nkept = n->cap = n->nlevels = n->cap_levels = 0;
    symbols_free(n->symbols); /* its names are most of the memory to free */
    n->symbols = new_symbols(n);
}

void names_free(struct frame_names *n)
{
    if (!n)
        return;
    drop_names(n);
    symbols_free(n->symbols);
    free(n);
}

size_t names_memory(const struct frame_names *n)
{
    const size_t path = 128; /* of a file, on average */
    return n->cap * sizeof *n->kept + hash_table_memory(&n->by_address) +
           n->cap_levels * sizeof *n->levels + n->nfiles * (sizeof *n->files + path) +
           n->index_bytes + symbols_memory(n->symbols);
}

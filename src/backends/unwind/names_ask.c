/* Finds the functions at an address of any kind. */
#include <stdio.h>

#include "backends/unwind/unwind_impl.h"

static const uint64_t retry_unknown_ns = 10000000000u, retry_jit_ns = 1000000000u;

static void set_unknown_name(struct name_found *f, const struct names_query *q, const char *module)
{
    f->n = 0;
    f->common.where = HOT_UNKNOWN;
    f->common.module = module;
    f->until_ns = q->now_ns + retry_unknown_ns;
}

/* Whether samples were recorded on another machine; kernel: or under another kernel. */
static bool is_from_elsewhere(const struct frame_names *n, bool kernel)
{
    const struct names_origin *o = n->shared.recorded;
    if (!o)
        return false;
    return kernel ? !o->same_kernel : !o->same_host;
}

static void ask_kernel(struct frame_names *n, const struct names_query *q, uint64_t address,
                       struct name_found *f)
{
    const char *module = NULL;
    if (is_from_elsewhere(n, true) ||
        !symbols_kernel(n->symbols, address, &f->frames[0], &module)) {
        set_unknown_name(f, q, "[kernel]");
        return;
    }
    f->n = 1;
    f->common.where = HOT_KERNEL;
    f->common.module = module && *module ? module : "[kernel]";
}

static void ask_jit(struct frame_names *n, const struct names_query *q, uint64_t address,
                    const char *module, struct name_found *f)
{
    if (is_from_elsewhere(n, false) || !symbols_jit(n->symbols, q->pid, address, &f->frames[0])) {
        set_unknown_name(f, q, module);
        f->until_ns = q->now_ns + retry_jit_ns;
        return;
    }
    f->n = 1;
    f->common.where = HOT_JIT;
    f->common.module = "[jit]";
    f->until_ns = q->now_ns + retry_jit_ns;
}

static void ask_vdso(struct frame_names *n, const struct names_query *q, uint64_t address,
                     struct name_found *f)
{
    struct symbol_file *vdso = is_from_elsewhere(n, true) ? NULL : symbols_vdso(n->symbols);
    f->common.where = HOT_VDSO;
    f->common.module = "[vdso]";
    f->n = vdso ? symbol_file_resolve(vdso, address, f->frames, INLINES_MAX) : 0;
    if (f->n == 0)
        set_unknown_name(f, q, "[vdso]");
}

/* Looks up the start and end of a function without a name. */
static void ask_index(struct frame_names *n, struct file_state *fs, uint64_t address,
                      struct name_found *f)
{
    if (!fs->index_tried && fs->path && n->index_bytes < INDEX_BYTES_MAX) {
        fs->index = eh_index_open(fs->path);
        n->index_bytes += eh_index_bytes(fs->index);
    }
    fs->index_tried = true;
    if (!fs->index || !eh_index_find(fs->index, address, &f->start, &f->size))
        f->size = 0;
}

static void ask_file(struct frame_names *n, const struct names_query *q,
                     const struct process_map *map, uint64_t address, struct name_found *f)
{
    const struct map_file *mf = maps_file(n->shared.maps, map->file);
    struct file_state *fs = &n->files[map->file];
    snprintf(f->module, sizeof f->module, "%s", locate_short_name(mf));
    if (fs->open)
        f->n = symbol_file_resolve(fs->open, address, f->frames, INLINES_MAX);
    /* some run-time compilers map their code in this way */
    if (f->n == 0 && (mf->memfd || !fs->open)) {
        ask_jit(n, q, q->address - q->caller, f->module, f);
        if (f->n)
            return;
    }
    f->common.path = fs->path ? fs->path : "";
    f->common.module = f->module;
    f->common.where = HOT_USER;
    if (f->n)
        return;
    set_unknown_name(f, q, f->module);
    ask_index(n, fs, address, f);
    if (fs->open)
        f->until_ns = UINT64_MAX; /* a file will not get symbols later */
}

void names_ask(struct frame_names *n, const struct names_query *q, const struct name_wanted *w,
               struct name_found *f)
{
    f->n = 0;
    f->common = (struct hot_symbol){.path = "", .file = ""};
    f->address = w->address + q->caller;
    f->size = 0;
    f->until_ns = UINT64_MAX;
    if (q->space == SPACE_HYPERVISOR || q->space == SPACE_GUEST)
        set_unknown_name(f, q, q->space == SPACE_GUEST ? "[guest]" : "[hypervisor]");
    else if (w->place == PLACE_KERNEL)
        ask_kernel(n, q, w->address, f);
    else if (w->place == PLACE_VDSO)
        ask_vdso(n, q, w->address, f);
    else if (w->place >= PLACE_FILE)
        ask_file(n, q, w->map, w->address, f);
    else
        ask_jit(n, q, w->address, w->module, f);
}

/* The summary of captured dispatches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/summary/summary_impl.h"

enum { CAPTURES_SHOWN = 12 };

/* "(8, 342)": without trailing ones. */
static const char *extent_text(struct summary *s, const uint32_t v[3])
{
    int n = 3;
    while (n > 1 && v[n - 1] <= 1)
        n--;
    const char *all = arena_printf(&s->memory, "(%" PRIu32, v[0]);
    for (int i = 1; i < n; i++)
        all = arena_printf(&s->memory, "%s, %" PRIu32, all, v[i]);
    return arena_printf(&s->memory, "%s)", all);
}

static const char *captured_kernel_name(const struct capture *c)
{
    return *c->demangled_name ? c->demangled_name : c->mangled_name;
}

static const char *device_of(const struct capture *c)
{
    return *c->product_name ? c->product_name : c->agent_name;
}

/* --- what can be done with it --- */

static size_t count_unread(const struct capture *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nregions; i++)
        n += c->regions[i].before.file == NULL;
    for (size_t i = 0; i < c->nvariables; i++)
        n += c->variables[i].blob.file == NULL;
    return n;
}

static void add_capture_verdict(struct summary *s, const struct subject *of,
                                const struct capture *c)
{
    static const char how[] =
        "A replay needs the code object, the arguments and all memory of before the kernel; the "
        "memory of after it, to say whether the result is the same. Whether this machine has a GPU "
        "that can run it is asked by the view of captures and by gpu replay.";
    const size_t unread = count_unread(c);
    const char *gpu = *c->isa_name ? c->isa_name : c->agent_name;
    if (of->broken)
        summary_verdict(s, "replay", how, "cannot be replayed: %s", of->code_why);
    else if (unread)
        summary_verdict(s, "replay", how,
                        "incomplete: %s could not be read (rule: a replay needs all of them)",
                        summary_count(s, unread, "piece of memory", "pieces of memory"));
    else
        summary_verdict(s, "replay", how, "complete: a %s can replay it%s", gpu,
                        c->has_after ? " and compare the result"
                                     : ", but not compare the result: the memory of after the "
                                       "kernel was not captured");
}

static void add_shape(struct summary *s, const struct capture *c)
{
    const uint64_t groups =
        (uint64_t)(c->block[0] ? (c->grid[0] + c->block[0] - 1) / c->block[0] : 0) *
        (c->block[1] ? (c->grid[1] + c->block[1] - 1) / c->block[1] : 0) *
        (c->block[2] ? (c->grid[2] + c->block[2] - 1) / c->block[2] : 0);
    summary_say(s, "grid", "replay", "As the dispatch packet has it.",
                "%s work-items in groups of %s: %s", extent_text(s, c->grid),
                extent_text(s, c->block), summary_count(s, groups, "group", "groups"));
}

static void add_memory_of_capture(struct summary *s, const struct capture *c, bool ascii)
{
    size_t same = 0, changed = 0;
    for (size_t i = 0; i < c->nregions; i++) {
        same += c->regions[i].after_same;
        changed += c->regions[i].after.file != NULL;
    }
    summary_say(s, "memory", "replay", "The device memory that was stored, by its documents.",
                "%s in %s; arguments %s", summary_value(s, (double)c->bytes, UNIT_BYTES, ascii),
                summary_count(s, c->nregions, "region", "regions"),
                summary_value(s, (double)c->kernarg_size, UNIT_BYTES, ascii));
    if (same + changed)
        summary_say(s, "", "replay", "Memory of before and after the kernel, compared.",
                    "the kernel changed %s and left %zu as they were",
                    summary_count(s, changed, "region", "regions"), same);
}

static void add_capture_origin(struct summary *s, const struct capture *c, bool ascii)
{
    if (c->gpu_ns)
        summary_say(s, "time", "replay", "Of this dispatch, when it was captured.", "%s on the GPU",
                    summary_time(s, (double)c->gpu_ns, ascii));
    if (*c->command)
        summary_say(s, "command", NULL, "The program that launched it.", "%s", c->command);
    for (size_t i = 0; i < c->nnotes; i++)
        summary_say(s, i == 0 ? "remarks" : "", NULL, "Unusual, but harmless.", "%s", c->notes[i]);
}

static void add_one_capture(struct summary *s, const struct subject *of, const struct capture *c,
                            bool ascii)
{
    const struct code_kernel *k = of->code ? code_object_kernel(of->code, c->mangled_name) : NULL;
    const uint32_t block = c->block[0] * c->block[1] * c->block[2];
    summary_head(s, "captured dispatch");
    summary_head(s, device_of(c));
    summary_head(s, c->host);
    summary_head(s, c->time);
    add_capture_verdict(s, of, c);
    summary_say(s, "kernel", "replay", "The name, demangled.", "%s", captured_kernel_name(c));
    add_shape(s, c);
    if (k)
        summary_say(s, "uses", "replay", "From the captured code object and the workgroup's size.",
                    "%s", summary_kernel_use(s, of->code, k, block, ascii));
    else if (of->code_why)
        summary_say(s, "uses", "replay", "The captured code object could not be read.", "n/a: %s",
                    of->code_why);
    add_memory_of_capture(s, c, ascii);
    add_capture_origin(s, c, ascii);
}

/* --- a folder with several --- */

static void add_capture_row(struct summary *s, const struct capture_item *item, bool first,
                            bool ascii)
{
    static const char how[] = "The documents of each capture, newest first.";
    const struct capture *c = item->head;
    const char *slash = strrchr(item->path, '/');
    const char *name = slash ? slash + 1 : item->path;
    if (!c)
        summary_say(s, first ? "captures" : "", "replay", how, "%s: %s", name, item->why);
    else
        summary_say(s, first ? "captures" : "", "replay", how, "%s: grid %s in groups of %s, %s",
                    captured_kernel_name(c), extent_text(s, c->grid), extent_text(s, c->block),
                    summary_value(s, (double)c->bytes, UNIT_BYTES, ascii));
}

static void add_several_captures(struct summary *s, const struct capture_list *l, bool ascii)
{
    size_t bad = 0;
    for (size_t i = 0; i < l->n; i++)
        bad += l->items[i].head == NULL;
    summary_head(s, summary_count(s, l->n, "captured dispatch", "captured dispatches"));
    summary_verdict(s, "replay", "Each was opened by its documents.",
                    "%zu of %zu can be opened; a GPU of the same kind can replay them", l->n - bad,
                    l->n);
    for (size_t i = 0; i < l->n && i < CAPTURES_SHOWN; i++)
        add_capture_row(s, &l->items[i], i == 0, ascii);
    if (l->n > CAPTURES_SHOWN)
        summary_say(s, "", "replay", "The list has all.", "and %zu more", l->n - CAPTURES_SHOWN);
}

void summary_add_captures(struct summary *s, const struct subject *of, bool ascii)
{
    const struct capture_list *l = &of->captures;
    if (l->n > 1) {
        add_several_captures(s, l, ascii);
    } else if (l->items[0].head) {
        add_one_capture(s, of, l->items[0].head, ascii);
    } else {
        summary_head(s, "captured dispatch");
        summary_verdict(s, "replay", "Its documents could not be read.", "cannot be opened: %s",
                        l->items[0].why);
    }
}

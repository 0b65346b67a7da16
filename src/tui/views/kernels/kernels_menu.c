/* Finds rows of the view of kernels by key; their short texts; the menu of a row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "engine/value/value.h"
#include "tui/model/captures.h"
#include "tui/model/jumps.h"
#include "tui/views/kernels/kernels.h"

void kernels_key(const struct kernel_row *r, enum kernels_group group, char out[VIEW_TEXT_MAX])
{
    char shape[160];
    uint64_t h = hash_text(0, r->name);
    h = hash_text(h, kernel_kind_name(r));
    if (group == KERNELS_BY_SHAPE) {
        size_t n = strlen(kernel_shape_text(&r->shape, shape));
        snprintf(shape + n, sizeof shape - n, " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,
                 r->shape.vgprs, r->shape.accum_vgprs, r->shape.lds_bytes, r->shape.scratch_bytes);
        h = hash_text(h, shape);
    }
    snprintf(out, VIEW_TEXT_MAX, "k:%d:%016" PRIx64, (int)group, h);
}

const struct kernel_row *kernels_find(const struct kernels *k, const char *key)
{
    char own[VIEW_TEXT_MAX];
    for (int g = 0; g < KERNELS_GROUPS; g++)
        for (uint32_t i = 0; key[0] == 'k' && key[1] == ':' && key[2] == '0' + g && i < k->by[g].n;
             i++) {
            kernels_key(&k->by[g].rows[i], (enum kernels_group)g, own);
            if (strcmp(own, key) == 0)
                return &k->by[g].rows[i];
        }
    return NULL;
}

bool kernels_label_doubtful(const struct bottleneck *b)
{
    return b->label && b->label != LABEL_MIXED && b->confidence == CONFIDENCE_LOW;
}

const char *kernels_label_text(const struct bottleneck *b, bool words, char *out, size_t size)
{
    static const char *const names[LABELS] = {
        [LABEL_NONE] = "",
        [LABEL_LATENCY] = "memory latency",
        [LABEL_BANDWIDTH] = "memory bandwidth",
        [LABEL_COMPUTE] = "compute",
        [LABEL_SCALAR] = "scalar",
        [LABEL_BRANCH] = "divergence",
        [LABEL_MIXED] = "unclear",
        [LABEL_COPY] = "copying",
        [LABEL_LAUNCH] = "launches",
        [LABEL_HOST] = "host",
        [LABEL_VGPR] = "registers",
        [LABEL_LDS] = "LDS",
        [LABEL_WAVES] = "too few waves",
        [LABEL_PEER] = "waits for a peer",
        [LABEL_COMMUNICATION] = "communication",
        [LABEL_HIDDEN] = "hidden",
        [LABEL_DEVICE] = "device",
    };
    const bool low = kernels_label_doubtful(b);
    if (words)
        snprintf(out, size, "%s%s", names[b->label], low ? " ?" : "");
    else
        snprintf(out, size, "%s%s", bottleneck_letter(b->label), low ? "?" : "");
    return out;
}

struct style kernels_label_style(const struct bottleneck *b)
{
    if (b->label == LABEL_NONE || b->label == LABEL_MIXED)
        return STYLE(STYLE_DIM);
    return STYLE(b->confidence == CONFIDENCE_HIGH ? STYLE_TITLE : STYLE_TEXT);
}

const char *kernels_waves_text(const struct kernel_row *r, char *out, size_t size)
{
    static const char *const amd[OCCUPANCY_LIMITS] = {"", "", " VGPR", " LDS", " wg"};
    static const char *const others[OCCUPANCY_LIMITS] = {"", "", " regs", " smem", " block"};
    const struct occupancy *o = &r->occupancy;
    bool scalar = r->words->vendor && r->words->scalar;
    *out = '\0';
    if (!isnan(o->waves))
        snprintf(out, size, "%.3g/%u%s", o->waves, o->most,
                 scalar ? amd[o->limit] : others[o->limit]);
    return out;
}

bool kernels_menu(const struct model *m, const struct view_state *st, const char *key,
                  struct menu *out)
{
    char text[MENU_COMMAND_MAX], total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX], share[SHARE_PERCENT];
    const struct kernel_row *r = m->profile ? kernels_find(&m->profile->kernels, key) : NULL;
    (void)st;
    if (!r)
        return false;
    const char *raw = graph_name(m->profile->trace.calls, r->node);
    snprintf(out->title, sizeof out->title, "%.60s", r->name);
    menu_action(out, 'i', ACTION_EXPLAIN, "explain: evidence, rules and facts of its label");
    jumps_menu(m, out, "kernels", raw);
    captures_menu(m, out, 'c', (enum node_kind)r->kind, raw);
    menu_deny(out, r->sum.calls ? NULL : "it was never launched");
    menu_filter(out, 'f', "name", r->name, "show all with this name");
    menu_filter(out, 'l', "label", bottleneck_id(r->label.label), "show what is bound like it");
    menu_deny(out, r->label.label ? NULL : "nothing is said about it");
    snprintf(text, sizeof text, "%.200s  %s  %s %%  %" PRIu64 " calls  %s each  %s", r->name,
             value_time(kernel_ns(&r->sum, r->sum.total), true, total),
             share_percent(r->share, share), r->sum.calls, value_time(r->mean, true, mean),
             bottleneck_name(r->label.label));
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', r->name, "copy its name");
    menu_action(out, 'm', ACTION_KERNELS_GROUP, "the next of name, base name, launch shape");
    menu_command(out, 's', "sort ", "sort by something else…");
    return true;
}

/* What the files of the view of kernels share. */
#pragma once

#include "engine/kernels/kernel_launches.h"
#include "engine/kernels/kernels_list.h"
#include "tui/model/view.h"

/* Writes the key of a row ("k:…"), which names the same row of the same profile in any order. */
void kernels_key(const struct kernel_row *r, enum kernels_group group, char out[VIEW_TEXT_MAX]);
/* The row with this key in any grouping; NULL if there is none. */
const struct kernel_row *kernels_find(const struct kernels *k, const char *key);

/* Whether the evidence of a label is weak. */
bool kernels_label_doubtful(const struct bottleneck *b);
/*
 * The label of what bounds a kernel: "V VGPR occupancy ?": letter, words, and a question mark for
 * low confidence. Returns out.
 */
const char *kernels_label_text(const struct bottleneck *b, bool words, char *out, size_t size);
struct style kernels_label_style(const struct bottleneck *b);
/* Waves that fit, of how many, and the limit: "6/8 VGPR"; "" = unknown. Returns out. */
const char *kernels_waves_text(const struct kernel_row *r, char *out, size_t size);

/*
 * The launches of the last drawn row. They are computed again if the row, its group or the profile
 * changes.
 */
struct kernel_launches_kept {
    uint64_t serial;
    const struct kernel_row *row;
    enum kernels_group group;
    struct kernel_launches launches;
};

/*
 * Draws everything known about a row, with the evidence for its label, in as many columns as fit,
 * and its launches in the space that is left.
 */
void kernels_detail_draw(struct canvas *c, struct rect r, const struct analysis *a,
                         const struct kernel_row *row, enum kernels_group group,
                         struct kernel_launches_kept *kept);
/* Draws the launches of a row over time, by length and by shape, as far as they fit. */
void kernels_launches_draw(struct canvas *c, struct rect r, const struct analysis *a,
                           const struct kernel_row *row, enum kernels_group group,
                           struct kernel_launches_kept *kept);
/* Draws what bounds the profile as a whole, in up to two lines. Returns the number of lines. */
int kernels_total_draw(struct canvas *c, struct rect r, const struct kernels_total *t);

bool kernels_menu(const struct model *m, const struct view_state *st, const char *key,
                  struct menu *out);
/* Writes the page about the kernel with this key. */
void kernels_explain(struct page *p, const struct model *m, const struct view_state *st,
                     const char *key);

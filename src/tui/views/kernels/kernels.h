/* Parts of the view of kernels. */
#ifndef ROOFTOP_TUI_VIEWS_KERNELS_KERNELS_H
#define ROOFTOP_TUI_VIEWS_KERNELS_KERNELS_H

#include "engine/kernels/kernels_list.h"
#include "tui/model/view.h"

/* "k:…": the same row of the same profile, whatever the order. */
void kernels_key(const struct kernel_row *r, enum kernels_group group, char out[VIEW_TEXT_MAX]);
/* The row of this key in any group; NULL where there is none. */
const struct kernel_row *kernels_find(const struct kernels *k, const char *key);

/* "V VGPR occupancy ?": letter, words, a question mark where confidence is low. */
const char *kernels_label_text(const struct bottleneck *b, bool words, char *out, size_t size);
struct style kernels_label_style(const struct bottleneck *b);
/* "6/8 VGPR", "" unknown */
const char *kernels_waves_text(const struct kernel_row *r, char *out, size_t size);

/* All that is known of one row, with the evidence for its label, in as many columns as fit; in the
 * room that is left its launches. */
void kernels_detail_draw(struct canvas *c, struct rect r, const struct analysis *a,
                         const struct kernel_row *row, enum kernels_group group);
/* Its launches over time, by length and by shape, as far as there is room. */
void kernels_launches_draw(struct canvas *c, struct rect r, const struct analysis *a,
                           const struct kernel_row *row, enum kernels_group group);
/* What the profile is bound by as a whole: up to two lines; lines used. */
int kernels_total_draw(struct canvas *c, struct rect r, const struct kernels_total *t);

bool kernels_menu(const struct model *m, const struct view_state *st, const char *key,
                  struct menu *out);

#endif

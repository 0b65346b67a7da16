#include <stddef.h>

#include "tui/model/view.h"

extern const struct view_ops view_overview, view_counters, view_tree, view_path, view_roofline,
    view_kernels, view_steps, view_replay, view_timeline, view_functions, view_att, view_gpu,
    view_output, view_compare;

const struct view_ops *const views[] = {&view_overview, &view_counters,  &view_tree,  &view_path,
                                        &view_roofline, &view_kernels,   &view_steps, &view_replay,
                                        &view_timeline, &view_functions, &view_att,   &view_gpu,
                                        &view_output,   &view_compare,   NULL};

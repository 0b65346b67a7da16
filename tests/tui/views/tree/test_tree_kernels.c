/* C++ kernels where there is little room: in the tree, its list by name, its flame graph, the
 * timeline, the critical path, and the tree as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph/graph_export.h"
#include "support/gpu_profile.h"
#include "support/stage.h"
#include "support/test.h"

/* The first sixty letters of their names are the same. */
#define KERNEL(functor)                                                                            \
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::" functor                  \
    "<float>, std::array<char *, (unsigned long)2>>(int, T2, T3)"

static struct stage s;
static struct gpu_profile p;
static struct analysis a;

FIXTURE(set_up)
{
    a = (struct analysis){.roofs = NULL};
    gpu_profile_open(&p, "names", "gfx942", "", "{}");
    gpu_profile_dispatch(&p, KERNEL("AddFunctor"), 0, 4000);
    gpu_profile_dispatch(&p, KERNEL("MulFunctor"), 4000, 7000);
    gpu_profile_dispatch(&p, KERNEL("LogFunctor"), 7000, 9000);
    gpu_profile_close(&p);
    const char *path = p.file.path;
    assert_int_equal(analysis_open(&a, &path, 1, NULL), 0);
    stage_open(&s, "vm", 160, 50, 3);
    app_set_profile(s.a, &a);
}

FIXTURE(tear_down)
{
    stage_close(&s);
    analysis_close(&a);
    gpu_profile_remove(&p);
}

static void sees_short_names_only(const char *where, int whole)
{
    int seen = 0;
    for (const char *at = stage_look(&s); (at = strstr(at, "at::native::vec")); at++)
        seen++;
    if (!stage_sees(&s, "AddFunctor"))
        fail_msg("no kernel in %s:\n%s", where, stage_look(&s));
    if (seen != whole) /* details have the whole name */
        fail_msg("whole names in %s:\n%s", where, stage_look(&s));
}

TEST_WITH(views_show_short_names, set_up, tear_down)
{
    stage_key(&s, '3');
    sees_short_names_only("the tree", 0);
    stage_key(&s, 'm');
    sees_short_names_only("the list by name", 0);
    stage_key(&s, 'm');
    stage_key(&s, 'm');
    sees_short_names_only("the flame graph", 0);
    stage_view(&s, "path");
    sees_short_names_only("the critical path", 0);
    stage_view(&s, "timeline");
    sees_short_names_only("the timeline", 1);
}

/* Rows are identified by the whole name: the cursor moves through those with a common beginning. */
TEST_WITH(the_cursor_passes_kernels_that_begin_alike, set_up, tear_down)
{
    stage_key(&s, '3');
    stage_key(&s, 'm');
    stage_key(&s, 'j');
    stage_key(&s, 'j');
    assert_int_equal(s.a->state[s.a->view].selected, 2);
}

TEST_WITH(text_has_short_names, set_up, tear_down)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    graph_export_text(out, a.trace.calls, &(struct graph_export_options){.root = GRAPH_NONE});
    fclose(out);
    assert_non_null(strstr(text, "vectorized_elementwise_kernel<4, AddFunctor<float>"));
    assert_null(strstr(text, "at::native"));
    free(text);
}

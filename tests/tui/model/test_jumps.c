/* Jumps from a row of one view to the same thing in another. */
#include <string.h>

#include "support/opened.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(set_up)
{
    stage_open(&s, "bricks", 120, 40, 3);
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

static void open_menu(const char *view, const char *name)
{
    stage_view(&s, view);
    stage_command(&s, "search");
    stage_type(&s, name);
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(s.a->menu.title, name);
}

/* The reason why the entry is disabled, "" if it is enabled; NULL if there is no such entry. */
static const char *why_not(const char *label)
{
    for (int i = 0; i < s.a->menu.n; i++)
        if (strcmp(s.a->menu.entries[i].label, label) == 0)
            return s.a->menu.entries[i].why_not;
    return NULL;
}

TEST_WITH(they_lead_to_the_row_of_that_name, set_up, tear_down)
{
    static const struct {
        const char *from;
        uint32_t letter;
        const char *to;
    } jumps[] = {{"path", 't', "tree"},        {"path", 'o', "roofline"}, {"roofline", 't', "tree"},
                 {"roofline", 'p', "path"},    {"timeline", 't', "tree"}, {"timeline", 'p', "path"},
                 {"timeline", 'o', "roofline"}};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        open_menu(jumps[i].from, "gemv_down");
        stage_key(&s, jumps[i].letter);
        assert_string_equal(views[s.a->view]->name, jumps[i].to);
        assert_string_equal(s.a->state[s.a->view].filter, "name=\"gemv_down\"");
        assert_true(s.a->state[s.a->view].rows > 0);
        stage_key(&s, KEY_ESCAPE);
        stage_key(&s, KEY_ESCAPE); /* closes the search that was opened there, and the filter */
    }
}

TEST_WITH(no_view_leads_to_itself, set_up, tear_down)
{
    open_menu("path", "gemv_down");
    assert_null(why_not("go to it on the critical path"));
    assert_string_equal(why_not("go to it in the tree"), "");
    stage_key(&s, KEY_ESCAPE);
    open_menu("roofline", "gemv_down");
    assert_null(why_not("go to it under the roofline"));
}

TEST_WITH(where_it_is_not_is_said, set_up, tear_down)
{
    app_set_profile(s.a, opened_streams()); /* a profile without counters */
    open_menu("timeline", "gemm_f16_64x64");
    assert_string_equal(why_not("go to it under the roofline"), "it has no point there");
    assert_string_equal(why_not("go to it on the critical path"), "");
    stage_key(&s, KEY_ESCAPE);
    open_menu("timeline", "softmax_kernel");
    assert_string_equal(why_not("go to it in the tree"), "");
}

/* The roofline view with a GPU profile: levels, ceilings, details, the mouse. */
#include <stdio.h>
#include <string.h>

#include "support/gpu_profile.h"
#include "support/gpu_scene.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(set_up)
{
    stage_open(&s, "vm", 200, 50, 3);
    app_set_profile(s.a, gpu_scene());
    stage_key(&s, '5');
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

TEST_WITH(roofs_and_marks, set_up, tear_down)
{
    assert_true(stage_sees(&s, "MI300X, theoretical: 304 units at 2100 MHz"));
    assert_true(stage_sees(&s, "1 kernel without counters"));
    assert_true(stage_sees(&s, "MFMA f16 1.31 PFLOP/s"));
    assert_true(stage_sees(&s, "VALU f32 163 TFLOP/s"));
    assert_true(stage_sees(&s, "HBM"));
    assert_true(stage_sees(&s, "L1, LDS"));  /* they share a line */
    assert_false(stage_sees(&s, "MFMA f8")); /* no kernel used it */
    assert_true(stage_sees(&s, "[a]"));
    assert_true(stage_sees(&s, "[b]"));
    assert_true(stage_sees(&s, "58 %?")); /* counters are missing */
    assert_true(stage_sees(&s, "MFMA f16 ") && stage_sees(&s, "78 %"));
}

/* What does not fit is left out, and a theoretical roof is named so at every width. */
TEST_WITH(the_head_is_never_cut, set_up, tear_down)
{
    for (int cols = 80; cols <= 200; cols += 8) {
        canvas_resize(&s.c, cols, 24);
        stage_look(&s);
        const char *head = stage_row(&s, 2);
        if (strstr(head, "…") || !strstr(head, "1 kernel without counters") ||
            !strstr(head, "MI300X, theoretical"))
            fail_msg("%d columns: %s", cols, head);
    }
}

TEST_WITH(levels_one_after_the_other, set_up, tear_down)
{
    static const char *const titles[] = {"roofline, HBM", "roofline, L2", "roofline, L1",
                                         "roofline, LDS"};
    static const char *const axes[] = {"FLOP/byte of HBM", "FLOP/byte of L2", "FLOP/byte of L1",
                                       "FLOP/byte of LDS"};
    for (int l = 0; l < 4; l++) {
        stage_key(&s, 'l');
        assert_true(stage_sees(&s, titles[l]) && stage_sees(&s, axes[l]));
        assert_true(stage_sees(&s, "L1, LDS") == false);
        assert_true(stage_sees(&s, "[a]"));
        assert_true(stage_sees(&s, "[b]") == (l < 3)); /* axpy used no LDS */
    }
    assert_true(stage_sees(&s, " 81.7 TB/s") || stage_sees(&s, "LDS"));
    stage_key(&s, 'l');
    assert_false(stage_sees(&s, "roofline, "));
}

TEST_WITH(details_tell_every_ceiling_and_dispatch, set_up, tear_down)
{
    stage_key(&s, 'd');
    assert_true(stage_sees(&s, "4 dispatches, 4 with counters, 4.00 ms"));
    assert_true(stage_sees(&s, "1.03 PFLOP/s of 1.31 PFLOP/s, MFMA f16 bound"));
    assert_true(stage_sees(&s, "of 1.31 PFLOP/s, binds"));
    assert_true(stage_sees(&s, "of 5.32 TB/s, 1530 FLOP/B"));
    assert_true(stage_sees(&s, "of 34.4 TB/s, 255 FLOP/B"));
    assert_true(stage_sees(&s, "#1  1.00 ms"));
    assert_true(stage_sees(&s, "#7  1.00 ms"));
    stage_key(&s, KEY_DOWN_);
    assert_true(stage_sees(&s, "512 GFLOP/s  2.21 TB/s  41 % of HBM"));
    stage_key(&s, KEY_DOWN_);
    assert_true(stage_sees(&s, "21 counters: SQ_INSTS_VALU_ADD_F64"));
    assert_true(stage_sees(&s, "of 5.32 TB/s, by FETCH_SIZE, binds"));
    assert_true(stage_sees(&s, "n/a: counters are missing"));
}

TEST_WITH(a_mark_can_be_clicked, set_up, tear_down)
{
    int x, y;
    assert_true(stage_find(&s, "[b]", &x, &y));
    stage_click(&s, x + 2, y, MOUSE_LEFT); /* the bracket belongs to it */
    assert_int_equal(s.a->state[s.a->view].selected, 1);
    stage_key(&s, 'd');
    assert_true(stage_sees(&s, "HBM bound; 1.4 x faster at most"));
}

TEST_WITH(filters_know_ceilings, set_up, tear_down)
{
    stage_command(&s, "filter bound=memory and missing=0");
    assert_true(stage_sees(&s, "saxpy(float*)"));
    assert_false(stage_sees(&s, "gemm") || stage_sees(&s, "softmax"));
    stage_command(&s, "filter ceiling=\"MFMA f16\"");
    assert_true(stage_sees(&s, "gemm"));
    assert_false(stage_sees(&s, "axpy"));
}

TEST_WITH(menu_has_details, set_up, tear_down)
{
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "details: every ceiling, its dispatches"));
    stage_key(&s, 'd');
    assert_true(stage_sees(&s, "4 dispatches, 4 with counters"));
}

TEST_WITH(without_counters_it_says_how, set_up, tear_down)
{
    struct gpu_profile p;
    struct analysis a = {.roofs = NULL};
    gpu_profile_open(&p, "plain", "gfx942", "", "{}");
    gpu_profile_dispatch(&p, "k()", 0, 1000);
    gpu_profile_close(&p);
    const char *path = p.file.path;
    assert_int_equal(analysis_open(&a, &path, 1, NULL), 0);
    app_set_profile(s.a, &a);
    stage_look(&s);
    assert_true(
        stage_sees(&s, "No kernel has hardware counters: collect some with rocprofv3 --pmc"));
    assert_true(stage_sees(&s, "rocprofv3 --pmc"));
    app_set_profile(s.a, NULL);
    stage_look(&s);
    analysis_close(&a);
    gpu_profile_remove(&p);
}

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

TEST_WITH(random_keys_do_no_harm, set_up, tear_down)
{
    static const uint32_t keys[] = {'5',
                                    'l',
                                    'l',
                                    'd',
                                    'm',
                                    '+',
                                    '-',
                                    's',
                                    'r',
                                    'n',
                                    '/',
                                    'a',
                                    KEY_UP_,
                                    KEY_DOWN_,
                                    KEY_ENTER_,
                                    KEY_ESCAPE,
                                    KEY_HOME_,
                                    KEY_END_,
                                    KEY_BACKSPACE_,
                                    KEY_MOUSE_};
    unsigned seed = 7;
    for (int i = 0; i < 4000; i++) {
        struct key_event ev = {.key = keys[next(&seed) % (sizeof keys / sizeof *keys)],
                               .x = (int)(next(&seed) % 200),
                               .y = (int)(next(&seed) % 50),
                               .button = (int)(1 + next(&seed) % 5)};
        app_key(s.a, &ev);
        if (next(&seed) % 30 == 0)
            canvas_resize(&s.c, (int)(next(&seed) % 220), (int)(next(&seed) % 60));
        app_draw(s.a, &s.c);
        app_job_done(s.a);
    }
}

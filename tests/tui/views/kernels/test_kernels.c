/* The view of kernels, driven by keys. Draws only: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/profile_scene.h"
#include "support/stage.h"
#include "support/trace_text.h"
#include "support/test.h"

static struct stage s;

FIXTURE(opened)
{
    stage_open(&s, "vm", 120, 40, 2);
    app_set_profile(s.a, profile_scene());
    stage_key(&s, 'K');
}

FIXTURE(closed)
{
    stage_close(&s);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

TEST_WITH(without_a_profile_there_is_no_tab, opened, closed)
{
    app_set_profile(s.a, NULL);
    stage_key(&s, '1');
    expect("6 kernels", false);
    stage_key(&s, 'K');
    expect("No profile with kernels was opened", true);
}

TEST_WITH(the_longest_is_under_the_cursor_with_its_evidence, opened, closed)
{
    expect("kernels: by name", true);
    expect("registers ?", true);
    expect("Occupancy limited by registers (confidence low)", true);
    expect("warps that fit, of the slots: 12.5 % (rule: 50 % or ", true); /* it is wrapped here */
    expect("  less) ", true);
    expect("grid 864, block 256 on sm_80; 2 of 16 warps a", true);
    expect("LAUNCHES OVER TIME", true); /* there is room for it */
    expect("108 us to 111 us             2", true);
    stage_key(&s, 'd'); /* details */
    expect("Occupancy limited by registers (confidence low)", false);
    stage_key(&s, 'd');
    expect("Occupancy limited by registers (confidence low)", true);
}

/* When counters are read, pauses are the profiler's: they are no evidence, but are shown as
 * measured. */
TEST_WITH(facts_without_evidence_are_still_shown, opened, closed)
{
    static struct analysis a;
    struct error err = ERROR_INIT;
    char path[] = "/tmp/rooftop-counted-XXXXXX";
    const char *paths[] = {path};
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs("Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Arch_VGPR,"
          "SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,0,256,64,0,8,4,1000,2000\n"
          "1,k,0,256,64,0,8,4,4000,5000\n",
          f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(analysis_open(&a, paths, 1, &err), 0);
    unlink(path);
    app_set_profile(s.a, &a);
    stage_look(&s);
    expect("idle 50.0 %", true);
    expect("nan", false);
    app_set_profile(s.a, NULL);
    analysis_close(&a);
}

/* The host may take more of the path than devices were idle: then the text says that devices
 * worked meanwhile. */
TEST_WITH(the_host_beside_busy_devices_is_told, opened, closed)
{
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
        "\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5,\"args\":{\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":95,"
        "\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"plan\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":"
        "105},"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
        "\"pid\":1,\"tid\":1,\"ts\":110,\"dur\":5,\"args\":{\"correlation\":2}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":0,\"tid\":7,\"ts\":115,\"dur\":"
        "385,"
        "\"args\":{\"device\":0,\"stream\":7,\"correlation\":2}}]}";
    struct analysis a = {.memory = {0}};
    char path[64];
    const char *list = path;
    trace_text_file(path, text, strlen(text), false);
    assert_int_equal(analysis_open(&a, &list, 1, NULL), 0);
    unlink(path);
    app_set_profile(s.a, &a);
    stage_key(&s, 'K');
    canvas_resize(&s.c, 200, 50);
    stage_look(&s);
    expect("idle 3.0 %", true);
    expect("  host 22.0 %  host beside busy devices 19.0 %", true);
    app_set_profile(s.a, profile_scene());
    analysis_close(&a);
}

TEST_WITH(rows_are_grouped, opened, closed)
{
    expect("softmax_warp_forward<", true);
    stage_key(&s, 'm');
    expect("kernels: by base name", true);
    expect("softmax_warp_forward<", false);
    expect(" cutlass::Kernel ", true);
    stage_key(&s, 'm');
    expect("kernels: by name and launch shape", true);
    stage_key(&s, 'm');
    expect("kernels: by name", true);
}

TEST_WITH(rows_are_sorted_and_filtered, opened, closed)
{
    int x, first, second;
    stage_command(&s, "sort name");
    assert_true(stage_find(&s, "Memcpy DtoH", &x, &first));
    assert_true(stage_find(&s, "flash_fwd", &x, &second));
    assert_true(first < second);
    stage_command(&s, "sort name"); /* again: reverses the order */
    assert_true(stage_find(&s, "flash_fwd", &x, &second));
    assert_true(stage_find(&s, "Memcpy DtoH", &x, &first));
    assert_true(first > second);
    stage_command(&s, "filter kind=copy");
    expect("Memcpy DtoH", true);
    expect("flash_fwd", false);
    stage_command(&s, "filter mean<0");
    expect("no kernel matches the filter", true);
    stage_command(&s, "filter label=occupancy-waves");
    expect("flash_fwd", true);
    expect("Memcpy DtoH", false);
}

TEST_WITH(clicks_sort_and_choose, opened, closed)
{
    int x, y, top;
    assert_true(stage_find(&s, "CALLS", &x, &y));
    stage_click(&s, x + 1, y, MOUSE_LEFT);
    expect("CALLS▾", true);
    assert_true(stage_find(&s, "flash_fwd", &x, &top));
    stage_click(&s, x, top, MOUSE_LEFT);
    expect("SMs that get work: 14.8 %", true);
}

TEST_WITH(the_menu_leads_on, opened, closed)
{
    stage_type(&s, "\r");
    expect("explain: evidence", true);
    stage_type(&s, "i");
    expect("rule from", true);
    expect("What bounds it", true);
    expect("CUDA Programming Guide", true);
    stage_key(&s, KEY_ESCAPE);
    stage_type(&s, "\r");
    stage_type(&s, "t"); /* jumps to the tree, with a filter */
    expect("cudaLaunchKernel", true);
    expect("cutlass::Kernel", true);
    expect("flash_fwd", false);
}

TEST_WITH(i_explains_and_keys_follow_rows, opened, closed)
{
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, 'i');
    expect("Occupancy limited by warps", true);
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "sort name"); /* the cursor stays on its row */
    expect("SMs that get work: 14.8 %", true);
}

/* Words of the legend that do not fit are left out, but never the question mark. */
TEST_WITH(the_legend_has_whole_words, opened, closed)
{
    canvas_resize(&s.c, 80, 24);
    stage_look(&s);
    expect("? low confidence  V registers  W too few warps", true);
    expect("  D shared memory", true); /* the last that has room */
    canvas_resize(&s.c, 120, 40);
    stage_look(&s);
    expect("  D shared memory ", true);
}

/* A rocpd file whose kernels name no calls: no share of the path is the host's, and none is made
 * up. */
TEST_WITH(without_launches_the_host_has_no_share, opened, closed)
{
    static struct analysis a;
    const char *path = "tests/data/rocpd/synthetic_schema3.db";
    struct error err = ERROR_INIT;
    if (analysis_open(&a, &path, 1, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    app_set_profile(s.a, &a);
    stage_look(&s);
    expect("idle 5.7 %", true);
    expect("nan", false);
    expect("path: launch latency", false);
    app_set_profile(s.a, NULL);
    stage_look(&s);
    analysis_close(&a);
}

TEST_WITH(small_screens_do_not_break, opened, closed)
{
    for (int rows = 10; rows < 40; rows += 3)
        for (int cols = 40; cols < 220; cols += 17) {
            canvas_resize(&s.c, cols, rows);
            stage_look(&s);
            stage_key(&s, KEY_DOWN_);
        }
}

/* The short answer about captured dispatches, from a state that no GPU is needed for. */
#include <string.h>

#include "cli/capture/capture_report.h"
#include "support/test.h"

TEST(captures_are_rows_and_lead_to_a_replay)
{
    struct capturer_result results[] = {
        {.ended = true,
         .whole = true,
         .path = "caps/a b",
         .kernel = "gemm",
         .why = "",
         .request = 1,
         .index = 7,
         .regions = 3,
         .bytes = 4096,
         .pause_ns = 2000000},
        {.ended = true,
         .failed = true,
         .path = "",
         .kernel = "gemm",
         .why = "no room",
         .request = 1,
         .index = 8},
        {.ended = true, .whole = true, .path = "old", .kernel = "other", .why = "", .request = 0}};
    const struct capturer_state so_far = {.loaded = 2,
                                          .dispatches = 20,
                                          .matching = 9,
                                          .results = results,
                                          .nresults = 3,
                                          .message = ""};
    const struct capture_report r = {.state = &so_far, .number = 1, .kernel = "gem+"};
    struct brief b = {.command = "capture"};
    capture_brief(&b, &r);
    assert_string_equal(b.verdict, "1 dispatch captured, 1 failed");
    assert_string_equal(b.evidence[0],
                        "20 dispatches in 2 processes, 9 of a kernel that matches 'gem+'");
    assert_int_equal(b.nrows, 2);
    assert_string_equal(b.rows[0].measure,
                        "dispatch 7, 4.00 KiB in 3 regions, the program paused for 2.00 ms");
    assert_string_equal(b.rows[1].measure, "dispatch 8, not captured: no room");
    assert_string_equal(b.next[0], "rooftop gpu replay full-vm --verify --capture-dir 'caps/a b'");
    assert_int_equal(b.nnext, 1);
}

/* Where none matched, it says what ran. */
TEST(without_a_capture_the_kernels_are_listed)
{
    struct capturer_kernel kernels[] = {{.name = "axpy", .dispatches = 4}};
    const struct capturer_state so_far = {.loaded = 1, .kernels = kernels, .nkernels = 1};
    const struct capture_report r = {.state = &so_far, .number = 1, .kernel = "gem+"};
    struct brief b = {.command = "capture"};
    capture_brief(&b, &r);
    assert_string_equal(b.verdict, "0 dispatches captured, 0 failed");
    assert_string_equal(b.rows[0].what, "axpy");
}

TEST_MAIN(NULL, NULL)

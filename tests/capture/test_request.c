/* Decides what happens to a dispatch: every mode of a request, over kernels that match and that do
 * not, while the request changes. */
#include <stdio.h>
#include <string.h>

#include "capture/capture_impl.h"
#include "support/test.h"

/* The library's own `tool` needs a runtime; requests use only this part of it. */
struct tool tool;
static char said[256];
void tool_say(const char *text)
{
    snprintf(said, sizeof said, "%s", text);
}

static struct seen_name gemm_name = {.mangled = "_Z4gemmPf", .demangled = "gemm(float*)"};
static struct seen_name gemv_name = {.mangled = "_Z4gemvPf", .demangled = "gemv(float*)"};
static struct seen_name unnamed = {.mangled = "", .demangled = ""};
static struct seen gemm, gemv, nameless;

FIXTURE_STATUS(begin)
{
    if (!tool.control) /* one control page for the whole process, as in a program */
        tool.control = control_private();
    if (!tool.control)
        return -1;
    gemm = (struct seen){.name = &gemm_name};
    gemv = (struct seen){.name = &gemv_name};
    nameless = (struct seen){.name = &unnamed};
    gemm_name.dispatches = gemv_name.dispatches = unnamed.dispatches = 0;
    gemm_name.row = control_kernel_row(tool.control, "_Z4gemmPf", "gemm(float*)");
    gemm_name.row->dispatches = 0;
    tool.control->matching = 0;
    said[0] = '\0';
    return 0;
}

FIXTURE(end)
{
    control_set(tool.control, &(struct control_request){.mode = CONTROL_OFF});
}

static uint32_t ask_for(enum control_mode mode, uint64_t n, const char *pattern, bool exact)
{
    static struct control_request r;
    r = (struct control_request){
        .mode = (uint32_t)mode, .n = n, .exact = exact, .timeout_ms = 1234, .post = 1};
    snprintf(r.pattern, sizeof r.pattern, "%s", pattern);
    snprintf(r.folder, sizeof r.folder, "/there");
    return control_set(tool.control, &r);
}

/* Asserts what happens to the next n dispatches of a kernel, one letter each: . nothing, T timed,
 * C captured. */
static void expect(struct seen *s, const char *letters)
{
    char got[64] = "";
    for (size_t i = 0; letters[i]; i++) {
        uint64_t index, before = s->name->dispatches;
        got[i] = ".TC"[request_ask(s, &index)];
        assert_int_equal(index, before);
        assert_int_equal(s->name->dispatches, before + 1);
    }
    assert_string_equal(got, letters);
}

TEST_WITH(nothing_is_asked_for, begin, end)
{
    expect(&gemm, "....");
    assert_int_equal(gemm_name.row->dispatches, 4); /* they are counted all the same */
    assert_int_equal(tool.control->matching, 0);
}

TEST_WITH(the_nth_is_captured_once, begin, end)
{
    ask_for(CONTROL_NTH, 2, "gem", false);
    expect(&gemv, "..");
    expect(&gemm, "..C..");
    expect(&gemv, "..."); /* another kernel has taken the request already */
    assert_int_equal(tool.control->matching, 10);
    ask_for(CONTROL_NTH, 7, "gemv", false); /* counted from the program's start */
    expect(&gemm, "....");
    expect(&gemv, "..C..");
}

TEST_WITH(every_nth_is_captured_of_each_kernel, begin, end)
{
    ask_for(CONTROL_EVERY, 3, "^gem[mv]", false);
    expect(&gemm, "C..C..C");
    expect(&gemv, "C..C");
    ask_for(CONTROL_EVERY, 1, "gemm", false);
    expect(&gemm, "CCC");
    expect(&gemv, "...");
    ask_for(CONTROL_EVERY, 0, "gemm", false); /* every 0th: none */
    expect(&gemm, "...");
}

TEST_WITH(the_next_is_captured_by_one_process, begin, end)
{
    expect(&gemm, ".");
    uint32_t number = ask_for(CONTROL_NEXT, 0, "gemm", false);
    expect(&gemv, ".");
    expect(&gemm, "C..");
    assert_int_equal(tool.control->taken, number);
    number = ask_for(CONTROL_NEXT, 0, "gemm", false);
    atomic_store(&tool.control->taken, number); /* another process has taken it */
    expect(&gemm, "..");
}

TEST_WITH(all_that_match_are_timed, begin, end)
{
    uint32_t number = ask_for(CONTROL_TIME, 0, "gemm", false);
    expect(&gemm, "TTT");
    expect(&gemv, "..");
    assert_int_equal(gemm_name.row->matching, number);
    assert_int_equal(tool.control->matching, 3);
    ask_for(CONTROL_OFF, 0, "gemm", false);
    expect(&gemm, "..");
    assert_int_equal(tool.control->matching, 3);
}

/* An expression is compared with both forms of a name; an exact name only with the whole mangled
 * name. */
TEST_WITH(names_are_matched_as_asked, begin, end)
{
    ask_for(CONTROL_TIME, 0, "gemm\\(float", false);
    expect(&gemm, "T");
    ask_for(CONTROL_TIME, 0, "^_Z4gemm", false);
    expect(&gemm, "T");
    expect(&gemv, ".");
    ask_for(CONTROL_TIME, 0, "_Z4gemmPf", true);
    expect(&gemm, "T");
    expect(&gemv, ".");
    ask_for(CONTROL_TIME, 0, "_Z4gemm", true);
    expect(&gemm, ".");
    ask_for(CONTROL_TIME, 0, "gemm(float*)", true);
    expect(&gemm, ".");
    ask_for(CONTROL_TIME, 0, "", false); /* the empty expression matches every name */
    expect(&gemm, "T");
    expect(&nameless, ".");
}

TEST_WITH(an_expression_that_is_none_is_told, begin, end)
{
    ask_for(CONTROL_TIME, 0, "gemm(", false);
    expect(&gemm, "..");
    assert_non_null(strstr(said, "the expression is not valid: unmatched ("));
    ask_for(CONTROL_TIME, 0, "gemm", false);
    expect(&gemm, "T");
    /* a name with an open parenthesis is no valid expression */
    ask_for(CONTROL_TIME, 0, "gemm(", true);
    said[0] = '\0';
    expect(&gemm, ".");
    assert_string_equal(said, "");
}

TEST_WITH(what_captures_has_the_whole_request, begin, end)
{
    static struct request_now now;
    uint32_t number = ask_for(CONTROL_NEXT, 0, "gemm", false);
    expect(&gemm, "C");
    request_copy(&now);
    assert_int_equal(now.number, number);
    assert_int_equal(now.timeout_ms, 1234);
    assert_true(now.post);
    assert_string_equal(now.folder, "/there");
    control_set(tool.control, &(struct control_request){.mode = CONTROL_TIME});
    expect(&gemm, "T");
    request_copy(&now);
    assert_int_equal(now.timeout_ms, CONTROL_TIMEOUT_MS);
    assert_false(now.post);
}

/* Where the fields of tracepoints lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/perf_event/tracepoint_format.h"
#include "support/skip.h"

/* As Linux 6.18 prints it, shortened. */
static const char format[] = "name: io_uring_complete\nID: 2141\nformat:\n"
                             "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                             "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                             "\n"
                             "\tfield:void * ctx;\toffset:8;\tsize:8;\tsigned:0;\n"
                             "\tfield:u64 user_data;\toffset:24;\tsize:8;\tsigned:0;\n"
                             "\tfield:int res;\toffset:32;\tsize:4;\tsigned:1;\n"
                             "\tfield:u8 opcode;\toffset:36;\tsize:1;\tsigned:0;\n"
                             "\tfield:char name[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                             "\n"
                             "print fmt: \"ring %p, result %d\", REC->ctx, REC->res\n";

static struct tracepoint_field find(const char *name)
{
    struct tracepoint_field f;
    tracepoint_field_find(format, strlen(format), name, &f);
    return f;
}

static void fields_are_found_by_their_whole_name(void **state)
{
    (void)state;
    const struct tracepoint_field ring = find("ctx"), result = find("res"),
                                  pid = find("common_pid");
    assert_int_equal(ring.offset, 8);
    assert_int_equal(ring.size, 8);
    assert_int_equal(result.offset, 32);
    assert_true(result.is_signed);
    assert_int_equal(pid.offset, 4);
    assert_int_equal(find("pid").size, 0);
    assert_int_equal(find("es").size, 0);
    assert_int_equal(find("name").size, 0);
    assert_int_equal(find("none").size, 0);
}

static void numbers_have_their_sign(void **state)
{
    uint8_t record[40] = {0};
    const int32_t result = -9;
    (void)state;
    memcpy(record + 32, &result, sizeof result);
    record[36] = 0xfe;
    const struct tracepoint_field f = find("res"), opcode = find("opcode");
    assert_int_equal((int64_t)tracepoint_field_of(&f, record, sizeof record), -9);
    assert_int_equal(tracepoint_field_of(&opcode, record, sizeof record), 0xfe);
    assert_int_equal(tracepoint_field_of(&f, record, 35), 0);
}

/* sys_enter is on every kernel that has tracepoints of calls; its layout is known. */
static void this_kernels_own_are_read(void **state)
{
    static char text[TRACEPOINT_FORMAT_BYTES];
    struct tracepoint_field f;
    (void)state;
    const long n = tracepoint_format("raw_syscalls", "sys_enter", text);
    if (n < 0)
        skip_because("tracefs cannot be read: %s", strerror((int)-n));
    assert_true(tracepoint_field_find(text, (size_t)n, "id", &f));
    assert_int_equal(f.offset, 8);
    assert_int_equal(f.size, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_their_whole_name),
        cmocka_unit_test(numbers_have_their_sign),
        cmocka_unit_test(this_kernels_own_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

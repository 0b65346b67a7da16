/* Call sites in code: which instructions may be moved, and that every `syscall` is found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/recorder/recorder_impl.h"
#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static void needs_decoder(void)
{
    struct error why = ERROR_INIT;
    if (!sites_available(&why))
        skip_because("call sites: %s", why.why);
}

static struct site_list decode(const char *code, size_t n)
{
    struct site_list s = {0};
    sites_decode((const uint8_t *)code, n, 0x1000, &s);
    return s;
}
#define DECODE(code) decode(code, sizeof(code) - 1)

static void expect_site(struct site_list s, uint32_t offset, unsigned before, unsigned after)
{
    assert_int_equal(s.n, 1);
    assert_int_equal(s.lone, 0);
    assert_int_equal(s.list[0].offset, offset);
    assert_int_equal(s.list[0].before, before);
    assert_int_equal(s.list[0].after, after);
    sites_free(&s);
}

static void expect_lone(struct site_list s)
{
    assert_int_equal(s.n, 0);
    assert_int_equal(s.lone, 1);
    sites_free(&s);
}

TEST(test_moved)
{
    needs_decoder();
    /* mov $39, %eax; syscall; ret */
    expect_site(DECODE("\xb8\x27\0\0\0\x0f\x05\xc3"), 0x1000, 5, 0);
    /* ret; syscall; cmp $-4096, %rax; ret */
    expect_site(DECODE("\xc3\x0f\x05\x48\x3d\x00\xf0\xff\xff\xc3"), 0x1001, 0, 6);
    /* ret; xor %eax, %eax; syscall; pop %rbp; ret */
    expect_site(DECODE("\xc3\x31\xc0\x0f\x05\x5d\xc3"), 0x1001, 2, 1);
}

TEST(test_stays)
{
    needs_decoder();
    /* ret; syscall; ret: too short */
    expect_lone(DECODE("\xc3\x0f\x05\xc3"));
    /* lea 0(%rip), %rax means another address elsewhere; syscall; ret */
    expect_lone(DECODE("\x48\x8d\x05\0\0\0\0\x0f\x05\xc3"));
    /* nopw: padding, not the way to the call */
    expect_lone(DECODE("\x66\x0f\x1f\x44\0\0\x0f\x05\xc3"));
    /* jmp to the cmp; xor %eax, %eax; syscall; cmp: a branch goes to the inside */
    expect_lone(DECODE("\xeb\x04\x31\xc0\x0f\x05\x83\xf8\x01\xc3"));
}

/* A branch to the call itself finds it where it was, as only the bytes before it are written. */
TEST(test_branch_to_the_call)
{
    needs_decoder();
    /* jmp to the syscall; mov $39, %eax; syscall; ret: the mov is not the only way */
    expect_lone(DECODE("\xeb\x05\xb8\x27\0\0\0\x0f\x05\xc3"));
    /* jmp to the syscall; syscall; cmp $-4096, %rax */
    expect_site(DECODE("\xeb\x00\x0f\x05\x48\x3d\x00\xf0\xff\xff\xc3"), 0x1002, 0, 6);
}

/* The bytes of a call within another instruction. */
TEST(test_not_a_call)
{
    needs_decoder();
    struct site_list s = DECODE("\xb8\x27\x0f\x05\0\xc3");
    assert_int_equal(s.n + s.lone, 0);
    sites_free(&s);
}

static void find_libc(char *out, size_t size)
{
    struct program p;
    program_run(&p, "ldd /bin/sh | sed -n 's/.*=> \\(.*libc\\.so\\.6\\) .*/\\1/p'");
    snprintf(out, size, "%.*s", (int)strcspn(p.out, "\n"), p.out);
    program_free(&p);
    if (!*out)
        skip_because("the C library was not found");
}

/* objdump decodes independently of us. The second look reads what the first one kept. */
TEST(test_library)
{
    char libc[256], line[512];
    struct program p;
    struct site_list first, again;
    needs_decoder();
    find_libc(libc, sizeof libc);
    snprintf(line, sizeof line, "objdump -d %s | grep -c '0f 05 .*syscall'", libc);
    program_run(&p, line);
    const long calls = strtol(p.out, NULL, 10);
    program_free(&p);
    if (calls == 0)
        skip_because("objdump is not installed");
    assert_true(sites_find(libc, &first));
    assert_int_equal(first.n + first.lone, calls);
    assert_true(first.n > 9 * (size_t)calls / 10);
    assert_true(sites_find(libc, &again));
    assert_int_equal(again.n, first.n);
    assert_memory_equal(again.list, first.list, first.n * sizeof *first.list);
    sites_free(&first);
    sites_free(&again);
}

/* What is kept is named by the build id, which another program reads as well. */
TEST(test_build_id)
{
    char libc[256], line[512], path[512];
    struct program p;
    struct site_list s;
    needs_decoder();
    find_libc(libc, sizeof libc);
    snprintf(line, sizeof line, "readelf -n %s | sed -n 's/^ *Build ID: //p'", libc);
    program_run(&p, line);
    if (!*p.out)
        skip_because("readelf is not installed, or the C library has no build id");
    assert_true(sites_find(libc, &s));
    snprintf(path, sizeof path, "state/rooftop/sites/%.*s", (int)strcspn(p.out, "\n"), p.out);
    assert_int_equal(access(compiled_path(path), R_OK), 0);
    program_free(&p);
    sites_free(&s);
}

/* A kept list that was damaged is not believed. */
TEST(test_damaged_list)
{
    char libc[256];
    struct site_list first, again;
    needs_decoder();
    find_libc(libc, sizeof libc);
    assert_true(sites_find(libc, &first));
    assert_true(compiled_shell("for f in state/rooftop/sites/*; do "
                               "printf x | dd of=$f bs=1 seek=50 conv=notrunc 2>/dev/null; done"));
    assert_true(sites_find(libc, &again));
    assert_int_equal(again.n, first.n);
    assert_memory_equal(again.list, first.list, first.n * sizeof *first.list);
    sites_free(&first);
    sites_free(&again);
}

/* A user who may write the file may give it any build id: nothing is kept under that, and what is
 * kept is not believed for the file. */
TEST(test_a_strangers_file)
{
    struct site_list s;
    needs_decoder();
    assert_true(compiled_shell("echo 'int main(void) { return 0; }' > m.c && cc -Wl,--build-id="
                               "0x0102030405060708 -o m m.c && chmod 777 m"));
    assert_true(sites_find(compiled_path("m"), &s));
    sites_free(&s);
    assert_int_not_equal(access(compiled_path("state/rooftop/sites/0102030405060708"), F_OK), 0);
    assert_true(compiled_shell("chmod 755 m"));
    assert_true(sites_find(compiled_path("m"), &s));
    sites_free(&s);
    assert_int_equal(access(compiled_path("state/rooftop/sites/0102030405060708"), F_OK), 0);
}

TEST(test_no_program)
{
    struct site_list s;
    compiled_write("text", "syscall");
    assert_false(sites_find(compiled_path("text"), &s));
    assert_false(sites_find(compiled_path("nothing"), &s));
    assert_false(sites_find("/dev/null", &s));
}

FIXTURE(begin)
{
    compiled_new();
    setenv("XDG_STATE_HOME", compiled_path("state"), 1);
}

FIXTURE(end)
{
    compiled_free();
}

TEST_MAIN(begin, end)

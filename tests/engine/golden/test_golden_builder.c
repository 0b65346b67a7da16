/* What a golden trace keeps of a run, and what it leaves out: the same run with other addresses,
 * process numbers, descriptors and times gives the same lines; another output does not. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/golden/golden_diff.h"
#include "export/golden/golden_export.h"
#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "support/syscall_scene.h"
#include "support/test.h"

static void build(void *ctx, const struct syscall_event *e)
{
    golden_builder_add(ctx, e);
}

/* What differs between two runs of the same program. */
struct chance {
    int32_t pid;
    int fd;
    uint64_t address;
    const char *temporary, *output;
    int noise;
};

static struct golden a_run(const struct chance *c, enum golden_level level)
{
    struct golden_builder *b = golden_builder_new(level, NULL);
    struct syscall_scene s = {.pid = c->pid,
                              .tid = c->pid,
                              .now_ns = c->address,
                              .call_ns = 1 + c->address % 1000,
                              .sink = {.event = build, .ctx = b}};
    scene_exec(&s, "/usr/bin/app");
    scene_call(&s, "brk", (int64_t)c->address, 0, 0, 0, 0);
    scene_path(&s, "openat", 3, 1, "/usr/lib/x86_64-linux-gnu/libm.so.6");
    scene_call(&s, "read", 832, 3, c->address, 832, 0);
    scene_call(&s, "close", 0, 3, 0, 0, 0);
    if (c->noise > 10) /* not every mechanism sees it */
        scene_operation(&s, 22, 16);
    for (int i = 0; i < c->noise; i++)
        scene_call(&s, "futex", 0, c->address, 128, 2, 0);
    for (int i = 0; i < c->noise; i++) { /* as Go's runtime does */
        const struct syscall_event urgent = {
            .kind = SYSCALL_SIGNAL, .pid = c->pid, .tid = c->pid, .result = SIGURG};
        scene_call(&s, "tgkill", 0, (uint64_t)c->pid, (uint64_t)c->pid, SIGURG, 0);
        golden_builder_add(b, &urgent);
    }
    const uint64_t make[4] = {(uint64_t)AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL, 0600};
    scene_path_args(&s, "openat", c->fd, 1, c->temporary, make);
    scene_bytes(&s, "write", 3, c->fd, "abc");
    scene_call(&s, "close", 0, (uint64_t)c->fd, 0, 0, 0);
    scene_call(&s, "getpid", c->pid, 0, 0, 0, 0);
    scene_call(&s, "fcntl", 0, 1, F_SETOWN, (uint64_t)c->pid, 0);
    scene_call(&s, "fcntl", c->pid, 1, F_GETOWN, 0, 0);
    scene_call(&s, "setpriority", 0, 0, (uint64_t)c->pid, 5, 0);
    scene_bytes(&s, "write", (int64_t)strlen(c->output), 1, c->output);
    scene_call(&s, "clone", c->pid + 1, 0x1200011, 0, 0, 0);
    scene_start(&s, c->pid + 1, "app");
    scene_exec(&s, "/bin/true");
    scene_exit(&s, 0, 0);
    s.pid = s.tid = c->pid;
    scene_call(&s, "wait4", c->pid + 1, (uint64_t)(int64_t)-1, c->address, 0, 0);
    if (c->noise > 10) { /* interrupted by a signal, and made again */
        struct syscall_event again = {.kind = SYSCALL_CALL,
                                      .abi = SYSCALL_X86_64,
                                      .number = 56,
                                      .pid = c->pid,
                                      .tid = c->pid,
                                      .flags = SYSCALL_RESTARTS,
                                      .result = -513};
        golden_builder_add(b, &again);
    }
    scene_path(&s, "unlink", 0, 0, c->temporary);
    scene_exit(&s, 3 << 8, 0);
    struct golden g;
    struct error err = ERROR_INIT;
    char message[800];
    if (golden_builder_end(b, &g, &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    return g;
}

static const struct chance one = {100, 3, 0x7f0000001000, "/tmp/app.x1Y2z3", "hi\n", 2};
static const struct chance other = {4711, 9, 0x7fabcdef2000, "/tmp/app.Q8r7T6", "hi\n", 40};

static const struct chance third = {7, 4, 0x7fab00000000, "/tmp/app.aaaaa1", "hi\n", 3};

static void expect_same(const struct golden *a, const struct golden *b, bool same)
{
    struct golden_diff d;
    golden_compare(a, b, &d);
    if ((d.n == 0) != same) {
        golden_diff_write(stderr, a, b, &d, 2);
        fail_msg("%zu hunks", d.n);
    }
    golden_diff_free(&d);
}

TEST(test_chance_makes_no_difference)
{
    struct golden a = a_run(&one, GOLDEN_ORDER), b = a_run(&other, GOLDEN_ORDER);
    expect_same(&a, &b, false); /* one run does not show that the temporary name is chance */
    struct error err = ERROR_INIT;
    assert_int_equal(golden_settle(&a, &b, &err), 0);
    assert_int_equal(a.nfreedoms, 1);
    assert_string_equal(a.freedoms[0].section, "names");
    assert_string_equal(a.freedoms[0].what, "/tmp/app.??????");
    golden_free(&b);
    b = a_run(&third, GOLDEN_ORDER);
    golden_free_as(&b, &a);
    expect_same(&a, &b, true);
    golden_free(&a);
    golden_free(&b);
}

TEST(test_output_makes_a_difference)
{
    struct chance changed = other;
    changed.output = "ho\n";
    for (int level = 0; level < 2; level++) {
        struct golden a = a_run(&one, (enum golden_level)level);
        struct golden b = a_run(&changed, (enum golden_level)level);
        expect_same(&a, &b, false);
        golden_free(&a);
        golden_free(&b);
    }
}

TEST(test_the_lines)
{
    static const char *const effects[] = {
        "exited with 3",
        /* printf abc | sha256sum; printf 'hi\n' | sha256sum */
        "file /tmp/app.x1Y2z3: 3 bytes, sha256 "
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, made, mode 0600",
        "removed: /tmp/app.x1Y2z3",
        "stdout: 3 bytes, sha256 "
        "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4",
    };
    static const char *const calls[] = {
        "openat(AT_FDCWD, \"/tmp/app.x1Y2z3\", O_RDWR|O_CREAT|O_EXCL, 0600) = </tmp/app.x1Y2z3>",
        "write(</tmp/app.x1Y2z3>, \"abc\", 3) = 3",
        "close(</tmp/app.x1Y2z3>) = 0",
        "getpid() = process 1",
        "fcntl(<stdout>, F_SETOWN, process 1) = 0",
        "fcntl(<stdout>, F_GETOWN) = process 1",
        "setpriority(PRIO_PROCESS, process 1, 5) = 0",
        "write(<stdout>, \"hi\\n\", 3) = 3",
    };
    struct golden g = a_run(&one, GOLDEN_ORDER);
    const struct golden_section *s = golden_section_find(&g, "effects");
    assert_int_equal(s->n, sizeof effects / sizeof *effects);
    for (size_t i = 0; i < s->n; i++)
        assert_string_equal(s->lines[i], effects[i]);
    s = golden_section_find(&g, "process 1");
    assert_true(s->n > 5);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_string_equal(s->lines[i], calls[i]);
    assert_non_null(golden_section_find(&g, "process 1.1"));
    golden_free(&g);
}

TEST(test_nothing_and_losses_are_not_golden)
{
    struct golden g;
    struct error err = ERROR_INIT;
    assert_int_equal(golden_builder_end(golden_builder_new(GOLDEN_ORDER, NULL), &g, &err),
                     -ENODATA);
    struct golden_builder *b = golden_builder_new(GOLDEN_EFFECTS, NULL);
    struct syscall_scene s = {.pid = 1, .tid = 1, .sink = {.event = build, .ctx = b}};
    scene_call(&s, "getpid", 1, 0, 0, 0, 0);
    struct syscall_event lost = {.kind = SYSCALL_LOST, .args = {7}};
    golden_builder_add(b, &lost);
    assert_int_equal(golden_builder_end(b, &g, &err), -ENODATA);
    assert_non_null(strstr(err.why, "7 calls"));
}

TEST(test_redactions)
{
    struct golden_redactions r = {0};
    char why[128];
    assert_int_equal(golden_redact_add(&r, "build-[0-9]+", "build-N", why), 0);
    assert_int_equal(golden_redact_add(&r, "^getpid", NULL, why), 0);
    assert_true(golden_redact_add(&r, "(", NULL, why) < 0);
    struct golden_builder *b = golden_builder_new(GOLDEN_ORDER, &r);
    struct syscall_scene s = {.pid = 1, .tid = 1, .sink = {.event = build, .ctx = b}};
    scene_call(&s, "getpid", 1, 0, 0, 0, 0);
    scene_path(&s, "unlink", 0, 0, "out/build-123/build-9");
    struct golden g;
    assert_int_equal(golden_builder_end(b, &g, NULL), 0);
    const struct golden_section *lines = golden_section_find(&g, "process 1");
    assert_int_equal(lines->n, 1);
    assert_string_equal(lines->lines[0], "unlink(\"out/build-N/build-N\") = 0");
    assert_string_equal(golden_section_find(&g, "effects")->lines[1],
                        "removed: out/build-N/build-N");
    golden_free(&g);
    golden_redactions_free(&r);
}

/* The beginning of a line is there once. */
TEST(test_redaction_of_the_beginning)
{
    struct golden_redactions r = {0};
    char why[128];
    assert_int_equal(golden_redact_add(&r, "^[a-z]", "", why), 0);
    struct golden_builder *b = golden_builder_new(GOLDEN_ORDER, &r);
    struct syscall_scene s = {.pid = 1, .tid = 1, .sink = {.event = build, .ctx = b}};
    scene_path(&s, "unlink", 0, 0, "out/a");
    struct golden g;
    assert_int_equal(golden_builder_end(b, &g, NULL), 0);
    assert_string_equal(golden_section_find(&g, "process 1")->lines[0], "nlink(\"out/a\") = 0");
    golden_free(&g);
    golden_redactions_free(&r);
}

/* What is compared of a call that changes a file, and of the same one with another argument. */
TEST(test_changes_of_files)
{
    static const struct {
        const char *call;
        uint64_t args[4]; /* 0 where the path is, or the descriptor of "f" */
        int path;         /* which argument is the path "f"; -1: none */
        const char *line;
    } cases[] = {
        {"chmod", {0, 04777}, 0, "changed mode: f, 04777"},
        {"fchmod", {3, 0600}, -1, "changed mode: f, 0600"},
        {"fchmodat", {(uint64_t)AT_FDCWD, 0, 0640}, 1, "changed mode: f, 0640"},
        {"chown", {0, 1, 2}, 0, "changed owner: f, 1, 2"},
        {"fchown", {3, 5, (uint32_t)-1}, -1, "changed owner: f, 5, -1"},
        {"truncate", {0, 17}, 0, "truncated: f, 17"},
        {"ftruncate", {3, 0}, -1, "truncated: f, 0"},
        {"fallocate", {3, 0, 0, 10}, -1, "allocated: f, 0, 0, 10"},
        {"mknod", {0, S_IFIFO | 0600}, 0, "made node: f, S_IFIFO|0600"},
        {"mkdir", {0, 0700}, 0, "made directory: f, 0700"},
        {"umask", {077}, -1, "umask: 077"},
        {"fsetxattr", {3, 0, 0, 0}, 1, "set attribute: f, \"f\", NULL"}, /* of that name */
        {"fremovexattr", {3, 0}, 1, "removed attribute: f, \"f\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct golden_builder *b = golden_builder_new(GOLDEN_EFFECTS, NULL);
        struct syscall_scene s = {.pid = 1, .tid = 1, .sink = {.event = build, .ctx = b}};
        uint64_t a[4];
        memcpy(a, cases[i].args, sizeof a);
        scene_path(&s, "openat", 3, 1, "f");
        if (cases[i].path < 0) {
            scene_call(&s, cases[i].call, 0, a[0], a[1], a[2], a[3]);
        } else {
            scene_path_args(&s, cases[i].call, 0, (unsigned)cases[i].path, "f", a);
        }
        struct golden g;
        assert_int_equal(golden_builder_end(b, &g, NULL), 0);
        assert_int_equal(g.sections[0].n, 2);
        assert_string_equal(g.sections[0].lines[1], cases[i].line);
        golden_free(&g);
    }
}

/* The kernel's header of capabilities names the process by its number, which is no two runs' same.
 */
TEST(test_numbers_of_processes_in_capabilities)
{
    struct golden g[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t header[2] = {0x20080522, 1234 + (uint32_t)i}; /* version 3, the process */
        struct syscall_piece piece = {.address = 0x1000, .size = sizeof header};
        const struct syscall_event e = {.kind = SYSCALL_CALL,
                                        .abi = SYSCALL_X86_64,
                                        .number =
                                            (uint32_t)syscall_number(SYSCALL_X86_64, "capget"),
                                        .pid = 1234 + i,
                                        .tid = 1234 + i,
                                        .args = {piece.address, 0},
                                        .pieces = &piece,
                                        .npieces = 1,
                                        .bytes = (const uint8_t *)header,
                                        .nbytes = sizeof header};
        struct golden_builder *b = golden_builder_new(GOLDEN_ORDER, NULL);
        build(b, &e);
        assert_int_equal(golden_builder_end(b, &g[i], NULL), 0);
    }
    assert_non_null(strstr(golden_section_find(&g[0], "process 1")->lines[0], "capget({"));
    expect_same(&g[0], &g[1], true);
    golden_free(&g[0]);
    golden_free(&g[1]);
}

/* Two children that make a pipe each: whichever is faster, its pipe has the same name. */
static struct golden two_pipes(bool second_first)
{
    struct golden_builder *b = golden_builder_new(GOLDEN_ORDER, NULL);
    struct syscall_scene s = {.pid = 100, .tid = 100, .sink = {.event = build, .ctx = b}};
    scene_exec(&s, "/usr/bin/app");
    for (int i = 0; i < 2; i++) {
        scene_start(&s, 200 + i, "app");
        s.pid = s.tid = 100;
    }
    for (int i = 0; i < 2; i++) {
        s.pid = s.tid = 200 + (i ^ (int)second_first);
        scene_call(&s, "epoll_create1", 5, 0, 0, 0, 0);
        scene_call(&s, "close", 0, 5, 0, 0, 0);
    }
    struct golden g;
    assert_int_equal(golden_builder_end(b, &g, NULL), 0);
    return g;
}

TEST(test_who_is_faster)
{
    struct golden a = two_pipes(false), b = two_pipes(true);
    expect_same(&a, &b, true);
    assert_string_equal(golden_section_find(&a, "process 1.2")->lines[1],
                        "close(<epoll_create1 1 of process 1.2>) = 0");
    golden_free(&a);
    golden_free(&b);
}

/* A file that has a number as its name is not mistaken for the number. */
TEST(test_names_and_numbers)
{
    struct golden_swap swap = {(char *)"832", (char *)"N"};
    static const struct {
        const char *text, *now;
    } cases[] = {{"read(<832>, ..., 832) = 832", "read(<N>, ..., 832) = 832"},
                 {"openat(AT_FDCWD, \"832\", 0) = <832>", "openat(AT_FDCWD, \"N\", 0) = <N>"},
                 {"removed: 832", "removed: N"},
                 {"file 832: 832 bytes", "file N: 832 bytes"},
                 {"removed: /a/832", "removed: /a/832"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *now = golden_swap_text(strdup(cases[i].text), &swap, 1);
        assert_string_equal(now, cases[i].now);
        free(now);
    }
}

/* The numbers of processes and threads come again, or do not: the lines are the same. */
static struct golden children(bool again, bool late)
{
    struct golden_builder *b = golden_builder_new(GOLDEN_ORDER, NULL);
    struct syscall_scene s = {
        .pid = 100, .tid = 100, .call_ns = 1, .sink = {.event = build, .ctx = b}};
    scene_exec(&s, "/usr/bin/app");
    for (int i = 0; i < 3; i++) {
        const int32_t child = again ? 200 : 200 + 10 * i;
        if (!late)
            scene_call(&s, "clone", child, 0x1200011, 0, 0, 0);
        scene_start(&s, child, "app");
        scene_thread(&s, child + 1);
        scene_path(&s, "unlink", 0, 0, i ? "/a" : "/b");
        scene_exit(&s, 0, 0);
        s.tid = s.pid;
        scene_exit(&s, i << 8, 0);
        s.pid = s.tid = 100;
        if (late) /* the child has ended when its parent's call returns */
            scene_call(&s, "clone", child, 0x1200011, 0, 0, 0);
        scene_call(&s, "wait4", child, (uint64_t)child, 0, 0, 0);
    }
    scene_exit(&s, 0, 0);
    struct golden g;
    struct error err = ERROR_INIT;
    assert_int_equal(golden_builder_end(b, &g, &err), 0);
    return g;
}

TEST(test_numbers_that_come_again)
{
    for (int late = 0; late < 2; late++) {
        struct golden again = children(true, late), apart = children(false, late);
        assert_int_equal(apart.n, 8); /* effects, 100, three children with a thread each */
        expect_same(&again, &apart, true);
        golden_free(&again);
        golden_free(&apart);
    }
}

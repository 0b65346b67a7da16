/* What descriptors stand for, through dup, close, fork, exec, and events in either order. */
#include <fcntl.h>
#include <string.h>

#include "engine/facts/descriptors.h"
#include "support/syscall_scene.h"
#include "support/test.h"

static void follow(void *ctx, const struct syscall_event *e)
{
    descriptors_follow(ctx, e);
}

static struct syscall_scene begin(void)
{
    return (struct syscall_scene){.pid = 100,
                                  .tid = 100,
                                  .now_ns = 1,
                                  .call_ns = 1,
                                  .sink = {.event = follow, .ctx = descriptors_new()}};
}

static void expect(const struct syscall_scene *s, int32_t pid, int fd, const char *name)
{
    const struct descriptor_object *o = descriptors_of(s->sink.ctx, pid, fd);
    const char *wanted = name ? name : "unknown", *found = o ? o->name : "unknown";
    if (strcmp(found, wanted) != 0)
        fail_msg("descriptor %d of %d is %s, not %s", fd, (int)pid, found, wanted);
}

TEST(test_one_process)
{
    struct syscall_scene s = begin();
    scene_path(&s, "openat", 3, 1, "/etc/hosts");
    expect(&s, 100, 0, "stdin");
    expect(&s, 100, 3, "/etc/hosts");
    scene_call(&s, "dup2", 0, 3, 0, 0, 0);
    expect(&s, 100, 0, "/etc/hosts");
    scene_call(&s, "close", 0, 3, 0, 0, 0);
    expect(&s, 100, 3, NULL);
    scene_call(&s, "fcntl", 7, 0, F_DUPFD, 5, 0);
    expect(&s, 100, 7, "/etc/hosts");
    assert_int_equal(descriptors_open(s.sink.ctx, 100), 4);
    scene_path(&s, "openat", -2, 1, "/none");
    scene_path(&s, "openat", 9, 1, "/etc/hosts");
    assert_ptr_equal(descriptors_of(s.sink.ctx, 100, 9), descriptors_of(s.sink.ctx, 100, 7));
    scene_call(&s, "close_range", 0, 5, 100, 0, 0);
    expect(&s, 100, 9, NULL);
    descriptors_free(s.sink.ctx);
}

TEST(test_exec_closes_some)
{
    struct syscall_scene s = begin();
    scene_path(&s, "openat", 3, 1, "/a");
    scene_path(&s, "openat", 4, 1, "/b");
    scene_call(&s, "fcntl", 0, 4, F_SETFD, FD_CLOEXEC, 0);
    scene_exec(&s, "/bin/x");
    expect(&s, 100, 3, "/a");
    expect(&s, 100, 4, NULL);
    descriptors_free(s.sink.ctx);
}

/* The parent closes its descriptor after the fork; the child is seen before or after that. */
TEST(test_a_child_has_what_its_parent_had_at_the_fork)
{
    for (int late = 0; late < 2; late++) {
        struct syscall_scene s = begin();
        scene_path(&s, "openat", 3, 1, "/a");
        if (!late) {
            scene_start(&s, 200, "child");
            s.pid = s.tid = 100;
        }
        scene_call(&s, "clone", 200, 0x1200011, 0, 0, 0);
        scene_call(&s, "close", 0, 3, 0, 0, 0);
        if (late)
            scene_start(&s, 200, "child");
        expect(&s, 200, 3, "/a");
        expect(&s, 100, 3, NULL);
        descriptors_free(s.sink.ctx);
    }
}

TEST(test_threads_share)
{
    struct syscall_scene s = begin();
    scene_call(&s, "clone", 101, 0x3d0f00, 0, 0, 0);
    scene_thread(&s, 101);
    scene_path(&s, "openat", 3, 1, "/a");
    expect(&s, 100, 3, "/a");
    expect(&s, 101, 3, NULL); /* a thread is no process */
    descriptors_free(s.sink.ctx);
}

static void held(struct syscall_scene *s, int fd, const char *name)
{
    const struct syscall_event e = {.kind = SYSCALL_HELD,
                                    .pid = s->pid,
                                    .tid = s->tid,
                                    .args = {(uint64_t)fd},
                                    .bytes = (const uint8_t *)name,
                                    .nbytes = (uint32_t)strlen(name) + 1};
    s->sink.event(s->sink.ctx, &e);
}

/* A server is attached to: what it has open has names, and is no leak of what was traced. */
TEST(test_what_was_open_before)
{
    struct syscall_scene s = begin();
    const uint32_t before = descriptors_open(s.sink.ctx, 100);
    held(&s, 7, "socket:[123]");
    held(&s, 8, "/var/log/a");
    held(&s, 1, "/dev/pts/0");
    expect(&s, 100, 7, "socket:[123]");
    expect(&s, 100, 8, "/var/log/a");
    expect(&s, 100, 1, "stdout");
    assert_int_equal(descriptors_of(s.sink.ctx, 100, 7)->kind, DESCRIPTOR_SOCKET);
    assert_true(descriptors_open(s.sink.ctx, 100) <= before + 3);
    const uint32_t now = descriptors_open(s.sink.ctx, 100);
    scene_path(&s, "openat", 8, 1, "/b"); /* its number was closed unseen */
    expect(&s, 100, 8, "/b");
    assert_int_equal(descriptors_open(s.sink.ctx, 100), now + 1);
    scene_call(&s, "close", 0, 7, 0, 0, 0);
    expect(&s, 100, 7, NULL);
    assert_int_equal(descriptors_open(s.sink.ctx, 100), now + 1);
    descriptors_free(s.sink.ctx);
}

/* Each in both orders: the parent's fork returns first, or the child starts first. */
TEST(test_a_number_that_comes_again)
{
    for (int late = 0; late < 2; late++) {
        struct syscall_scene s = begin();
        scene_call(&s, "clone", 200, 0x1200011, 0, 0, 0);
        scene_start(&s, 200, "first");
        scene_path(&s, "openat", 3, 1, "/of/the/first");
        scene_exit(&s, 0, 0);
        s.pid = s.tid = 100;
        expect(&s, 200, 3, NULL);
        scene_path(&s, "openat", 5, 1, "/b");
        if (!late) {
            scene_start(&s, 200, "second");
            s.pid = s.tid = 100;
        }
        scene_call(&s, "clone", 200, 0x1200011, 0, 0, 0);
        scene_call(&s, "close", 0, 5, 0, 0, 0);
        if (late)
            scene_start(&s, 200, "second");
        expect(&s, 200, 5, "/b");
        expect(&s, 200, 3, NULL);
        descriptors_free(s.sink.ctx);
    }
}

/* The child has ended when its parent's fork returns. */
TEST(test_a_child_that_ends_at_once)
{
    struct syscall_scene s = begin();
    scene_path(&s, "openat", 3, 1, "/a");
    for (int i = 0; i < 3; i++) {
        scene_start(&s, 200, "child");
        expect(&s, 200, 3, "/a");
        scene_exit(&s, 0, 0);
        s.pid = s.tid = 100;
        scene_call(&s, "clone", 200, 0x1200011, 0, 0, 0);
        expect(&s, 200, 3, NULL);
        assert_int_equal(descriptors_of(s.sink.ctx, 100, 3)->open, 1);
    }
    descriptors_free(s.sink.ctx);
}

/* First it is a thread of 100, then a process, then a thread of that process's child. */
TEST(test_a_thread_number_that_comes_again)
{
    struct syscall_scene s = begin();
    scene_path(&s, "openat", 3, 1, "/of/100");
    scene_thread(&s, 101);
    scene_exit(&s, 0, 0);
    s.tid = 100;
    scene_call(&s, "dup2", 7, 3, 7, 0, 0);
    scene_start(&s, 101, "process");
    scene_call(&s, "close", 0, 3, 0, 0, 0);
    scene_call(&s, "close", 0, 7, 0, 0, 0);
    scene_path(&s, "openat", 3, 1, "/of/101");
    scene_start(&s, 102, "its child");
    expect(&s, 102, 3, "/of/101");
    expect(&s, 102, 7, NULL);
    descriptors_free(s.sink.ctx);
}

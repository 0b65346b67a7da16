/* Which calls waited, by what their descriptor stands for and how long they took. */
#include "engine/facts/descriptors.h"
#include "support/syscall_scene.h"
#include "support/test.h"

struct asked {
    struct descriptors *d;
    bool waited; /* the last call did */
};

static void ask(void *ctx, const struct syscall_event *e)
{
    struct asked *a = ctx;
    a->waited = descriptors_waited(a->d, e);
    descriptors_follow(a->d, e);
}

static const struct asked_call {
    const char *name;
    int fd;
    uint64_t ns;
    bool waits;
} calls[] = {
    {"read", 0, 2000000000, true},         /* standard input */
    {"write", 1, 2000000000, false},       /* standard output may be a file on a slow disk */
    {"read", 3, 2000000000, false},        /* a file */
    {"read", 4, DESCRIPTOR_WAIT_NS, true}, /* a terminal */
    {"read", 4, DESCRIPTOR_WAIT_NS - 1, false},
    {"recvfrom", 5, 2000000, true}, /* a socket */
    {"recvmsg", 5, 2000000, true},
    {"accept4", 5, 2000000, true},
    {"connect", 5, 2000000, true},
    {"ioctl", 5, 2000000, true},
    {"fstat", 5, 2000000, false},   /* no call that the other end could hold up */
    {"read", 6, 2000000, true},     /* an eventfd */
    {"read", 7, 2000000, false},    /* a file in memory */
    {"read", 9, 2000000000, false}, /* of unknown kind */
};

TEST(a_call_waits_for_the_other_end_of_a_pipe_a_socket_a_terminal)
{
    struct asked a = {.d = descriptors_new()};
    struct syscall_scene s = {
        .pid = 100, .tid = 100, .now_ns = 1, .call_ns = 1, .sink = {.event = ask, .ctx = &a}};
    scene_path(&s, "openat", 3, 1, "/etc/hosts");
    scene_path(&s, "openat", 4, 1, "/dev/pts/3");
    scene_call(&s, "socket", 5, 1, 1, 0, 0);
    scene_call(&s, "eventfd2", 6, 0, 0, 0, 0);
    scene_call(&s, "memfd_create", 7, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        s.call_ns = calls[i].ns;
        scene_call(&s, calls[i].name, 0, (uint64_t)calls[i].fd, 0, 0, 0);
        if (a.waited != calls[i].waits)
            fail_msg("%s of %d for %llu ns: said to %s", calls[i].name, calls[i].fd,
                     (unsigned long long)calls[i].ns, a.waited ? "wait" : "work");
    }
    descriptors_free(a.d);
}

/*
 * Parses in a separate process. It is forked without exec, because the source is a text in memory.
 * Only the child loads libclang, so that no thread of the parent can hold a lock of libclang. (The
 * C library resets its own locks in the child.)
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/clang/clang_tree.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/watch.h"

enum { LIMIT_S = 20, LOOK_MS = 100, NODES_MOST = 1 << 21, TEXTS_MOST = 32 << 20 };

/* The begin of the child's answer; nodes and texts follow. */
struct head {
    int32_t rc; /* of clang_parse_here */
    uint32_t gpu, plain_c;
    uint64_t count, ntexts;
    char why[CLANG_WHY];
    struct error err;
};

static bool write_whole_answer(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        const ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

static _Noreturn void be_child(const struct clang_source *s, int fd)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct syntax_tree tree;
    struct head h = {.err = ERROR_INIT};
    const struct rlimit cpu = {LIMIT_S, LIMIT_S}, core = {0, 0};
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        signal(ends[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int std = 0; std <= 2 && null >= 0; std++)
        if (std != fd)
            dup2(null, std);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    h.rc = clang_parse_here(s, &tree, h.why, &h.err);
    h.gpu = tree.gpu;
    h.plain_c = tree.plain_c;
    h.count = h.rc == 0 ? tree.count : 0;
    h.ntexts = h.rc == 0 ? tree.ntexts : 0;
    const bool sent = write_whole_answer(fd, &h, sizeof h) &&
                      write_whole_answer(fd, tree.nodes, h.count * sizeof *tree.nodes) &&
                      write_whole_answer(fd, tree.texts, h.ntexts);
    _exit(sent ? 0 : 1);
}

/* Reads n bytes until the deadline. false: there are no more, or the user cancelled. */
static bool read_all(int fd, void *out, size_t n, uint64_t deadline_ns)
{
    for (char *at = out; n > 0;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (watch_given_up() || env_now_ns() > deadline_ns)
            return false;
        if (poll(&p, 1, LOOK_MS) <= 0)
            continue;
        const ssize_t k = read(fd, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

static bool read_tree(int fd, struct head *h, struct syntax_tree *out, uint64_t deadline_ns)
{
    if (!read_all(fd, h, sizeof *h, deadline_ns) || h->count > NODES_MOST || h->ntexts > TEXTS_MOST)
        return false;
    h->why[CLANG_WHY - 1] = '\0';
    out->gpu = h->gpu != 0;
    out->plain_c = h->plain_c != 0;
    if (h->rc != 0)
        return true;
    out->count = h->count;
    out->ntexts = h->ntexts;
    out->nodes = xcalloc(out->count + 1, sizeof *out->nodes);
    out->texts = xcalloc(out->ntexts + 1, 1);
    return read_all(fd, out->nodes, out->count * sizeof *out->nodes, deadline_ns) &&
           read_all(fd, out->texts, out->ntexts, deadline_ns) && syntax_valid(out);
}

static void say_end(int status, uint64_t deadline_ns, char why[CLANG_WHY])
{
    if (env_now_ns() > deadline_ns || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(why, CLANG_WHY, "libclang took longer than %d s", LIMIT_S);
    else if (WIFSIGNALED(status))
        snprintf(why, CLANG_WHY, "libclang was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, CLANG_WHY, "libclang gave no tree");
}

int clang_parse(const struct clang_source *s, struct syntax_tree *out, char why[CLANG_WHY],
                struct error *err)
{
    const uint64_t deadline_ns = env_now_ns() + LIMIT_S * (uint64_t)1000000000;
    struct head h = {.rc = 0};
    int fds[2], status = 0;
    *out = (struct syntax_tree){.source = s->text, .n = s->n};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return error_set(err, ERROR_INTERNAL, errno, NULL, s->path, "%s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        be_child(s, fds[1]);
    }
    const int code = errno;
    close(fds[1]);
    const bool read_it = pid > 0 && read_tree(fds[0], &h, out, deadline_ns);
    close(fds[0]);
    if (pid < 0)
        return error_set(err, ERROR_INTERNAL, code, NULL, s->path, "%s", strerror(code));
    if (!read_it)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (read_it && h.rc == 0)
        return 0;
    syntax_free(out);
    if (watch_given_up())
        return watch_check(s->path, err);
    if (!read_it)
        say_end(status, deadline_ns, why);
    else if (h.rc < 0)
        *err = h.err;
    else
        memcpy(why, h.why, CLANG_WHY);
    return read_it ? h.rc : 1;
}

#include "backends/hsa/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/hsa/inventory_fill.h"
#include "base/arena.h"

/* What comes through the pipe. Of our own program, but of a process that may have gone wrong. */
struct answer {
    uint32_t magic;
    int32_t rc;
    struct error err;
    struct hsa_inventory inventory;
};
enum { ANSWER_MAGIC = 0x48534149 };

static void write_all(int fd, const void *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t k = write(fd, (const char *)p + at, n - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        at += (size_t)k;
    }
}

/* The child: nothing of ours is left to tidy up, and no handler of the runtime's shall run. */
static _Noreturn void child(int fd, int (*fill)(struct hsa_inventory *, struct error *))
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int s = 1; s < 32; s++)
        sigaction(s, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int quiet = open("/dev/null", O_RDWR | O_CLOEXEC); /* the screen is not the runtime's */
    if (quiet >= 0) {
        dup2(quiet, STDIN_FILENO);
        dup2(quiet, STDOUT_FILENO);
        dup2(quiet, STDERR_FILENO);
    }
    struct answer *a = calloc(1, sizeof *a);
    if (!a)
        _exit(1);
    a->magic = ANSWER_MAGIC;
    a->rc = fill(&a->inventory, &a->err);
    write_all(fd, a, sizeof *a);
    _exit(0);
}

/* Bytes that came until the end or the time was over; -ETIMEDOUT then. */
static long read_answer(int fd, struct answer *a, uint64_t timeout_ns)
{
    enum { SLICE_MS = 50 };
    struct timespec begin, now;
    size_t at = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (at < sizeof *a) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t passed = (uint64_t)(now.tv_sec - begin.tv_sec) * 1000000000u +
                          (uint64_t)now.tv_nsec - (uint64_t)begin.tv_nsec;
        if (passed >= timeout_ns)
            return -ETIMEDOUT;
        if (poll(&ready, 1, SLICE_MS) <= 0)
            continue;
        ssize_t n = read(fd, (char *)a + at, sizeof *a - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    return (long)at;
}

#define END(text) ((text)[sizeof(text) - 1] = '\0')

/* Texts end, counts are within their arrays. */
static bool tidy(struct answer *a)
{
    struct hsa_inventory *h = &a->inventory;
    END(a->err.what);
    END(a->err.why);
    END(a->err.help);
    END(h->library);
    END(h->vmem_why);
    if (a->magic != ANSWER_MAGIC || h->nagents > HSA_AGENTS_MAX)
        return false;
    for (uint32_t i = 0; i < h->nagents; i++) {
        struct hsa_agent_facts *g = &h->agent[i];
        if (g->nisas > HSA_ISAS_MAX || g->npools > HSA_POOLS_MAX)
            return false;
        END(g->name);
        END(g->product);
        END(g->vendor);
        END(g->pci);
        for (uint32_t k = 0; k < g->nisas; k++)
            END(g->isa[k]);
        for (uint32_t k = 0; k < g->npools; k++) {
            END(g->pool[k].segment);
            END(g->pool[k].flags);
        }
    }
    return true;
}

static int failed(struct error *err, int code, const char *why, int detail)
{
    return error_set(err, ERROR_UNSUPPORTED, code,
                     "does rocminfo work? see dmesg, and whether you may open /dev/kfd",
                     "ask the HSA runtime", why, detail);
}

int hsa_inventory_of(struct hsa_inventory **out, int timeout_ms,
                     int (*fill)(struct hsa_inventory *into, struct error *err), struct error *err)
{
    int ends[2], status = 0;
    *out = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failed(err, errno, "no pipe: errno %d", errno);
    pid_t pid = fork();
    if (pid == 0)
        child(ends[1], fill);
    close(ends[1]);
    struct answer *a = xcalloc(1, sizeof *a);
    long n = pid > 0 ? read_answer(ends[0], a, (uint64_t)timeout_ms * 1000000u) : -EAGAIN;
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL); /* it has nothing more to say; what hangs in the driver dies later */
        if (n != -ETIMEDOUT)
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        else
            waitpid(pid, &status, WNOHANG);
    }
    int rc = 0;
    if (pid < 0)
        rc = failed(err, EAGAIN, "no child process: errno %d", errno);
    else if (n == -ETIMEDOUT)
        rc = failed(err, ETIMEDOUT, "no answer within %d ms: hsa_init() hangs", timeout_ms);
    else if (n != (long)sizeof *a || !tidy(a))
        rc = failed(err, EIO, "hsa_init() ended the process that asked (signal %d)",
                    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    else if (a->rc != 0)
        rc = error_set(err, a->err.kind, a->err.code, a->err.help, a->err.what, "%s", a->err.why);
    if (rc == 0) {
        *out = xcalloc(1, sizeof **out);
        **out = a->inventory;
    }
    free(a);
    return rc;
}

int hsa_inventory_ask(struct hsa_inventory **out, int timeout_ms, struct error *err)
{
    return hsa_inventory_of(out, timeout_ms, hsa_inventory_fill, err);
}

/* "gfx942" of "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-". */
static void processor(const char *isa, char out[32])
{
    const char *dashes = strstr(isa, "--");
    const char *from = dashes ? dashes + 2 : isa;
    snprintf(out, 32, "%.*s", (int)strcspn(from, ":"), from);
}

/* A feature that is named must be as wanted: "xnack+" does not run where xnack is off. */
static bool features_fit(const char *want, const char *have)
{
    for (const char *p = strchr(want, ':'); p; p = strchr(p + 1, ':')) {
        char name[32], other[36];
        size_t n = strcspn(p + 1, ":");
        if (n < 2 || n >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, p + 1);
        name[n - 1] = name[n - 1] == '+' ? '-' : '+';
        snprintf(other, sizeof other, ":%s", name);
        if (strstr(have, other))
            return false;
    }
    return true;
}

const char *hsa_inventory_lacks(const struct hsa_inventory *h, const char *isa, char *buf,
                                unsigned size)
{
    char want[32], have[32];
    size_t n = 0;
    bool gpu = false;
    processor(isa, want);
    n += (size_t)snprintf(buf, size, "the code is for %.64s; this host has ", isa);
    for (uint32_t i = 0; i < h->nagents; i++)
        for (uint32_t k = 0; h->agent[i].gpu && k < h->agent[i].nisas; k++) {
            processor(h->agent[i].isa[k], have);
            if (strcmp(want, have) == 0 && features_fit(isa, h->agent[i].isa[k]))
                return NULL;
            if (n < size)
                n += (size_t)snprintf(buf + n, size - n, "%s%s", gpu ? ", " : "",
                                      h->agent[i].isa[k]);
            gpu = true;
        }
    if (!gpu)
        snprintf(buf, size, "the HSA runtime sees no GPU");
    return buf;
}

#include "cli/syscalls/syscalls_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"

enum { ANSWER = 32 * 1024 }; /* the kernel fills pages of this size at most */

/* --- a socket to the kernel, in the network namespace of a process --- */

struct opening {
    char ns[64]; /* the namespace to enter; "": our own */
    int fd;      /* the result: a socket, or -errno */
};

/* Runs on a thread of its own, because that thread enters the namespace and cannot come back. */
static void *open_netlink(void *arg)
{
    struct opening *o = arg;
    const int ns = o->ns[0] ? open(o->ns, O_RDONLY | O_CLOEXEC) : -1;
    if (o->ns[0] && (ns < 0 || setns(ns, CLONE_NEWNET) != 0))
        o->fd = -errno;
    else {
        o->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
        o->fd = o->fd < 0 ? -errno : o->fd;
    }
    if (ns >= 0)
        close(ns);
    return NULL;
}

static int netlink_of(pid_t pid)
{
    struct opening o = {.fd = -ENOENT};
    struct stat own, other;
    pthread_t thread;
    char path[sizeof o.ns];
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
    if (stat(path, &other) != 0 || stat("/proc/self/ns/net", &own) != 0)
        return -errno;
    if (own.st_dev == other.st_dev && own.st_ino == other.st_ino) {
        open_netlink(&o);
        return o.fd;
    }
    memcpy(o.ns, path, sizeof path);
    const int rc = thread_start(&thread, open_netlink, &o);
    if (rc != 0)
        return -rc;
    pthread_join(thread, NULL);
    return o.fd;
}

/* --- the question and its answers --- */

static int ask_for_sockets(int fd)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    const struct {
        struct nlmsghdr head;
        struct unix_diag_req req;
    } question = {.head = {.nlmsg_len = sizeof question,
                           .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                           .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                  .req = {.sdiag_family = AF_UNIX,
                          .udiag_states = UINT32_MAX,
                          .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER}};
    ssize_t n;
    do
        n = sendto(fd, &question, sizeof question, 0, (const struct sockaddr *)&kernel,
                   sizeof kernel);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

static void read_attribute(struct unix_socket *s, const struct rtattr *a)
{
    const size_t n = RTA_PAYLOAD(a);
    if (a->rta_type == UNIX_DIAG_PEER && n >= sizeof s->peer)
        memcpy(&s->peer, RTA_DATA(a), sizeof s->peer);
    if (a->rta_type != UNIX_DIAG_NAME)
        return;
    const size_t kept = n < UNIX_NAME ? n : UNIX_NAME - 1;
    memcpy(s->name, RTA_DATA(a), kept);
    for (size_t i = 0; i < kept; i++)
        s->name[i] = s->name[i] ? s->name[i] : '@';
}

static void read_socket(const struct nlmsghdr *h,
                        void (*take)(void *ctx, const struct unix_socket *s), void *ctx)
{
    const struct unix_diag_msg *m = NLMSG_DATA(h);
    struct unix_socket s = {.inode = 0};
    if (h->nlmsg_len < NLMSG_LENGTH(sizeof *m) || m->udiag_family != AF_UNIX)
        return;
    s.inode = m->udiag_ino;
    const struct rtattr *a = (const struct rtattr *)(m + 1);
    size_t left = h->nlmsg_len - NLMSG_LENGTH(sizeof *m);
    for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
        read_attribute(&s, a);
    take(ctx, &s);
}

/* True where more is to come. *rc: 0, or what the kernel says instead. */
static bool read_answer(const void *data, size_t n,
                        void (*take)(void *ctx, const struct unix_socket *s), void *ctx, int *rc)
{
    const struct nlmsghdr *h = data;
    for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
        if (h->nlmsg_type == NLMSG_DONE)
            return false;
        if (h->nlmsg_type == NLMSG_ERROR) {
            const struct nlmsgerr *e = NLMSG_DATA(h);
            *rc = h->nlmsg_len >= NLMSG_LENGTH(sizeof *e) && e->error ? e->error : -EIO;
            return false;
        }
        if (h->nlmsg_type == SOCK_DIAG_BY_FAMILY)
            read_socket(h, take, ctx);
    }
    return true;
}

int unix_sockets_read(pid_t pid, void (*take)(void *ctx, const struct unix_socket *s), void *ctx)
{
    /* netlink aligns messages to four bytes; the union aligns the buffer for their structs */
    union {
        struct nlmsghdr head;
        char bytes[ANSWER];
    } answer;
    const int fd = netlink_of(pid);
    if (fd < 0)
        return fd;
    int rc = ask_for_sockets(fd);
    for (bool more = rc == 0; more;) {
        const ssize_t n = recv(fd, &answer, sizeof answer, 0);
        if (n < 0 && errno == EINTR) /* the tracer's timer interrupts it */
            continue;
        if (n <= 0)
            rc = n < 0 ? -errno : -EIO;
        more = n > 0 && read_answer(&answer, (size_t)n, take, ctx, &rc);
    }
    close(fd);
    return rc;
}

/* What sockets are, against what getsockname and getpeername say of them. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/syscalls/syscalls_impl.h"
#include "support/skip.h"
#include "support/test.h"

static uint64_t injected_clock(void *ctx)
{
    return *(uint64_t *)ctx;
}

static uint64_t inode_of(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    return st.st_ino;
}

/* "127.0.0.1:80", "[::1]:80" */
static void address_of(int fd, bool peer, char *out, size_t size)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a;
    socklen_t n = sizeof a;
    char text[INET6_ADDRSTRLEN] = "";
    memset(&a, 0, sizeof a);
    const int rc = peer ? getpeername(fd, &a.any, &n) : getsockname(fd, &a.any, &n);
    assert_int_equal(rc, 0);
    const bool is_four = a.any.sa_family == AF_INET;
    inet_ntop(is_four ? AF_INET : AF_INET6,
              is_four ? (const void *)&a.four.sin_addr : &a.six.sin6_addr, text, sizeof text);
    snprintf(out, size, is_four ? "%s:%u" : "[%s]:%u", text, ntohs(a.four.sin_port));
}

/* A socket of this kind that is bound to the loopback address. */
static int bound(int family, int type)
{
    const struct sockaddr_in four = {.sin_family = AF_INET,
                                     .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int fd = socket(family, type, 0);
    if (fd < 0 || bind(fd, family == AF_INET ? (const void *)&four : (const void *)&six,
                       family == AF_INET ? sizeof four : sizeof six) != 0)
        skip_because("no loopback address of family %d here", family);
    return fd;
}

static void expect(int fd, const char *kind, bool peer)
{
    char own[80], other[80], name[200];
    address_of(fd, false, own, sizeof own);
    if (peer) {
        address_of(fd, true, other, sizeof other);
        snprintf(name, sizeof name, "%s %s to %s", kind, own, other);
    } else
        snprintf(name, sizeof name, "%s %s", kind, own);
    struct socket_names *s = socket_names_new();
    const char *found = socket_names_find(s, getpid(), inode_of(fd));
    assert_non_null(found);
    assert_string_equal(found, name);
    socket_names_free(s);
}

static void internet(int family)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    const int server = bound(family, SOCK_STREAM), client = socket(family, SOCK_STREAM, 0),
              datagrams = bound(family, SOCK_DGRAM);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&a, n), 0);
    const int accepted = accept(server, NULL, NULL);
    assert_true(accepted >= 0);
    expect(server, "tcp listens on", false);
    expect(client, "tcp", true);
    expect(accepted, "tcp", true);
    expect(datagrams, "udp", false);
    close(server);
    close(client);
    close(accepted);
    close(datagrams);
}

TEST(tcp_and_udp)
{
    internet(AF_INET);
}

TEST(tcp_and_udp_of_version_6)
{
    internet(AF_INET6);
}

static int bound_unix(const char *path, size_t n)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(n <= sizeof a.sun_path);
    memcpy(a.sun_path, path, n);
    assert_int_equal(bind(fd, (const struct sockaddr *)&a,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)),
                     0);
    return fd;
}

TEST(unix_sockets)
{
    char path[100], name[200];
    const int n = snprintf(path, sizeof path, "%crooftop test %d", 0, (int)getpid());
    const int fd = bound_unix(path, (size_t)n), alone = socket(AF_UNIX, SOCK_STREAM, 0);
    struct socket_names *s = socket_names_new();
    snprintf(name, sizeof name, "unix @%s", path + 1);
    assert_string_equal(socket_names_find(s, getpid(), inode_of(fd)), name);
    assert_null(socket_names_find(s, getpid(), inode_of(alone))); /* it has no name, and no peer */
    assert_null(socket_names_find(s, getpid(), 0));
    assert_int_equal(socket_names_reads(s), 1);
    socket_names_free(s);
    close(fd);
    close(alone);
}

static void count_unix(void *ctx, const struct unix_socket *s)
{
    (void)s;
    ++*(size_t *)ctx;
}

static void need_sock_diag(void)
{
    size_t n = 0;
    const int rc = unix_sockets_read(getpid(), count_unix, &n);
    if (rc != 0)
        skip_because("the kernel does not tell unix sockets by sock_diag: %s", strerror(-rc));
}

/* Who is at the other end: of a pair, of a connection, on both sides. */
TEST(peers_of_unix_sockets)
{
    struct sockaddr_un a;
    socklen_t size = sizeof a;
    char path[100], own[80], name[300], comm[32] = "";
    int pair[2];
    need_sock_diag();
    FILE *f = fopen("/proc/self/comm", "r");
    assert_non_null(fgets(comm, sizeof comm, f));
    fclose(f);
    comm[strcspn(comm, "\n")] = '\0';
    snprintf(own, sizeof own, "%d (%s)", (int)getpid(), comm);
    const int n = snprintf(path, sizeof path, "%crooftop peers %d", 0, (int)getpid());
    const int server = bound_unix(path, (size_t)n), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&a, &size), 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&a, size), 0);
    const int accepted = accept(server, NULL, NULL);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    struct socket_names *s = socket_names_new();
    snprintf(name, sizeof name, "unix to @%s of %s", path + 1, own);
    assert_string_equal(socket_names_find(s, getpid(), inode_of(client)), name);
    snprintf(name, sizeof name, "unix @%s to %s", path + 1, own);
    assert_string_equal(socket_names_find(s, getpid(), inode_of(accepted)), name);
    snprintf(name, sizeof name, "unix to %s", own);
    assert_string_equal(socket_names_find(s, getpid(), inode_of(pair[0])), name);
    assert_string_equal(socket_names_find(s, getpid(), inode_of(pair[1])), name);
    socket_names_free(s);
    close(server);
    close(client);
    close(accepted);
    close(pair[0]);
    close(pair[1]);
}

/* The rest of this name looks like a line of /proc/net/unix about another socket. */
TEST(a_name_with_a_newline_names_no_other_socket)
{
    char path[100];
    need_sock_diag();
    const int other = socket(AF_UNIX, SOCK_STREAM, 0);
    const int n = snprintf(path, sizeof path, "%cr %d\n0: 0 0 0 0 0 %llu /forged", 0, (int)getpid(),
                           (unsigned long long)inode_of(other));
    const int fd = bound_unix(path, (size_t)n);
    struct socket_names *s = socket_names_new();
    assert_null(socket_names_find(s, getpid(), inode_of(other)));
    assert_non_null(strstr(socket_names_find(s, getpid(), inode_of(fd)), "\n0: 0 0"));
    socket_names_free(s);
    close(fd);
    close(other);
}

/* A socket that is newer than what was read is found later, and a network is not read for each. */
TEST(networks_are_read_once)
{
    uint64_t now = 5000000000;
    env_set_clock(injected_clock, &now);
    struct socket_names *s = socket_names_new();
    assert_null(socket_names_find(s, getpid(), 0));
    const int fd = bound(AF_INET, SOCK_DGRAM);
    for (int i = 0; i < 10; i++)
        assert_null(socket_names_find(s, getpid(), inode_of(fd)));
    assert_int_equal(socket_names_reads(s), 1);
    now += 2000000000;
    assert_non_null(socket_names_find(s, getpid(), inode_of(fd)));
    assert_int_equal(socket_names_reads(s), 2);
    socket_names_free(s);
    env_set_clock(NULL, NULL);
    close(fd);
}

static volatile sig_atomic_t interrupted;

static void on_alarm(int signo)
{
    (void)signo;
    interrupted++;
}

/* A tracer has a timer: no signal changes what is read. */
TEST(signals_change_nothing)
{
    const struct sigaction act = {.sa_handler = on_alarm}, ignore = {.sa_handler = SIG_IGN};
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    size_t quiet = 0;
    need_sock_diag();
    int pairs[100][2];
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
    assert_int_equal(unix_sockets_read(getpid(), count_unix, &quiet), 0);
    assert_true(quiet >= 200);
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20 || interrupted < 20; i++) {
        size_t n = 0;
        assert_int_equal(unix_sockets_read(getpid(), count_unix, &n), 0);
        assert_true(n >= 200);
    }
    sigaction(SIGALRM, &ignore, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    for (size_t i = 0; i < 100; i++) {
        close(pairs[i][0]);
        close(pairs[i][1]);
    }
}

TEST(a_process_that_is_gone_has_none)
{
    struct socket_names *s = socket_names_new();
    assert_null(socket_names_find(s, 0x3fffffff, 1));
    socket_names_free(s);
}

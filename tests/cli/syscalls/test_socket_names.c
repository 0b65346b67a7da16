/* What sockets are, against what getsockname and getpeername say of them. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/syscalls/socket_names.h"
#include "support/skip.h"

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
    struct socket_names *s = socket_names_read(getpid());
    const char *found = socket_names_find(s, inode_of(fd));
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

static void tcp_and_udp(void **state)
{
    (void)state;
    internet(AF_INET);
}

static void tcp_and_udp_of_version_6(void **state)
{
    (void)state;
    internet(AF_INET6);
}

static void unix_sockets(void **state)
{
    (void)state;
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    char name[200];
    int pair[2];
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "rooftop test %d", (int)getpid());
    assert_int_equal(bind(fd, (const struct sockaddr *)&a,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)),
                     0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct socket_names *s = socket_names_read(getpid());
    snprintf(name, sizeof name, "unix @%s", a.sun_path + 1);
    assert_string_equal(socket_names_find(s, inode_of(fd)), name);
    assert_null(socket_names_find(s, inode_of(pair[0]))); /* it has no name */
    assert_null(socket_names_find(s, 0));
    socket_names_free(s);
    close(fd);
    close(pair[0]);
    close(pair[1]);
}

static void a_process_that_is_gone_has_none(void **state)
{
    (void)state;
    struct socket_names *s = socket_names_read(0x3fffffff);
    assert_null(socket_names_find(s, 1));
    socket_names_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_and_udp),
        cmocka_unit_test(tcp_and_udp_of_version_6),
        cmocka_unit_test(unix_sockets),
        cmocka_unit_test(a_process_that_is_gone_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of hosts: Slurm's ranges (scontrol show hostnames is the oracle), files, what is refused.
 */
#include "engine/fleet/host_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/fleet/fleet.h"
#include "support/test.h"

static void assert_hosts(const char *text, const char *expected)
{
    struct host_list l = {.n = 0};
    struct error err = ERROR_INIT;
    char all[4096] = "";
    assert_int_equal(host_list_add(&l, text, &err), 0);
    for (size_t i = 0; i < l.n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", l.names[i]);
    assert_string_equal(all, expected);
    host_list_free(&l);
}

static void assert_refused(const char *text)
{
    struct host_list l = {.n = 0};
    struct error err = ERROR_INIT;
    if (host_list_add(&l, text, &err) == 0)
        fail_msg("\"%s\" is taken", text);
    assert_int_equal(err.kind, ERROR_USAGE);
    host_list_free(&l);
}

TEST(lists_and_ranges_are_expanded)
{
    assert_hosts("a,b", "a b");
    assert_hosts("a,,b,a", "a b");
    assert_hosts("a\nb,c[1,2]\n", "a b c1 c2"); /* --host given twice */
    assert_hosts("user@node.example:22,[2001:db8::1]", "user@node.example:22 2001:db8::1");
    assert_hosts("node[08-11]", "node08 node09 node10 node11");
    assert_hosts("node[1-3,7,9-10]", "node1 node2 node3 node7 node9 node10");
    assert_hosts("r[1-2]n[01-02]x,z", "r1n01x r1n02x r2n01x r2n02x z");
    assert_hosts("node[8-11]", "node8 node9 node10 node11");
}

TEST(what_is_no_host_is_refused)
{
    assert_refused("-oProxyCommand=x");
    assert_refused("a,-b");
    assert_refused("a b");
    assert_refused("a;b");
    assert_refused("$(x)");
    assert_refused("node[1-");
    assert_refused("node[]");
    assert_refused("node[3-1]");
    assert_refused("node[a-c]");
    assert_refused("node[1-100000]");
    assert_refused("node[1-4000][1-4000]");
    assert_refused("[2001:db8::1]:22");
    assert_refused("[2001:db8::1");
    assert_refused("a]");
    assert_refused("[1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1]"
                   "[1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1][1,1,1,1]");
    assert_refused("node[1-99999999999999999999]");
}

TEST(a_file_has_a_host_a_line)
{
    char path[] = "/tmp/rooftop-test-hosts-XXXXXX";
    struct host_list l = {.n = 0};
    struct error err = ERROR_INIT;
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs("# the rack\n\n  a # first\nb slots=8\r\nnode[1-2]\n", file);
    fclose(file);
    assert_int_equal(host_list_read(&l, path, &err), 0);
    assert_int_equal(l.n, 4);
    assert_string_equal(l.names[0], "a");
    assert_string_equal(l.names[1], "b");
    assert_string_equal(l.names[3], "node2");
    file = fopen(path, "w");
    fwrite("a\0b\nc\n", 1, 6, file);
    fclose(file);
    assert_true(host_list_read(&l, path, &err) < 0);
    assert_non_null(strstr(err.why, "zero bytes"));
    file = fopen(path, "w");
    fputs("\n# the rack\nc\n-oProxyCommand=x\n", file);
    fclose(file);
    assert_true(host_list_read(&l, path, &err) < 0);
    assert_non_null(strstr(err.what, path));
    assert_non_null(strstr(err.what, ": line 4: -oProxyCommand=x"));
    unlink(path);
    assert_true(host_list_read(&l, path, &err) < 0);
    host_list_free(&l);
    assert_true(host_list_read(&l, "/dev/null", &err) < 0);
    assert_string_equal(err.what, "/dev/null");
    assert_string_equal(err.why, "it names no host");
    host_list_free(&l);
}

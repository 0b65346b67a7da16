/* Parses texts of /proc: whole, cut off and hostile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_parse.h"
#include "support/test.h"

#define REST                                                                                       \
    " R 7 8 9 1026 -1 4194304 115 116 1 2 30 12 5 6 20 -5 4 0 475880 3133440 366 "                 \
    "18446744073709551615 94 95 96 0 0 0 0 0 0 1 0 0 17 63 0 0 0 0 0 1 2 3 4 5 6 7 0\n"

TEST(stat_line_gives_every_field)
{
    struct pid_stat s;
    const char *line = "4242 (cat)" REST;
    assert_int_equal(parse_pid_stat(line, strlen(line), &s), 0);
    assert_int_equal(s.pid, 4242);
    assert_string_equal(s.comm, "cat");
    assert_int_equal(s.state, 'R');
    assert_int_equal(s.ppid, 7);
    assert_int_equal(s.pgrp, 8);
    assert_int_equal(s.session, 9);
    assert_false(s.kernel_thread);
    assert_int_equal(s.minor_faults, 115);
    assert_int_equal(s.child_minor_faults, 116);
    assert_int_equal(s.major_faults, 1);
    assert_int_equal(s.child_major_faults, 2);
    assert_int_equal(s.ticks, 42);
    assert_int_equal(s.nice, -5);
    assert_int_equal(s.threads, 4);
    assert_int_equal(s.start_ticks, 475880);
    assert_int_equal(s.virt, 3133440);
    assert_int_equal(s.rss_pages, 366);
    assert_int_equal(s.cpu, 63);
}

TEST(stat_name_may_hold_parentheses_and_newlines)
{
    static const char *const names[] = {") R 1 (",     "a b",  "()",      "",
                                        "))) S 3 4 5", "x\ny", "\xff\x01"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[512];
        struct pid_stat s;
        int n = snprintf(line, sizeof line, "12 (%s)" REST, names[i]);
        assert_int_equal(parse_pid_stat(line, (size_t)n, &s), 0);
        assert_string_equal(s.comm, names[i]);
        assert_int_equal(s.ppid, 7);
    }
}

TEST(stat_name_is_cut_where_it_is_too_long)
{
    char line[512], name[128];
    struct pid_stat s;
    for (size_t length = COMM_SIZE - 2; length < sizeof name; length++) {
        memset(name, 'w', length);
        name[length] = '\0';
        int n = snprintf(line, sizeof line, "12 (%s)" REST, name);
        memset(&s, 'x', sizeof s);
        assert_int_equal(parse_pid_stat(line, (size_t)n, &s), 0);
        assert_int_equal(strlen(s.comm), length < COMM_SIZE ? length : COMM_SIZE - 1);
        assert_memory_equal(s.comm, name, strlen(s.comm));
        assert_int_equal(s.ppid, 7);
    }
}

TEST(stat_line_cut_anywhere_is_refused_or_whole)
{
    const char *line = "4242 (cat)" REST;
    const char *rss = strstr(line, " 366") + 4;
    for (size_t n = 0; n <= strlen(line); n++) {
        /* exactly as large, so that a sanitizer notices reads beyond its end */
        char *exact = malloc(n + 1);
        struct pid_stat s;
        memcpy(exact, line, n);
        int rc = parse_pid_stat(exact, n, &s);
        if (n < (size_t)(rss - line) - 2)
            assert_int_equal(rc, -EINVAL);
        if (n >= (size_t)(rss - line))
            assert_int_equal(rc, 0);
        free(exact);
    }
}

TEST(stat_numbers_saturate)
{
    struct pid_stat s;
    const char *line = "1 (x) S 99999999999999999999999 1 1 0 -1 2097152 0 0 0 0 "
                       "99999999999999999999 1 0 0 0 0 1 0 5 6 -7 0";
    assert_int_equal(parse_pid_stat(line, strlen(line), &s), 0);
    assert_int_equal(s.ppid, INT32_MAX);
    assert_true(s.ticks > UINT64_C(1) << 62);
    assert_true(s.kernel_thread);
    assert_int_equal(s.rss_pages, 0); /* never negative */
    assert_int_equal(s.cpu, -1);      /* the line ends before this field */
}

TEST(sys_stat_maps_cpus_to_rows)
{
    int position[5] = {0, -1, 1, -1, 2};
    struct cpu_ticks cpu[3] = {{0}};
    bool seen[3] = {false};
    struct sys_stat st = {.position = position, .npositions = 5, .cpu = cpu, .seen = seen};
    const char *text = "cpu  10 1 5 100 7 2 3 4 6 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
                       "cpu1 9 9 9 9 9 9 9 9\ncpu2 11 12 13 14\ncpu12345 1 1 1 1\n"
                       "intr 77 1 2 3\nctxt 88\nprocesses 99\nprocs_running 3\n";
    parse_sys_stat(text, strlen(text), &st);
    assert_true(st.have_total && st.have_interrupts && st.have_context_switches && st.have_forks);
    assert_int_equal(st.total.softirq, 3);
    assert_int_equal(cpu[0].steal, 8);
    assert_int_equal(cpu[1].idle, 14);
    assert_int_equal(cpu[1].iowait, 0); /* a kernel before 2.5.41 has no such field */
    assert_true(seen[0] && seen[1]);
    assert_false(seen[2]);
    assert_int_equal(st.interrupts, 77);
    assert_int_equal(st.context_switches, 88);
    assert_int_equal(st.forks, 99);
    assert_int_equal(st.running, 3);
}

TEST(meminfo_tells_what_is_there)
{
    struct mem_info m;
    const char *text =
        "MemTotal:       16000000 kB\nMemFree: 1 kB\nCached: 5 kB\nSwapCached: 7 kB\n"
        "SwapTotal: 9 kB\nSwapFree: 4 kB";
    parse_meminfo(text, strlen(text), &m);
    assert_int_equal(m.total, UINT64_C(16000000) * 1024);
    assert_int_equal(m.cached, 5 * 1024);
    assert_false(m.have_available);
    assert_false(m.have_buffers);
    assert_true(m.have_swap);
    assert_int_equal(m.swap_free, 4096);
}

TEST(decimals_and_pressure)
{
    double v[3], avg;
    assert_int_equal(parse_decimals("0.42 1.00 17.5 2/3", 18, v, 3), 3);
    assert_true(v[0] > 0.4199 && v[0] < 0.4201 && v[2] == 17.5);
    assert_int_equal(parse_decimals("nan", 3, v, 3), 0);
    const char *psi = "some avg10=3.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=9.99\n";
    assert_int_equal(parse_pressure(psi, strlen(psi), &avg), 0);
    assert_true(avg == 3.5);
    assert_int_equal(parse_pressure("full avg10=9.99\n", 16, &avg), -EINVAL);
}

TEST(traffic_lines)
{
    struct io_line l;
    size_t at = 0;
    const char *net =
        "Inter-|   Receive\n face |bytes    packets\n    lo:    33 1 0 0 0 0 0 0 44 1\n"
        "  eth0:100 1 2 3 4 5 6 7 200 9 0 0 0 0 0 0\nbad: 1 2\n";
    assert_true(parse_net_line(net, strlen(net), &at, &l));
    assert_string_equal(l.name, "lo");
    assert_int_equal(l.out, 44);
    assert_true(parse_net_line(net, strlen(net), &at, &l));
    assert_string_equal(l.name, "eth0");
    assert_int_equal(l.in, 100);
    assert_int_equal(l.out, 200);
    assert_false(parse_net_line(net, strlen(net), &at, &l));
    at = 0;
    const char *disk =
        "   7       0 loop0 0 0\n 254       0 vda 224878 44607 30 224504 74152 36661 "
        "50 16092 0 35436\n";
    assert_true(parse_disk_line(disk, strlen(disk), &at, &l));
    assert_string_equal(l.name, "vda");
    assert_int_equal(l.in, 30 * 512);
    assert_int_equal(l.out, 50 * 512);
    assert_false(parse_disk_line(disk, strlen(disk), &at, &l));
}

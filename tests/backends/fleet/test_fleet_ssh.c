/* Hosts by name, through a program in the place of ssh that plays hosts of many kinds.
 * rooftop --host node1,node2 is this source. */
#include "backends/fleet/fleet_ssh.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "support/test.h"

/* Plays the host that the word behind "--" names: its name up to the first digit is its kind. */
static const char fake[] =
    "#!/bin/sh\n"
    "while [ \"$1\" != -- ]; do shift; done\n"
    "line() { echo "
    "\"{\\\"schema\\\":\\\"rooftop.snapshot/1\\\",\\\"host\\\":{\\\"cpus\\\":4},\\\"cpu_total\\\":"
    "{\\\"busy\\\":{\\\"value\\\":$1}},\\\"load\\\":{\\\"1\\\":{\\\"value\\\":2}}}\"; }\n"
    "echo $$ >>\"$FAKE_SSH_PIDS\"\n"
    "case ${2%%[0-9]*} in\n"
    "good) while line 25; do sleep 0.05; done ;;\n"
    "login) echo welcome to this host; echo; while line 26; do sleep 0.05; done ;;\n"
    "garbage) exec cat /dev/urandom ;;\n"
    "long) exec tr '\\000' x </dev/zero ;;\n"
    "flood) while line 27; do :; done & while line 28; do :; done & while line 2; do :; done ;;\n"
    "dies) line 29; sleep 0.1; echo 'Connection reset by peer' >&2; exit 255 ;;\n"
    "denied) printf 'Warning: x\\r\\nPermission denied (publickey).\\r\\n' >&2; exit 255 ;;\n"
    "missing) echo 'sh: rooftop: not found' >&2; exit 127 ;;\n"
    "arch) echo 'sh: 1: rooftop: Exec format error' >&2; exit 126 ;;\n"
    "mode) echo 'sh: 1: rooftop: Permission denied' >&2; exit 126 ;;\n"
    "older) echo \"rooftop: --only: unknown value 'host'; give one of all\" >&2; exit 2 ;;\n"
    "key) echo 'Host key verification failed.' >&2; exit 255 ;;\n"
    "mute) exit 3 ;;\n"
    "wordy) printf 'Connection refused %0300d\\n' 7 >&2; exit 255 ;;\n"
    "cut) line 30; echo '{\"schema\":\"rooftop.snapshot/1\",'; sleep 60 ;;\n"
    "other) echo '{\"schema\":\"rooftop.tree/1\"}'; sleep 60 ;;\n"
    "stubborn) trap '' TERM; while line 31; do sleep 0.05; done ;;\n"
    "silent) sleep 60 ;;\n"
    /* in each second it tells of a tenth; and a clock that is set back every time */
    "slow|back) i=10; while [ $i -lt 59 ]; do t=$i; [ ${2%%[0-9]*} = slow ] || t=$((69 - i))\n"
    "  echo '{\"schema\":\"rooftop.snapshot/1\",\"time\":\"2026-11-30T00:00:00.'$t'Z\",'\\\n"
    "'\"interval\":{\"value\":0.01}}'; i=$((i+1)); sleep 0.1; done; sleep 60 ;;\n"
    "waits) line 32; until [ -e \"$FAKE_SSH_PIDS.go\" ]; do sleep 0.3; done\n"
    "  line 33; echo $$ >>\"$FAKE_SSH_PIDS\"; exec sleep 60 ;;\n"
    "esac\n";

static char folder[] = "/tmp/rooftop-test-fleet-XXXXXX";
static char program[64], pids[64];
static struct fleet *f;
static struct fleet_source_of source;

FIXTURE(set_up)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/ssh", folder);
    snprintf(pids, sizeof pids, "%s/pids", folder);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs(fake, file);
    fclose(file);
    chmod(program, 0700);
    env_put("ROOFTOP_SSH", program);
    env_put("FAKE_SSH_PIDS", pids);
    f = fleet_new(0);
}

FIXTURE(tear_down)
{
    if (source.ops)
        source.ops->stop(source.self);
    source.ops = NULL;
    fleet_free(f);
    env_put("ROOFTOP_SSH", NULL);
    unlink(program);
    unlink(pids);
    rmdir(folder);
}

static void begin_every(double interval_s, char *const *hosts, size_t n)
{
    const struct fleet_ssh_config config = {.hosts = hosts, .n = n, .interval_s = interval_s};
    struct error err = ERROR_INIT;
    assert_int_equal(fleet_ssh_open(&source, &config, &err), 0);
    assert_int_equal(source.ops->start(source.self, f, &err), 0);
}

static void begin(char *const *hosts, size_t n)
{
    begin_every(1, hosts, n);
}

/* Lets the source work until the host is in that state, or gives up after a minute. */
static struct fleet_picture *wait_for_state(int host, enum fleet_state state)
{
    for (const uint64_t begin_ns = env_now_ns(); env_now_ns() - begin_ns < UINT64_C(60000000000);) {
        const uint64_t now = env_now_ns(), next = source.ops->poll(source.self, f, now);
        struct fleet_picture *p = fleet_picture_new(f, now, env_wall_ns());
        if (p->rows[host].state == state)
            return p;
        fleet_picture_unref(p);
        struct pollfd fd = {.fd = source.ops->fd(source.self), .events = POLLIN};
        poll(&fd, 1, next > now ? (int)((next - now) / 1000000) + 1 : 0);
    }
    fail_msg("host %d is not %s after a minute", host, fleet_state_name(state));
    return NULL;
}

static void assert_lost(const char *host, const char *why)
{
    char name[32];
    char *hosts[] = {name, "good"};
    snprintf(name, sizeof name, "%s", host);
    begin(hosts, 2);
    struct fleet_picture *p = wait_for_state(0, FLEET_LOST);
    if (!strstr(p->rows[0].reason, why))
        fail_msg("%s is lost by \"%s\", not \"%s\"", host, p->rows[0].reason, why);
    fleet_picture_unref(p);
    fleet_picture_unref(wait_for_state(1, FLEET_LIVE)); /* the others go on */
}

TEST_WITH(samples_of_hosts_become_rows, set_up, tear_down)
{
    char *hosts[] = {"good1", "good2", "login3"};
    begin(hosts, 3);
    for (int i = 0; i < 3; i++) {
        struct fleet_picture *p = wait_for_state(i, FLEET_LIVE);
        assert_true(p->rows[i].v[FLEET_cpu] == (i == 2 ? 26 : 25));
        assert_true(p->rows[i].v[FLEET_load] == 0.5);
        assert_true(isnan(p->rows[i].v[FLEET_gpu_busy]));
        fleet_picture_unref(p);
    }
}

TEST_WITH(what_ssh_says_is_the_reason, set_up, tear_down)
{
    assert_lost("denied", "Permission denied (publickey).");
}

TEST_WITH(a_host_without_rooftop_is_told_how_to_get_it, set_up, tear_down)
{
    assert_lost("missing", "rooftop: not found; copy the static one (make portable)");
}

/* What failed, why, and what would help. */
TEST_WITH(what_helps_depends_on_who_refused, set_up, tear_down)
{
    static const char *const rows[][2] = {
        {"arch", "Exec format error; that program is for another processor"},
        {"mode", "Permission denied; chmod +x it there"},
        {"older", "an older one: copy this one there"},
        {"key", "Host key verification failed.; log in once by hand to see its key: ssh HOST"},
        {"denied", "(publickey).; it needs a key or an agent: ssh-copy-id HOST"},
        {"mute", "it ended with status 3"},
        {"wordy", "000; does sshd run there, on this port?"},
    };
    enum { KINDS = sizeof rows / sizeof *rows };
    char *hosts[KINDS];
    for (int i = 0; i < KINDS; i++)
        hosts[i] = (char *)rows[i][0];
    begin(hosts, KINDS);
    for (int i = 0; i < KINDS; i++) {
        struct fleet_picture *p = wait_for_state(i, FLEET_LOST);
        if (!strstr(p->rows[i].reason, rows[i][1]))
            fail_msg("%s is lost by \"%s\", not \"%s\"", hosts[i], p->rows[i].reason, rows[i][1]);
        fleet_picture_unref(p);
    }
}

TEST_WITH(garbage_is_refused, set_up, tear_down)
{
    assert_lost("garbage", "no snapshot of rooftop");
}

TEST_WITH(a_line_without_an_end_is_refused, set_up, tear_down)
{
    assert_lost("long", "longer than 1024 KiB");
}

TEST_WITH(another_document_is_refused, set_up, tear_down)
{
    assert_lost("other", "no snapshot of rooftop");
}

TEST_WITH(a_damaged_line_after_good_ones_is_refused, set_up, tear_down)
{
    assert_lost("cut", "no snapshot of rooftop");
}

TEST_WITH(a_host_that_dies_is_lost_with_its_last_words_and_tried_again, set_up, tear_down)
{
    assert_lost("dies", "Connection reset by peer");
    fleet_picture_unref(wait_for_state(0, FLEET_LIVE));
}

/* Nothing that it began is left: neither a child that ignores the request, nor a silent one. */
static size_t count_pids(void)
{
    size_t n = 0;
    FILE *file = fopen(pids, "r");
    for (int c; file && (c = getc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

/* As after ^Z and fg: what the hosts sent meanwhile waits in their pipes. The interval is so long
 * that no host is late or silent while others of them begin: on a busy machine that takes a while.
 */
TEST_WITH(hosts_that_spoke_during_a_pause_are_not_silent, set_up, tear_down)
{
    enum { HOSTS = 80, INTERVAL_S = 100, LOOKS = 6000 };
    char name[HOSTS][16], go[80], *hosts[HOSTS];
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name[i], sizeof name[i], "waits%d", i);
        hosts[i] = name[i];
    }
    begin_every(INTERVAL_S, hosts, HOSTS);
    for (int i = 0; i < HOSTS; i++)
        fleet_picture_unref(wait_for_state(i, FLEET_LIVE));
    snprintf(go, sizeof go, "%s.go", pids);
    fclose(fopen(go, "w"));
    for (int i = 0; count_pids() < 2 * HOSTS; i++) {
        if (i == LOOKS)
            fail_msg("the hosts did not speak");
        usleep(10000);
    }
    unlink(go);
    const uint64_t later = env_now_ns() + 60 * INTERVAL_S * UINT64_C(1000000000);
    source.ops->poll(source.self, f, later);
    struct fleet_picture *p = fleet_picture_new(f, later, env_wall_ns());
    assert_int_equal(p->states[FLEET_LIVE], HOSTS);
    for (int i = 0; i < HOSTS; i++)
        assert_true(p->rows[i].v[FLEET_cpu] == 33);
    fleet_picture_unref(p);
}

/* A slow connection fills up, and what comes is older and older: it is not the present. */
TEST_WITH(samples_that_come_ever_later_make_a_host_late, set_up, tear_down)
{
    char *hosts[] = {"slow", "back"};
    bool told = false;
    begin_every(0.2, hosts, 2);
    /* on a busy machine it may be late for another reason first */
    for (const uint64_t begin_ns = env_now_ns();
         !told && env_now_ns() - begin_ns < UINT64_C(60000000000); usleep(20000)) {
        struct fleet_picture *p = wait_for_state(0, FLEET_LATE);
        told = strstr(p->rows[0].reason, "late: the connection is slow");
        assert_null(strstr(p->rows[1].reason, "slow"));
        fleet_picture_unref(p);
    }
    assert_true(told);
}

TEST_WITH(nothing_is_left_at_the_end, set_up, tear_down)
{
    char *hosts[] = {"stubborn", "silent", "good", "flood"};
    int pid, n = 0;
    begin(hosts, 4);
    fleet_picture_unref(wait_for_state(0, FLEET_LIVE));
    fleet_picture_unref(wait_for_state(2, FLEET_LIVE));
    for (int i = 0; i < 6000 && count_pids() < 4; i++) /* looks: the other two have begun */
        usleep(10000);
    source.ops->stop(source.self);
    source.ops = NULL;
    FILE *file = fopen(pids, "r");
    assert_non_null(file);
    for (; fscanf(file, "%d", &pid) == 1; n++)
        assert_int_equal(kill(pid, 0), -1);
    fclose(file);
    assert_true(n >= 4);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST_WITH(a_program_that_is_not_there_is_told_at_once, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    char *hosts[] = {"a"};
    const struct fleet_ssh_config config = {.hosts = hosts, .n = 1, .interval_s = 1};
    env_put("ROOFTOP_SSH", "/nowhere/ssh -F x");
    assert_true(fleet_ssh_open(&source, &config, &err) < 0);
    source.ops = NULL;
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
}

TEST_WITH(a_silence_that_is_no_number_is_refused, set_up, tear_down)
{
    static const char *const bad[] = {"x", "0", "3s", "1e9", "nan"};
    char *hosts[] = {"good"};
    const struct fleet_ssh_config config = {.hosts = hosts, .n = 1, .interval_s = 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        env_put("ROOFTOP_HOST_SILENCE", bad[i]);
        assert_true(fleet_ssh_open(&source, &config, &err) < 0);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
    source.ops = NULL;
    env_put("ROOFTOP_HOST_SILENCE", NULL);
}

TEST_WITH(the_words_are_those_of_ssh_and_srun, set_up, tear_down)
{
    const struct fleet_ssh_config config = {.interval_s = 2, .remote = "/opt/rooftop"};
    struct fleet_ssh_config slurm = config;
    env_put("ROOFTOP_SSH", "ssh -F file");
    char **w = fleet_command(&config, "user@a", "/run/x", false);
    assert_string_equal(w[1], "-F");
    assert_string_equal(w[2], "file");
    assert_string_equal(w[3], "-oBatchMode=yes");
    size_t n = 0;
    while (w[n] && strcmp(w[n], "--") != 0)
        n++;
    assert_string_equal(w[n + 1], "user@a");
    assert_string_equal(w[n + 2], "/opt/rooftop");
    fleet_words_free(w);
    slurm.slurm = true;
    w = fleet_command(&slurm, "node7", NULL, true);
    for (n = 0; w[n] && strcmp(w[n], "--nodelist=node7") != 0; n++)
        ;
    assert_non_null(w[n]);
    assert_string_equal(w[n + 1], "/opt/rooftop");
    assert_null(w[n + 2]);
    fleet_words_free(w);
}

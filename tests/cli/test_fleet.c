/*
 * rooftop --host through the real ssh and real servers of it, and through a real Slurm: several
 * hosts by name, a server each, in a network namespace of its own where that is allowed, else on
 * the loopback address. One is killed, one's network is cut (it freezes, on loopback), one's is
 * slow (not on loopback), on one rooftop itself is stopped: told, and the others go on. Forks: not
 * for TSan.
 */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/service.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { HOSTS = 5, CENTER = HOSTS, LINES = 240, PROCESSES = 64 };

static int port[HOSTS];
static bool apart;         /* they are in network namespaces, and rooftop in that of the center */
static FILE *documents;    /* what rooftop prints, a line each */
static pid_t rooftop;      /* or its launcher; a group of its own */
static const char *steady; /* a host with which nothing happens; NULL: none is */
static bool was_live;      /* that host */
static pid_t stopped[PROCESSES];
static int nstopped; /* who would stay for ever where the host's server is gone */

static void shell(const char *line)
{
    if (system(line) != 0)
        fail_msg("%s failed", line);
}

/* A host is given up soon: the waits for that are most of these tests' time. */
static void give_up_soon(void)
{
    setenv("ROOFTOP_HOST_SILENCE", "3", 1);
}

static void need_servers(void)
{
    program_needed();
    give_up_soon();
    if (access("/usr/sbin/sshd", X_OK) != 0 || !service_has("ssh-keygen"))
        skip_because("hosts through ssh: no sshd here; apt install openssh-server");
    setenv("BIN", program_rooftop(), 1);
    char path[PATH_MAX];
    if (realpath(program_rooftop(), path))
        setenv("PWD_BIN", path, 1);
    if (getuid() == 0)
        mkdir("/run/sshd", 0755); /* it wants an empty folder of its own */
}

/* --- network namespaces --- */

static int server_of(int host)
{
    char path[128];
    int server = 0;
    snprintf(path, sizeof path, "%s/pid%d", temp_folder, host);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &server), 1);
    fclose(f);
    return server;
}

static void wait_for_server(int host)
{
    char line[256];
    snprintf(line, sizeof line,
             "i=0; until [ -s $D/pid%d ]; do i=$((i+1)); [ $i -lt 600 ] || exit 1; sleep 0.05; "
             "done",
             host);
    shell(line);
}

/* Words that run a program in the namespace of a host, or in rooftop's. */
static void name_namespace(const char *variable, int host)
{
    char words[64];
    snprintf(words, sizeof words, "nsenter -n -t %d", server_of(host));
    setenv(variable, words, 1);
}

static void make_center(void)
{
    char line[256];
    setenv("C", "", 1);
    apart = service_has("nsenter") &&
            system("unshare -n ip link add a type veth peer name b 2>$D/refused") == 0;
    if (!apart)
        return;
    snprintf(line, sizeof line,
             "exec unshare -n sh -c 'ip link set lo up; echo $$ >$D/center; mv $D/center "
             "$D/pid%d; exec sleep 1000'",
             CENTER);
    service_start(line);
    wait_for_server(CENTER);
    name_namespace("C", CENTER);
}

/* A cable from the host to the center: e0 there, vHOST here. */
static void connect_host(int host)
{
    char line[512];
    name_namespace("H", host);
    snprintf(line, sizeof line,
             "set -e; $C ip link add v%d type veth peer name e0 netns %d; "
             "$C ip addr add 10.77.%d.1/30 dev v%d; $C ip link set v%d up; "
             "$H ip addr add 10.77.%d.2/30 dev e0; $H ip link set e0 up",
             host, server_of(host), host, host, host, host);
    shell(line);
}

/* --- hosts --- */

/* Its server of ssh, and its name in a configuration. */
static void start_host(int host)
{
    char line[1024], address[32] = "127.0.0.1";
    port[host] = service_port();
    if (apart)
        snprintf(address, sizeof address, "10.77.%d.2", host);
    snprintf(line, sizeof line,
             "printf 'Host host%d\\n HostName %s\\n Port %d\\n IdentityFile %%s/key\\n "
             "StrictHostKeyChecking no\\n UserKnownHostsFile %%s/known\\n LogLevel ERROR\\n "
             "IdentitiesOnly yes\\n' $D $D >>$D/config",
             host, address, port[host]);
    shell(line);
    snprintf(line, sizeof line,
             "exec %s /usr/sbin/sshd -D -e -f /dev/null -p %d -o ListenAddress=%s "
             "-o HostKey=$D/hostkey -o AuthorizedKeysFile=$D/authorized -o StrictModes=no "
             "-o PidFile=$D/pid%d -o PermitRootLogin=yes -o UsePAM=no",
             apart ? "unshare -n" : "", port[host], apart ? "0.0.0.0" : address, host);
    service_start(line);
}

/* Keys for the test, a server of ssh a host, and a configuration in which each has a name. */
static void start_hosts(void)
{
    char line[1024];
    shell(
        "ssh-keygen -q -t ed25519 -N '' -f $D/key && ssh-keygen -q -t ed25519 -N '' -f $D/hostkey "
        "&& cp $D/key.pub $D/authorized && : >$D/config");
    make_center();
    for (int i = 0; i < HOSTS; i++)
        start_host(i);
    for (int i = 0; i < HOSTS; i++) {
        wait_for_server(i);
        if (apart)
            connect_host(i);
    }
    snprintf(line, sizeof line, "ssh -F %s/config", temp_folder);
    setenv("ROOFTOP_SSH", line, 1);
    if (system("$C ssh -F $D/config -o BatchMode=yes host3 true") != 0)
        skip_because("hosts through ssh: this user cannot log in at an sshd of its own (is the "
                     "account locked?)");
}

/* Starts it with its output in a pipe. launcher: the words before it. */
static void start_rooftop(const char *launcher, const char *arguments)
{
    int out[2];
    char line[1024];
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    snprintf(line, sizeof line,
             "exec %s \"$BIN\" --host-rooftop \"$PWD_BIN\" -d 0.5 --headless --format jsonl "
             "--frames 100000 %s",
             launcher, arguments);
    rooftop = fork();
    assert_true(rooftop >= 0);
    if (rooftop == 0) {
        setpgid(0, 0);
        dup2(out[1], 1);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    documents = fdopen(out[0], "r");
    assert_non_null(documents);
}

static int end_all(void **state)
{
    if (documents)
        fclose(documents);
    documents = NULL;
    /* without a reader it ends by itself, and then its launcher */
    for (int i = 0; rooftop > 0 && waitpid(rooftop, NULL, WNOHANG) == 0; i++) {
        if (i > 400)
            kill(-rooftop, SIGKILL);
        usleep(50000);
    }
    while (nstopped > 0)
        kill(stopped[--nstopped], SIGKILL);
    rooftop = 0;
    steady = NULL;
    was_live = false;
    unsetenv("ROOFTOP_SSH");
    unsetenv("ROOFTOP_SRUN");
    services_stop(state);
    return temp_folder_remove(state);
}

/* The document that comes next; the caller frees it. */
static cJSON *read_document(void)
{
    static char line[1 << 18];
    if (!fgets(line, sizeof line, documents))
        fail_msg("rooftop has ended");
    cJSON *doc = cJSON_Parse(line);
    assert_non_null(doc);
    return doc;
}

static const char *state_of(const cJSON *doc, const char *host, const char **reason)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(doc, "hosts"))
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(row, "host")), host) != 0)
            continue;
        *reason = cJSON_GetStringValue(cJSON_GetObjectItem(row, "reason"));
        return cJSON_GetStringValue(cJSON_GetObjectItem(row, "state"));
    }
    fail_msg("no row of %s", host);
    return "";
}

/* Reads documents until the host has this state. The steady one must be live in each of them from
 * the first in which it was. reason: a part of the host's; NULL: any. */
static void wait_for(const char *host, const char *state, const char *reason)
{
    const char *why = NULL, *is = "", *ignored;
    for (int i = 0; i < LINES; i++) {
        cJSON *doc = read_document();
        const bool lives = steady && strcmp(state_of(doc, steady, &ignored), "live") == 0;
        if (steady && was_live && !lives)
            fail_msg("%s is no longer live", steady);
        was_live = was_live || lives;
        is = state_of(doc, host, &why);
        const bool found = strcmp(is, state) == 0 && (!reason || (why && strstr(why, reason)));
        if (!found && i == LINES - 1)
            fail_msg("%s is %s (%s), not %s", host, is, why ? why : "", state);
        cJSON_Delete(doc);
        if (found)
            return;
    }
}

/* --- processes --- */

static pid_t parent_of(pid_t pid, char name[64])
{
    char path[64], state;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f || fscanf(f, "%*d (%63[^)]) %c %d", name, &state, &parent) != 3)
        parent = 0;
    if (f)
        fclose(f);
    return parent;
}

static bool descends(pid_t pid, pid_t from)
{
    char name[64];
    for (int i = 0; pid > 1 && i < 64; i++, pid = parent_of(pid, name))
        if (pid == from)
            return true;
    return false;
}

/* Sends a signal to the server of a host and all that it started, or to those of that name. Returns
 * to how many; signo 0 only counts. */
static int signal_host(int host, int signo, const char *only)
{
    const int server = server_of(host);
    char name[64];
    pid_t found[PROCESSES]; /* all before the first is killed: children of a dead server are not its
                               own */
    int n = 0, sent = 0;
    DIR *d = opendir("/proc");
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        const pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid <= 1 || !descends(pid, server) || !parent_of(pid, name))
            continue;
        if (n < PROCESSES && (!only || strcmp(name, only) == 0))
            found[n++] = pid;
    }
    closedir(d);
    for (int i = 0; i < n; i++) {
        sent += kill(found[i], signo) == 0;
        if (signo == SIGSTOP && nstopped < PROCESSES)
            stopped[nstopped++] = found[i];
    }
    return sent;
}

/* --- tests --- */

static void cut_host(int host, bool cut)
{
    char line[64];
    snprintf(line, sizeof line, "$C ip link set v%d %s", host, cut ? "down" : "up");
    if (apart)
        shell(line);
    else
        assert_true(signal_host(host, cut ? SIGSTOP : SIGCONT, NULL) > 0);
}

/* What it sends goes through as a tenth of it; not where the kernel has no such queue. */
static bool slow_host(int host)
{
    if (!apart)
        return false;
    name_namespace("H", host);
    return system("$H tc qdisc add dev e0 root tbf rate 24kbit burst 3000 latency 30s "
                  "2>$D/refused") == 0;
}

/* Also where it has no time to end anything itself: its ssh ends with it, so the connection does,
 * and what runs there. */
static void kill_rooftop_and_look(void)
{
    assert_true(signal_host(3, 0, NULL) > 1);
    kill(rooftop, SIGKILL);
    waitpid(rooftop, NULL, 0);
    rooftop = 0;
    for (int i = 0; signal_host(3, 0, NULL) > 1; i++) {
        if (i == 1200)
            fail_msg("what rooftop began on the host runs a minute later");
        usleep(50000);
    }
}

TEST_WITH(one_host_killed_one_cut_off_one_stopped_and_the_others_go_on, temp_folder_make, end_all)
{
    need_servers();
    start_hosts();
    steady = "host3";
    start_rooftop("$C", "--host 'host[0-4]'");
    for (int i = 0; i < HOSTS; i++) {
        char name[8];
        snprintf(name, sizeof name, "host%d", i);
        wait_for(name, "live", NULL);
    }
    assert_true(signal_host(0, SIGKILL, NULL) > 0);
    cut_host(1, true);
    assert_true(signal_host(2, SIGSTOP, "rooftop") > 0);
    const bool slow = slow_host(4);
    wait_for("host0", "lost", "Connection");
    wait_for("host1", "late", "no sample");
    if (slow)
        wait_for("host4", "late", "the connection is slow");
    wait_for("host1", "lost", NULL);
    cut_host(1, false); /* at once: each try that fails doubles the time until the next one */
    /* it was connected again; what was stopped is not waited for */
    wait_for("host2", "live", NULL);
    wait_for("host1", "live", NULL);
    kill_rooftop_and_look();
}

/* Slurm's two nodes, this host both. Of each the file $D/NODE has the pids of its sruns. */
static void start_slurm_rooftop(void)
{
    char line[512];
    program_needed();
    give_up_soon();
    if (!service_has("salloc"))
        skip_because("hosts of an allocation: Slurm is not installed; apt install slurm-wlm");
    temp_folder_put("srun", "#!/bin/sh\nfor w; do case $w in --nodelist=*) echo $$ "
                            ">>$D/${w#*=};; esac; done\nexec srun \"$@\"\n");
    snprintf(line, sizeof line, "sh %s/srun", temp_folder);
    setenv("ROOFTOP_SRUN", line, 1);
    start_rooftop("sh tests/cli/job/slurm.sh $D/slurm salloc -Q -N2 --no-kill", "--host slurm");
    const int first = getc(documents);
    if (first != '{')
        skip_because("hosts of an allocation: Slurm does not start here");
    ungetc(first, documents);
}

/* On the steps of Slurm no two run on a node: what an ended srun began has ended, too. */
static void wait_for_one_step(const char *node)
{
    char line[256];
    snprintf(line, sizeof line,
             "i=0; until [ $(SLURM_CONF=$D/slurm/slurm.conf squeue -hs -o %%N | grep -c %s) -le 1 "
             "]; do i=$((i+1)); [ $i -lt 300 ] || exit 1; sleep 0.1; done",
             node);
    shell(line);
}

/* As in a shell that salloc started: what it sets is all that rooftop knows of it. */
static void look_from_inside(void)
{
    static const char *const argv[] = {"sh", "-c",
                                       "export SLURM_CONF=$D/slurm/slurm.conf; "
                                       "export SLURM_JOB_ID=$(squeue -ho %A); "
                                       "export SLURM_JOB_NODELIST='n[1-2]'; exec $BIN -d 0.5",
                                       NULL};
    struct pty t;
    setenv("BIN", program_rooftop(), 1);
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv, .cols = 100, .rows = 30}), 0);
    assert_true(pty_until_text(&t, "M shows them all"));
    pty_keys(&t, "M");
    assert_true(pty_until_text(&t, "2 hosts: 2 live"));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    pty_end(&t);
}

TEST_WITH(nodes_of_an_allocation, temp_folder_make, end_all)
{
    start_slurm_rooftop();
    steady = "n1";
    wait_for("n1", "live", NULL);
    wait_for("n2", "live", NULL);
    shell("kill -STOP $(tail -n 1 $D/n2)"); /* an srun that hangs */
    wait_for("n2", "lost", "no sample for");
    wait_for("n2", "live", NULL);
    wait_for_one_step("n2");
    look_from_inside();
    shell("SLURM_CONF=$D/slurm/slurm.conf scontrol update NodeName=n2 State=down Reason=test");
    wait_for("n2", "lost", NULL);
    steady = NULL;
    shell("SLURM_CONF=$D/slurm/slurm.conf scancel --state=running --user=$(id -un)");
    wait_for("n1", "lost", NULL);
}

TEST_WITH(a_key_that_is_refused_and_a_rooftop_that_is_missing_are_told, temp_folder_make, end_all)
{
    struct program p;
    need_servers();
    start_hosts();
    shell("sed -i '/Host host0/,/Host host1/s,/key$,/other,' $D/config && "
          "ssh-keygen -q -t ed25519 -N '' -f $D/other");
    program_expect(
        &p, "$C $BIN --host host0 --host-rooftop $PWD_BIN --headless --format json -d 0.5", 4);
    program_sees(&p, "Permission denied");
    program_free(&p);
    program_expect(&p, "$C $BIN --host host1 --host-rooftop /nowhere/rooftop --headless -d 0.5", 4);
    program_sees(&p, "make portable");
    program_free(&p);
    program_expect(&p, "$C $BIN --host host1,host2 --host-rooftop $PWD_BIN --brief -d 0.5", 0);
    program_sees(&p, "2 hosts: 2 live");
    program_free(&p);
}

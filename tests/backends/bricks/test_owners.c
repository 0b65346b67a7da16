/* Files of bricks in /dev/shm that another user made: they count only if they belong to the
 * process's user, or root. (Forks: not for TSan.) */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "backends/usdt/usdt_impl.h"
#include "base/owner.h"
#include "support/other_user.h"
#include "support/test.h"

enum { ALICE = 12345, MALLORY = 12346, NUMBER = 777 };

static char path[128];
static struct brick_writer *writer;

/* Writes a file to the shared folder that claims to be of this process, with this start time and
 * program. */
static void say(pid_t pid, uint64_t start_ticks, const char *exe, uid_t owner, mode_t mode)
{
    struct brick_writer_program of = {pid, start_ticks, "forged", exe};
    struct error err = ERROR_INIT;
    char text[800];
    snprintf(path, sizeof path, BRICK_FOLDER "/rooftop-%d-%d.bricks", (int)pid, NUMBER);
    unlink(path);
    if (brick_writer_open(&writer, path, &of, 1, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    assert_true(brick_writer_describe(writer, "a forged brick") != BRICK_NONE);
    assert_int_equal(chown(path, owner, owner), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void unsay(void)
{
    brick_writer_close(writer);
    writer = NULL;
}

static void needs_root(void)
{
    if (geteuid() != 0) {
        print_message("skipped: only root can make files of two users\n");
        skip();
    }
}

static uint64_t start_of(pid_t pid)
{
    struct owner_process p;
    assert_true(owner_of_process(pid, &p));
    return p.start_ticks;
}

static const char *own_exe(void)
{
    static char exe[256];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    return exe;
}

/* How many programs are shown for this PID; *refusal: the message about files that are refused. */
static size_t shown(pid_t pid, enum target_kind kind, char refusal[160])
{
    struct programs p = {0};
    struct target t = {.kind = kind, .npids = 1};
    t.pids = &pid;
    if (kind == TARGET_HOST)
        t.npids = 0;
    programs_find(&p, &t, NULL);
    programs_poll(&p);
    size_t n = 0;
    for (size_t i = 0; i < p.n; i++)
        n += p.list[i].pid == pid;
    snprintf(refusal, 160, "%s", p.refused ? p.refusal : "");
    programs_close(&p);
    return n;
}

static void expect(pid_t pid, size_t n, const char *why)
{
    char said[160];
    for (int kind = 0; kind < 2; kind++) {
        size_t got = shown(pid, kind ? TARGET_HOST : TARGET_PIDS, said);
        if (got != n || (why && !strstr(said, why)) || (!why && *said))
            fail_msg("%zu programs are shown, %zu expected; '%s' was said, '%s' expected", got, n,
                     said, why ? why : "");
    }
}

TEST(another_users_file_does_not_speak_for_root)
{
    needs_root();
    say(getpid(), start_of(getpid()), own_exe(), MALLORY, 0644);
    expect(getpid(), 0, "a file of user 12346 says that it is of process");
    expect(getpid(), 0, "belongs to another user");
    unsay();
    say(getpid(), start_of(getpid()), own_exe(), 0, 0600);
    expect(getpid(), 1, NULL);
    unsay();
}

TEST(a_user_speaks_for_its_own_processes_only)
{
    needs_root();
    pid_t alice = other_user_run(ALICE);
    say(alice, start_of(alice), own_exe(), ALICE, 0600);
    expect(alice, 1, NULL);
    unsay();
    say(alice, start_of(alice), own_exe(), MALLORY, 0644);
    expect(alice, 0, "belongs to another user");
    unsay();
    /* root could also write to the process directly */
    say(alice, start_of(alice), own_exe(), 0, 0600);
    expect(alice, 1, NULL);
    unsay();
    say(alice, start_of(alice), own_exe(), ALICE, 0622);
    expect(alice, 0, "others may write in it");
    unsay();
    other_user_end(alice);
}

/* The user who started a set-user-ID program may not make files for it. */
TEST(only_root_may_make_files_for_a_set_user_id_process)
{
    int gate[2];
    char byte;
    needs_root();
    assert_int_equal(pipe(gate), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setresuid(MALLORY, MALLORY, 0) != 0 || write(gate[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(gate[0], &byte, 1), 1);
    say(pid, start_of(pid), own_exe(), MALLORY, 0600);
    expect(pid, 0, "belongs to another user");
    unsay();
    other_user_end(pid);
    close(gate[0]);
    close(gate[1]);
}

/* PIDs are reused: a file that an earlier process left does not belong to the present one. */
TEST(files_of_an_earlier_process_with_the_same_pid_are_refused)
{
    char said[160];
    needs_root();
    pid_t alice = other_user_run(ALICE);
    uint64_t ticks = start_of(alice);
    say(alice, ticks - 1, own_exe(), ALICE, 0600);
    assert_int_equal(shown(alice, TARGET_PIDS, said), 0); /* and no message is shown */
    assert_string_equal(said, "");
    unsay();
    say(alice, 0, own_exe(), ALICE, 0600);
    expect(alice, 0, "when its process began");
    unsay();
    /* our own crashed process is shown although another process has its PID now */
    say(alice, ticks - 1, own_exe(), 0, 0600);
    struct programs p = {0};
    struct target t = {.kind = TARGET_PIDS, .npids = 1, .pids = &alice};
    programs_find(&p, &t, NULL);
    programs_poll(&p);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.list[0].state, PROGRAM_CRASHED);
    programs_close(&p);
    unsay();
    other_user_end(alice);
}

TEST(a_file_under_another_processes_name_is_not_believed)
{
    char other[128], said[160];
    needs_root();
    pid_t alice = other_user_run(ALICE);
    say(getpid(), start_of(getpid()), own_exe(), 0, 0600);
    snprintf(other, sizeof other, BRICK_FOLDER "/rooftop-%d-%d.bricks", (int)alice, NUMBER);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(shown(getpid(), TARGET_HOST, said), 0);
    assert_non_null(strstr(said, "its name is another process's"));
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(link(path, other), 0); /* a hard link to another user's file */
    assert_int_equal(shown(getpid(), TARGET_PIDS, said), 0);
    assert_non_null(strstr(said, "another name"));
    unlink(other);
    expect(getpid(), 1, NULL);
    unsay();
    other_user_end(alice);
}

/* A program that was accepted stays shown after it ends or crashes. */
TEST(an_accepted_program_stays_shown_when_it_ends)
{
    struct programs p = {0};
    needs_root();
    pid_t alice = other_user_run(ALICE);
    struct target t = {.kind = TARGET_PIDS, .npids = 1, .pids = &alice};
    say(alice, start_of(alice), own_exe(), ALICE, 0600);
    programs_find(&p, &t, NULL);
    other_user_end(alice);
    programs_find(&p, &t, NULL);
    programs_poll(&p);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.list[0].state, PROGRAM_CRASHED);
    programs_close(&p);
    unsay();
}

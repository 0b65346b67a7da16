/* Which files may make claims about which processes: by owner, by other users' rights to write
 * them, by their type. With real users if the test runs as root. (Forks: not for TSan.) */
#include "base/owner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/procfs.h"
#include "support/test.h"

enum { ALICE = 12345, MALLORY = 12346 };

static struct stat state_of(mode_t mode, uid_t user, gid_t group)
{
    return (struct stat){.st_mode = mode, .st_uid = user, .st_gid = group, .st_nlink = 1};
}

static void refused(struct stat state, uid_t user, const char *why)
{
    const char *said = owner_refuses(&state, user);
    if (!why)
        assert_null(said);
    else if (!said || !strstr(said, why))
        fail_msg("'%s' instead of '%s'", said ? said : "believed", why);
}

TEST(the_user_and_root_are_believed)
{
    refused(state_of(S_IFREG | 0600, ALICE, 1), ALICE, NULL);
    refused(state_of(S_IFREG | 0644, 0, 0), ALICE, NULL);
    refused(state_of(S_IFREG | 0644, 0, 0), OWNER_NOBODY, NULL);
    refused(state_of(S_IFDIR | 0700, ALICE, 1), ALICE, NULL);
}

TEST(files_of_other_users_are_refused)
{
    refused(state_of(S_IFREG | 0600, MALLORY, 1), ALICE, "another user");
    refused(state_of(S_IFREG | 0600, MALLORY, 1), 0, "another user");
    refused(state_of(S_IFREG | 0600, ALICE, 1), OWNER_NOBODY, "another user");
    refused(state_of(S_IFREG | 0600, OWNER_NOBODY, 1), 0, "another user");
}

TEST(files_that_others_may_write_are_refused)
{
    refused(state_of(S_IFREG | 0602, ALICE, ALICE), ALICE, "others may write");
    refused(state_of(S_IFREG | 0620, ALICE, 100), ALICE, "others may write");
    /* a group with only this user: umask 002 */
    refused(state_of(S_IFREG | 0664, ALICE, ALICE), ALICE, NULL);
    refused(state_of(S_IFREG | 0666, 0, 0), ALICE, "others may write");
    refused(state_of(S_IFDIR | 01777, 0, 0), ALICE, "others may write");
}

TEST(links_and_devices_are_not_believed)
{
    struct stat two = state_of(S_IFREG | 0600, ALICE, 1);
    two.st_nlink = 2;
    refused(two, ALICE, NULL);
    assert_string_equal(owner_refuses_named(&two, ALICE), "it has another name too");
    assert_string_equal(owner_refuses_named(&two, MALLORY), "it belongs to another user");
    two.st_nlink = 0; /* it was deleted after it was opened */
    assert_null(owner_refuses_named(&two, ALICE));
    refused(state_of(S_IFIFO | 0600, ALICE, 1), ALICE, "not a regular");
    refused(state_of(S_IFLNK | 0777, ALICE, 1), ALICE, "not a regular");
    refused(state_of(S_IFSOCK | 0600, 0, 1), ALICE, "not a regular");
}

/* Users without a number in a user namespace all look like one user, "nobody", who is not
 * trusted. */
TEST(the_user_nobody_of_a_namespace_is_refused)
{
    procfs_new();
    procfs_write("/proc/sys/kernel/overflowuid", "65534\n");
    procfs_write("/proc/self/uid_map", "         0       1000          1\n");
    refused(state_of(S_IFREG | 0600, 65534, 1), 65534, "no number");
    refused(state_of(S_IFREG | 0600, 0, 1), 65534, NULL);
    procfs_write("/proc/self/uid_map", "         0          0 4294967295\n");
    refused(state_of(S_IFREG | 0600, 65534, 1), 65534, NULL); /* "nobody" of the host itself */
    procfs_free();
}

static void process(const char *uids, const char *stat_line)
{
    procfs_write("/proc/40/status", "Name:\tx\nUid:\t%s\nNSpid:\t40\t7\nThreads:\t1\n", uids);
    procfs_write("/proc/40/stat", "%s", stat_line);
}

TEST(a_process_is_its_user_and_its_start)
{
    static const char line[] = "40 (a) Z (b) S 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 777 0 0\n";
    struct owner_process p;
    procfs_new();
    process("12345\t12345\t12345\t12345", line);
    assert_true(owner_of_process(40, &p));
    assert_int_equal(p.user, ALICE);
    assert_int_equal(p.start_ticks, 777);
    assert_int_equal(p.inner, 7);
    process("12345\t0\t0\t0", line); /* set-user-ID root: it belongs to root */
    assert_true(owner_of_process(40, &p));
    assert_int_equal(p.user, 0);
    process("12345\t12345\t0\t12345", line); /* it can get root's rights back */
    assert_true(owner_of_process(40, &p));
    assert_int_equal(p.user, OWNER_NOBODY);
    process("12345\t12345\t12345\t12345", "40 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 777 0\n");
    assert_false(owner_of_process(40, &p)); /* a zombie */
    assert_false(owner_of_process(41, &p));
    procfs_free();
}

static void needs_root(void)
{
    if (geteuid() != 0) {
        print_message("skipped: only root can make files of two users\n");
        skip();
    }
}

/* What the kernel says about a real process of another user. */
TEST(a_real_process_of_another_user)
{
    struct owner_process p;
    int gate[2];
    char byte;
    needs_root();
    assert_int_equal(pipe(gate), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (setresuid(ALICE, ALICE, 0) != 0 || write(gate[1], "", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(gate[0], &byte, 1), 1);
    assert_true(owner_of_process(pid, &p));
    assert_int_equal(p.user, OWNER_NOBODY);
    assert_true(p.start_ticks > 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(gate[0]);
    close(gate[1]);
    assert_false(owner_of_process(pid, &p));
}

TEST(a_file_is_opened_only_where_it_is_believed)
{
    char folder[] = "/tmp/rooftop-owner-XXXXXX", path[64], link_path[64];
    const char *why = NULL;
    struct stat st;
    needs_root();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(chown(path, ALICE, ALICE), 0);
    int fd = owner_open(path, ALICE, &st, &why);
    assert_true(fd >= 0 && st.st_uid == ALICE);
    close(fd);
    assert_int_equal(owner_open(path, MALLORY, &st, &why), -1);
    assert_non_null(strstr(why, "another user"));
    assert_int_equal(owner_open(folder, 0, &st, &why), -1);
    assert_non_null(strstr(why, "not a regular"));
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(owner_open(link_path, ALICE, &st, &why), -1);
    assert_non_null(strstr(why, "link"));
    unlink(link_path);
    assert_int_equal(link(path, link_path), 0);
    assert_int_equal(owner_open(path, ALICE, &st, &why), -1);
    assert_non_null(strstr(why, "another name"));
    unlink(link_path);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* opening it must not wait for a writer */
    assert_int_equal(owner_open(path, 0, &st, &why), -1);
    unlink(path);
    assert_int_equal(owner_open(path, 0, &st, &why), -1);
    assert_non_null(strstr(why, "No such file"));
    rmdir(folder);
}

/*
 * The private folder in shared memory: it is created, kept while it is used, then removed. Forks:
 * not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/command/folder.h"
#include "support/test.h"

static bool is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* The PID of a child that has ended and was reaped. */
static pid_t ended(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

TEST(the_folder_is_private_and_removed_with_its_files)
{
    struct brick_folder f;
    struct stat st;
    char file[96];
    assert_true(brick_folder_make(&f));
    assert_int_equal(stat(f.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    snprintf(file, sizeof file, "%s/bricks", f.path);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fclose(out);
    char path[64];
    memcpy(path, f.path, sizeof path);
    brick_folder_remove(&f);
    assert_false(is_there(path));
    brick_folder_remove(&f); /* once more does nothing */
}

/* In another container the PID in the folder's name may not exist, but the folder is locked, so it
 * is in use. */
TEST(a_locked_folder_is_kept)
{
    struct brick_folder f, other;
    assert_true(brick_folder_make(&f));
    char foreign[64];
    snprintf(foreign, sizeof foreign, "/dev/shm/rooftop-run-%d-foreign", (int)ended());
    assert_int_equal(rename(f.path, foreign), 0);
    memcpy(f.path, foreign, sizeof foreign);
    assert_true(brick_folder_make(&other));
    assert_true(is_there(foreign));
    brick_folder_remove(&other);
    brick_folder_remove(&f);
    assert_false(is_there(foreign));
}

TEST(the_folder_of_a_killed_process_is_removed)
{
    int ready[2];
    struct brick_folder f, other;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        bool made = brick_folder_make(&f);
        if (write(ready[1], &f, sizeof f) != sizeof f || !made)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &f, sizeof f), sizeof f);
    assert_true(brick_folder_make(&other));
    assert_true(is_there(f.path)); /* it runs */
    brick_folder_remove(&other);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(brick_folder_make(&other));
    assert_false(is_there(f.path));
    brick_folder_remove(&other);
    close(ready[0]);
    close(ready[1]);
}

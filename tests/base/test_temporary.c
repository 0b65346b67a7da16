/* Temporary files and folders: those of processes that were killed go with the next one, and
 * nothing else does. (Forks: not for TSan.) */
#include "base/temporary.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_folder.h"
#include "support/test.h"

typedef int maker(const char *beside, char *path, size_t size);
static maker *const makers[] = {temporary_file, temporary_folder};

static const char *in(const char *name)
{
    static char path[2][PATH_MAX];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", temp_folder, name);
    return path[which];
}

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* A process that makes one and is killed, or still lives: then *pid is it. */
static void made_by_another(maker *make, const char *beside, char path[PATH_MAX], pid_t *alive)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        char made[PATH_MAX] = "", inner[PATH_MAX + 8];
        if (make(beside, made, sizeof made) < 0)
            _exit(1);
        snprintf(inner, sizeof inner, "%s/a", made);
        mkdir(inner, 0700); /* fails in a file */
        if (write(ready[1], made, sizeof made) != (ssize_t)sizeof made)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    size_t n = 0;
    for (ssize_t got; n < PATH_MAX && (got = read(ready[0], path + n, PATH_MAX - n)) > 0;)
        n += (size_t)got;
    close(ready[0]);
    assert_int_equal(n, PATH_MAX);
    assert_true(is_there(path));
    if (alive) {
        *alive = pid;
        return;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(those_of_the_dead_go)
{
    for (size_t i = 0; i < 2; i++) {
        char dead[PATH_MAX], alive[PATH_MAX], other[PATH_MAX], own[PATH_MAX];
        pid_t pid;
        made_by_another(makers[i], in("out.json"), dead, NULL);
        made_by_another(makers[i], in("out"), other, NULL);
        made_by_another(makers[i], in("out.json"), alive, &pid);
        assert_false(is_there(dead)); /* that one removed it already */
        made_by_another(makers[i], in("out.json"), dead, NULL);
        const int fd = makers[i](in("out.json"), own, sizeof own);
        assert_true(fd >= 0);
        assert_false(is_there(dead));
        assert_true(is_there(alive) && is_there(other) && is_there(own));
        const int again = makers[i](in("out.json"), dead, sizeof dead);
        assert_true(again >= 0 && is_there(own)); /* ours is alive, too */
        close(fd);
        close(again);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

/* Files with other names, links, and what is of the other kind stay. */
TEST(what_only_looks_like_one_stays)
{
    static const char *const files[] = {
        "x.rooftop-abcde",   "x.rooftop-abcdefg",     "x.backup",
        "yx.rooftop-abcdef", "x.json.rooftop-ab.def", "x.rooftop-abcdef.gz"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        temp_folder_put(files[i], "");
    assert_int_equal(symlink("x.backup", in("x.rooftop-aaaaaa")), 0);
    assert_int_equal(mkdir(in("x.rooftop-bbbbbb"), 0700), 0);
    assert_int_equal(mkfifo(in("x.rooftop-cccccc"), 0600), 0);
    const int fd = temporary_file(in("x"), path, sizeof path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(is_there(in(files[i])));
    assert_true(is_there(in("x.rooftop-aaaaaa")) && is_there(in("x.rooftop-bbbbbb")) &&
                is_there(in("x.rooftop-cccccc")));
    assert_int_equal(unlink(path), 0);
}

/* The longest name that a file may have leaves no room for the mark. */
TEST(a_name_that_is_long)
{
    char name[NAME_MAX + 1], path[PATH_MAX];
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    for (size_t i = 0; i < 2; i++) {
        char dead[PATH_MAX];
        made_by_another(makers[i], in(name), dead, NULL);
        const int fd = makers[i](in(name), path, sizeof path);
        assert_true(fd >= 0);
        assert_false(is_there(dead));
        close(fd);
    }
    assert_int_equal(temporary_file(in("a"), path, 5), -ENAMETOOLONG);
    assert_string_equal(path, "");
    assert_int_equal(temporary_file(in("none/a"), path, sizeof path), -ENOENT);
    assert_string_equal(path, "");
}

TEST_MAIN(temp_folder_make, temp_folder_remove)

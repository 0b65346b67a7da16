/* rocpd databases that another process is writing. Forks: not for TSan. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

/* Another process that opens the file after this one and keeps it open until told to end. */
struct writer {
    pid_t pid;
    int end;
};

static struct writer write_elsewhere(const char *path, const char *sql)
{
    int ready[2], end[2];
    char byte;
    assert_int_equal(pipe(ready) | pipe(end), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sqlite3 *db;
        close(end[1]);
        int rc = sqlite3_open(path, &db) | sqlite3_exec(db, sql, NULL, NULL, NULL);
        ssize_t ignored = write(ready[1], rc == SQLITE_OK ? "y" : "n", 1);
        ignored += read(end[0], &byte, 1);
        _exit(ignored == 0);
    }
    close(ready[1]);
    close(end[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ready[0]);
    return (struct writer){pid, end[1]};
}

static void end_writer(struct writer *w)
{
    int status;
    close(w->end);
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
}

static void make(struct rocpd_file *f, const char *name)
{
    rocpd_file_open(f, name);
    rocpd_file_tables(f, "_a", "g1");
    rocpd_file_names(f);
    rocpd_file_sql(f, "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, start, [end]) VALUES"
                      " (1, 10, 20)");
    rocpd_file_close(f);
}

#define MORE "INSERT INTO rocpd_kernel_dispatch_a(dispatch_id, start, [end]) VALUES (2, 20, 30)"

TEST(the_rows_so_far_are_shown_with_a_note)
{
    static const char *const ways[] = {
        "BEGIN IMMEDIATE",
        "BEGIN; " MORE,
        "PRAGMA journal_mode = WAL; BEGIN; " MORE "; COMMIT; BEGIN; " MORE,
        "PRAGMA journal_mode = WAL; " MORE,
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct rocpd_file f;
        struct trace t;
        make(&f, "written");
        struct writer w = write_elsewhere(f.path, ways[i]);
        look_open(&t, f.path);
        assert_int_equal(look_count(&t, NODE_KERNEL), i < 2 ? 1 : 2);
        assert_int_equal(t.nnotes, 1);
        assert_non_null(strstr(t.notes[0], "it is being written"));
        trace_free(&t);
        end_writer(&w);
        look_open(&t, f.path);
        assert_int_equal(t.nnotes, 0);
        trace_free(&t);
        rocpd_file_remove(&f);
    }
}

TEST(a_locked_database_says_why)
{
    struct rocpd_file f;
    make(&f, "locked");
    struct writer w = write_elsewhere(f.path, "PRAGMA cache_size = 1; BEGIN EXCLUSIVE; " MORE
                                              "; DELETE FROM rocpd_kernel_dispatch_a; " MORE);
    look_refused(f.path, "locked", "another program is writing it", NULL);
    end_writer(&w);
    rocpd_file_remove(&f);
}

TEST(a_database_that_is_still_empty_says_so)
{
    char path[] = "/tmp/rooftop-written-XXXXXX", journal[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    look_refused(path, "it is empty", NULL);
    snprintf(journal, sizeof journal, "%s-journal", path);
    FILE *f = fopen(journal, "w");
    assert_non_null(f);
    fputs("journal", f);
    fclose(f);
    look_refused(path, "it is being written: nothing is in it yet", NULL);
    unlink(journal);
    unlink(path);
}

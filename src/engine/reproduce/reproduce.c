#include "engine/reproduce/reproduce.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/temporary.h"
#include "engine/reproduce/copy_tree.h"

enum { CAPTURE_DEPTH = 2, NEWER_TOLD = 4 };

void reproduce_note(struct reproduction *r, const char *format, ...)
{
    char text[800];
    va_list list;
    if (r->nnotes == REPRODUCE_NOTES_MAX)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    r->notes[r->nnotes++] = arena_strdup(&r->arena, text);
}

void reproduce_free(struct reproduction *r)
{
    source_tree_free(&r->tree);
    capture_free(r->capture);
    compile_commands_free(r->commands);
    arena_free(&r->arena);
    *r = (struct reproduction){.nnotes = 0};
}

/* --- everything is written to a folder beside the wanted one, and renamed when it is complete
 * --- */

/* Returns a descriptor that holds its lock, or -errno. */
static int make_locked_folder(const char *wanted, char made[PATH_MAX], struct error *err)
{
    char beside[PATH_MAX];
    size_t n = strlen(wanted);
    while (n > 1 && wanted[n - 1] == '/')
        n--;
    *made = '\0';
    if ((size_t)snprintf(beside, sizeof beside, "%.*s", (int)n, wanted) >= sizeof beside)
        return error_set(err, ERROR_OUTPUT, ENAMETOOLONG, NULL, wanted, "the name is too long");
    const int lock = temporary_folder(beside, made, PATH_MAX);
    return lock >= 0 ? lock
                     : error_set(err, ERROR_OUTPUT, -lock, "the folder above it must be there",
                                 wanted, "%s", strerror(-lock));
}

static int copy_sources(const struct reproduction *r, const char *folder, struct copied *done,
                        struct error *err)
{
    char to[PATH_MAX];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->tree.n; i++) {
        const struct source_file *f = &r->tree.files[i];
        if ((size_t)snprintf(to, sizeof to, "%s/source/%s", folder, f->below) >= sizeof to)
            return error_set(err, ERROR_OUTPUT, ENAMETOOLONG, NULL, f->path,
                             "its name is too long there");
        rc = copy_file(f->path, to, done, err);
    }
    return rc;
}

/* Checks that the copy is complete: a capture may contain links, which are not copied. */
static int check_copy(const char *folder, struct error *err)
{
    struct capture *copy = NULL;
    const int rc = capture_open(&copy, folder, err);
    capture_free(copy);
    return rc;
}

static int fill_folder(struct reproduction *r, const char *folder,
                       const struct reproduce_request *q, struct error *err)
{
    struct copied done = {.progress = q->copied, .ctx = q->ctx};
    char to[PATH_MAX];
    snprintf(to, sizeof to, "%.4000s/capture", folder);
    int rc = copy_folder(r->capture->path, to, CAPTURE_DEPTH, &done, err);
    r->capture_bytes = done.bytes;
    if (rc == 0)
        rc = check_copy(to, err);
    if (rc == 0)
        rc = copy_sources(r, folder, &done, err);
    if (rc == 0 && r->triton.name) {
        snprintf(to, sizeof to, "%.4000s/triton", folder);
        rc = copy_folder(r->triton.folder, to, 0, &done, err);
    }
    return rc ? rc : reproduce_write_texts(r, folder, err);
}

static int move_folder(const char *made, const char *wanted, struct error *err)
{
    const mode_t mask = umask(0);
    umask(mask);
    chmod(made, 0777 & ~mask);
    if (rename(made, wanted) == 0)
        return 0;
    return error_set(err, ERROR_OUTPUT, errno, "name a folder that is not there, or an empty one",
                     wanted, "%s", strerror(errno));
}

static int write_folder(struct reproduction *r, const struct reproduce_request *q,
                        struct error *err)
{
    const char *wanted = q->folder;
    char made[PATH_MAX];
    const int lock = make_locked_folder(wanted, made, err);
    if (lock < 0)
        return lock;
    int rc = fill_folder(r, made, q, err);
    if (rc == 0)
        rc = move_folder(made, wanted, err);
    if (rc != 0)
        temporary_remove_folder(made);
    close(lock);
    return rc;
}

/* --- remarks about the sources --- */

/* Notes sources that changed after the capture. Times in ISO 8601 and UTC can be compared as
 * text. */
static void note_newer(struct reproduction *r)
{
    char time[32];
    struct stat st;
    struct tm tm;
    size_t newer = 0;
    for (size_t i = 0; *r->capture->time && i < r->tree.n; i++) {
        if (stat(r->tree.files[i].path, &st) != 0 || !gmtime_r(&st.st_mtime, &tm))
            continue;
        strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &tm);
        r->tree.files[i].newer = strcmp(time, r->capture->time) > 0;
        if (r->tree.files[i].newer && newer++ < NEWER_TOLD)
            reproduce_note(r, "%s was changed after the capture", r->tree.files[i].path);
    }
    if (newer > NEWER_TOLD)
        reproduce_note(r, "and %zu more files were changed after the capture", newer - NEWER_TOLD);
}

int reproduce(struct reproduction *out, const struct reproduce_request *q, struct error *err)
{
    *out = (struct reproduction){.folder = q->folder};
    int rc = capture_open(&out->capture, q->capture_dir, err);
    if (rc == 0)
        rc = capture_verify(out->capture, q->checked, q->ctx, err);
    if (rc == 0)
        rc = reproduce_find(out, q, err);
    if (rc != 0)
        return rc;
    note_newer(out);
    if (!out->capture->has_after)
        reproduce_note(out, "the capture has no memory after the kernel (capture --post): a build "
                            "is compared with the captured code object");
    return write_folder(out, q, err);
}

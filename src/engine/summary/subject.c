#include "engine/summary/subject.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/job/hang_files.h"
#include "engine/session/session.h"
#include "engine/trace/trace_folder.h"

/* Whether a file begins like an object of an AMD GPU, or like a bundle of such. */
static bool is_code_file(const char *path)
{
    enum { MACHINE = 18, AMDGPU = 224, HEAD = 24 };
    static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__", packed[] = "CCOB";
    unsigned char head[HEAD] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    if (n != HEAD)
        return false;
    return (memcmp(head, "\177ELF", 4) == 0 && head[MACHINE] == AMDGPU) ||
           memcmp(head, bundle, HEAD) == 0 || memcmp(head, packed, 4) == 0;
}

static bool has_traces(const char *path)
{
    struct error ignored = ERROR_INIT;
    struct att_places places = {0};
    const bool found = att_reader.list(&places, path, &ignored) == 0;
    att_places_free(&places);
    return found;
}

static bool has_captures(const char *path)
{
    struct error ignored = ERROR_INIT;
    struct capture_list list = {0};
    const bool found = capture_list_read(&list, &path, 1, &ignored) == 0 && list.n > 0;
    capture_list_free(&list);
    return found;
}

/* A folder with neither a profile nor anything else counts as a profile, whose error message lists
 * what was searched for. */
static enum subject_kind recognise_folder(const char *path)
{
    if (job_folder_is(path))
        return SUBJECT_JOB;
    const struct reader_ops *first = trace_folder_first(path);
    if (first)
        return first == hang_reader.files ? SUBJECT_HANG : SUBJECT_PROFILE;
    if (has_traces(path))
        return SUBJECT_TRACES;
    return has_captures(path) ? SUBJECT_CAPTURES : SUBJECT_PROFILE;
}

enum subject_kind subject_recognise(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return SUBJECT_PROFILE;
    if (S_ISDIR(st.st_mode))
        return recognise_folder(path);
    if (!S_ISREG(st.st_mode)) /* looking into a pipe would consume it */
        return SUBJECT_PROFILE;
    if (session_recognise(path))
        return SUBJECT_SESSION;
    if (is_code_file(path))
        return SUBJECT_CODE;
    return hang_file_is(path) ? SUBJECT_HANG : SUBJECT_PROFILE;
}

/* --- opening --- */

int subject_open_session(struct subject *out, struct recording *r, const char *path,
                         struct error *err)
{
    if (!out->path)
        out->path = arena_strdup(&out->memory, path);
    out->session = xcalloc(1, sizeof *out->session);
    return session_facts_find(out->session, r, err);
}

static int open_session_file(struct subject *out, const char *path, struct error *err)
{
    struct recording *r = NULL;
    int rc = session_open(&r, path, err);
    if (rc == 0)
        rc = subject_open_session(out, r, path, err);
    recording_free(r);
    return rc;
}

/* The code of the only capture, for the registers of its kernel. Captures without it are summed up
 * all the same. */
static void open_captured_code(struct subject *out)
{
    struct error why = ERROR_INIT;
    struct capture *whole = NULL;
    char text[1024];
    const char *path = out->captures.n == 1 ? out->captures.items[0].path : NULL;
    if (!path || !out->captures.items[0].head)
        return;
    out->broken = capture_open(&whole, path, &why) != 0;
    if (!out->broken) {
        capture_free(out->captures.items[0].head);
        out->captures.items[0].head = whole;
    }
    if (out->broken || code_object_read(&out->code, whole->code, whole->code_bytes, path,
                                        whole->isa_name, &why) != 0)
        out->code_why = arena_strdup(&out->memory, error_format(&why, text, sizeof text));
}

static int open_job(struct subject *out, const char *path, struct error *err)
{
    out->job = xcalloc(1, sizeof *out->job);
    const int rc = job_folder_open(out->job, path, err);
    return rc == 0 ? job_folder_read_mpi(out->job, err) : rc;
}

static int open_hang(struct subject *out, const char *path, struct error *err)
{
    out->hang = xcalloc(1, sizeof *out->hang);
    return hang_files_open(out->hang, &path, 1, err);
}

int subject_open(struct subject *out, enum subject_kind kind, const char *path, struct error *err)
{
    int rc = 0;
    *out = (struct subject){.path = NULL};
    out->path = arena_strdup(&out->memory, path);
    if (kind == SUBJECT_SESSION)
        rc = open_session_file(out, path, err);
    else if (kind == SUBJECT_CODE)
        rc = code_object_open(&out->code, path, NULL, err);
    else if (kind == SUBJECT_JOB)
        rc = open_job(out, path, err);
    else if (kind == SUBJECT_HANG)
        rc = open_hang(out, path, err);
    else if (kind == SUBJECT_CAPTURES)
        rc = capture_list_read(&out->captures, &path, 1, err);
    if (rc == 0)
        open_captured_code(out);
    return rc;
}

void subject_free(struct subject *s)
{
    if (s->session)
        session_facts_free(s->session);
    free(s->session);
    if (s->job)
        job_folder_free(s->job);
    free(s->job);
    if (s->hang)
        hang_free(s->hang);
    free(s->hang);
    code_object_free(s->code);
    capture_list_free(&s->captures);
    arena_free(&s->memory);
    *s = (struct subject){.path = NULL};
}

#include "engine/job/rank_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/temporary.h"
#include "engine/job/job.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"

#define TYPE struct rank_summary
const struct fields rank_summary_record = RECORD_OF(
    ROW(CHARS, state), ROW(U32, rank), KNOWN(DOUBLE, ranks, "ranks"),
    KNOWN(DOUBLE, local_rank, "local_rank"), KNOWN(CHARS, host, "host"), ROW(U32, pid),
    KNOWN(CHARS, launcher, "launcher"), KNOWN(CHARS, job, "job"), KNOWN(CHARS, step, "step"),
    ROW(U32, restart), ROW(U32, requeue), ROW(CHARS, command), KNOWN(CHARS, program, "program"),
    KNOWN(CHARS, build_id, "build_id"), KNOWN(CHARS, gpus, "gpus"), KNOWN(CHARS, cpus, "cpus"),
    ROW(U64, start_us), ROW(U64, end_us), KNOWN(DOUBLE, wall, "wall_s"),
    KNOWN(DOUBLE, user, "user_s"), KNOWN(DOUBLE, system, "system_s"),
    KNOWN(DOUBLE, ready, "cpu_wait_s"), KNOWN(DOUBLE, voluntary, "voluntary_switches"),
    KNOWN(DOUBLE, forced, "forced_switches"), KNOWN(DOUBLE, minor_faults, "minor_faults"),
    KNOWN(DOUBLE, major_faults, "major_faults"), KNOWN(DOUBLE, memory, "memory_bytes"),
    KNOWN(DOUBLE, disk_wait, "disk_wait_s"), KNOWN(DOUBLE, stopped, "stopped_s"),
    KNOWN(DOUBLE, sampled, "sampled"), KNOWN(DOUBLE, polled_user, "polled_user_s"),
    KNOWN(DOUBLE, polled_system, "polled_system_s"), KNOWN(DOUBLE, swapped, "swapped_bytes"),
    KNOWN(DOUBLE, far, "far_memory_share"), KNOWN(DOUBLE, gpus_used, "gpus_used"),
    KNOWN(DOUBLE, gpus_far, "far_gpus"), KNOWN(CHARS, far_gpu, "far_gpu"),
    KNOWN(DOUBLE, clock, "clock_hz"), KNOWN(DOUBLE, throttled, "throttled"),
    KNOWN(DOUBLE, others, "others_cpu_s"), KNOWN(CHARS, other, "other"), ROW(U32, other_pid),
    KNOWN(DOUBLE, other_used, "other_cpu_s"), KNOWN(DOUBLE, status, "status"),
    KNOWN(DOUBLE, signal, "signal"), KNOWN(DOUBLE, samples, "samples"), KNOWN(CHARS, lost, "lost"),
    KNOWN(CHARS, no_collectives, "no_collectives"), ROW(CHARS, rooftop));
#undef TYPE

void rank_summary_begin(struct rank_summary *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < rank_summary_record.n; i++) {
        const struct field *f = &rank_summary_record.field[i];
        const double unknown = NAN;
        if (f->type == FIELD_DOUBLE)
            memcpy((char *)s + f->offset, &unknown, sizeof unknown);
    }
}

/* --- writing --- */

static int cannot_write_rank(struct error *err, int code, const char *folder)
{
    return error_set(err, ERROR_OUTPUT, code, code == ENOSPC ? "free some space there" : NULL,
                     folder, "its " RANK_SUMMARY " cannot be written: %s", strerror(code));
}

static int write_rank_text(const char *text, int fd)
{
    size_t left = strlen(text);
    while (left) {
        const ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        text += n;
        left -= (size_t)n;
    }
    return fsync(fd) == 0 ? 0 : -errno;
}

int rank_summary_write(const struct rank_summary *s, const char *folder, struct error *err)
{
    char path[4200], temp[4200 + TEMPORARY_MORE];
    snprintf(path, sizeof path, "%.4096s/" RANK_SUMMARY, folder);
    char *text = record_document(RANK_SCHEMA, rank_summary_record, s);
    if (!text)
        return cannot_write_rank(err, ENOMEM, folder);
    const int fd = temporary_file(path, temp, sizeof temp);
    int rc = fd < 0 ? fd : write_rank_text(text, fd);
    free(text);
    if (rc == 0)
        fchmod(fd, 0644);
    if (rc == 0 && rename(temp, path) != 0)
        rc = -errno;
    if (rc != 0 && fd >= 0)
        unlink(temp);
    if (fd >= 0)
        close(fd);
    return rc == 0 ? 0 : cannot_write_rank(err, -rc, folder);
}

/* --- reading --- */

/* No number of a rank can be less than 0. */
static void forget_negative_numbers(struct rank_summary *s)
{
    for (size_t i = 0; i < rank_summary_record.n; i++) {
        const struct field *f = &rank_summary_record.field[i];
        double v = 0;
        const double unknown = NAN;
        char *at = (char *)s + f->offset;
        if (f->type == FIELD_DOUBLE)
            memcpy(&v, at, sizeof v);
        if (v < 0)
            memcpy(at, &unknown, sizeof unknown);
    }
}

static int refuse_rank(struct error *err, int code, const char *path, const char *why)
{
    return error_set(err, ERROR_INPUT, code, NULL, path, "%s", why);
}

int rank_summary_parse(struct rank_summary *out, const char *text, size_t n, const char *path,
                       struct error *err)
{
    rank_summary_begin(out);
    cJSON *doc = n <= RANK_SUMMARY_MAX ? cJSON_ParseWithLength(text, n) : NULL;
    const char *schema = json_get_text(doc, "schema");
    int rc = 0;
    if (!cJSON_IsObject(doc))
        rc = refuse_rank(err, EINVAL, path, "it is no JSON object, or it was cut off");
    else if (strcmp(schema, RANK_SCHEMA) != 0)
        rc = refuse_rank(err, EINVAL, path, "it is no document of " RANK_SCHEMA);
    else if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(doc, "rank")))
        rc = refuse_rank(err, EINVAL, path, "it does not say its rank");
    else
        record_take(doc, rank_summary_record, out);
    cJSON_Delete(doc);
    forget_negative_numbers(out);
    if (rc == 0 &&
        (out->rank >= JOB_RANKS_MOST || out->rank >= out->ranks || out->ranks > JOB_RANKS_MOST))
        rc = refuse_rank(err, ERANGE, path, "its rank is none of the job");
    return rc;
}

/* Whether the file may be read: a rank may lie in a folder that others can write to. */
static int check_rank_file(int fd, uint32_t owner, const char *path, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return refuse_rank(err, errno, path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse_rank(err, EINVAL, path, "it is no regular file");
    if (st.st_uid != owner)
        return refuse_rank(err, EPERM, path, "it belongs to another user than the job's folder");
    if (st.st_size > RANK_SUMMARY_MAX)
        return refuse_rank(err, EFBIG, path, "it is too large for the summary of a rank");
    return 0;
}

int rank_summary_read(struct rank_summary *out, int folder, uint32_t owner, const char *path,
                      struct error *err)
{
    char text[RANK_SUMMARY_MAX + 1];
    size_t n = 0;
    const int fd =
        openat(folder, RANK_SUMMARY, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return refuse_rank(err, errno, path, errno == ELOOP ? "it is a link" : strerror(errno));
    int rc = check_rank_file(fd, owner, path, err);
    while (rc == 0 && n < sizeof text) {
        const ssize_t got = read(fd, text + n, sizeof text - n);
        if (got < 0 && errno != EINTR)
            rc = refuse_rank(err, errno, path, strerror(errno));
        if (got == 0)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return rc == 0 ? rank_summary_parse(out, text, n, path, err) : rc;
}

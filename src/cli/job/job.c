/* rooftop job: records this rank of a job into a folder of its own. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/job/rank_collectives.h"
#include "backends/job/rank_watch.h"
#include "backends/mpi/mpi_library.h"
#include "base/env.h"
#include "base/print.h"
#include "base/temporary.h"
#include "cli/options/command.h"
#include "cli/options/version.h"
#include "cli/run/dashboard.h"
#include "engine/job/launcher.h"

enum { RANK_NAMES = 10000, RANK_SAMPLING_HZ = 199 };
/* A file that takes the room, and how much of it: a summary, and the folder that grows by it. */
#define RANK_ROOM ".room"
enum { RANK_ROOM_BYTES = 32 << 10 };
#define RANK_AGAIN_NS (UINT64_C(30) * 1000000000) /* between two summaries of a rank that runs */

struct job_options {
    bool mpi;
};

struct rank_run {
    const char *job;   /* the job's folder */
    char folder[4096]; /* of this rank, until it has its last name */
    struct rank_summary s;
    struct rank_watch *watch;
    struct rank_collectives *collectives; /* NULL: not recorded */
    uint64_t written_ns;
};

/* --- folders --- */

static int refuse_job_folder(struct error *err, int code, const char *path)
{
    const char *help = NULL;
    if (code == ENOENT)
        help = "make the folder above it first: mkdir -p";
    else if (code == EACCES)
        help = "name a folder that you may write to";
    else if (code == ENOTDIR)
        help = "a file is in the way: name another folder";
    return error_set(err, ERROR_OUTPUT, code, help, path, "a rank cannot be written there: %s",
                     strerror(code));
}

/* Makes the job's folder, which another rank may make at the same time, and the rank's in it. */
static int make_rank_folder(struct rank_run *r, struct error *err)
{
    struct stat st;
    if (mkdir(r->job, 0777) != 0 && errno != EEXIST)
        return refuse_job_folder(err, errno, r->job);
    if (stat(r->job, &st) != 0 || !S_ISDIR(st.st_mode))
        return refuse_job_folder(err, ENOTDIR, r->job);
    const int n = snprintf(r->folder, sizeof r->folder,
                           "%s/" RANK_UNFINISHED "%05" PRIu32 ".XXXXXX", r->job, r->s.rank);
    if (n < 0 || (size_t)n >= sizeof r->folder - sizeof "/" RANK_SESSION)
        return refuse_job_folder(err, ENAMETOOLONG, r->job);
    return mkdtemp(r->folder) ? 0 : refuse_job_folder(err, errno, r->job);
}

/* Keeps room on the disk for the last summary: a session may fill it. */
static void keep_room(const struct rank_run *r, bool keep)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/" RANK_ROOM, r->folder);
    unlink(path);
    const int fd = keep ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    if (posix_fallocate(fd, 0, RANK_ROOM_BYTES) != 0)
        unlink(path); /* the disk is full already */
    close(fd);
}

/* The program may write files of its own there, such as a profile. */
static void tell_program_folder(const struct rank_run *r)
{
    char *path = realpath(r->folder, NULL);
    if (path)
        env_put(RANK_FOLDER_ENV, path);
    free(path);
}

/* What was written reaches the disk, or the server, before the name that says that it is whole. */
static void sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* Gives the rank's folder its name: rank-00007, or rank-00007.2 where there is one already. */
static int rename_rank_folder(struct rank_run *r, char name[4200], struct error *err)
{
    char path[4200];
    const mode_t mask = umask(0);
    umask(mask);
    chmod(r->folder, 0777 & ~mask);
    snprintf(path, sizeof path, "%s/" RANK_SESSION, r->folder);
    sync_path(path);
    sync_path(r->folder);
    for (int i = 1; i <= RANK_NAMES; i++) {
        int n = snprintf(name, 4200, "%s/" RANK_FOLDER "%05" PRIu32, r->job, r->s.rank);
        if (i > 1)
            snprintf(name + n, 4200 - (size_t)n, ".%d", i);
        if (rename(r->folder, name) == 0) {
            sync_path(r->job);
            return 0;
        }
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            break;
    }
    return refuse_job_folder(err, errno, r->folder);
}

/* --- while it runs --- */

/* A summary that cannot be written now may be written at the end. */
static void write_rank_now(struct rank_run *r)
{
    struct error ignored = ERROR_INIT;
    rank_summary_write(&r->s, r->folder, &ignored);
    r->written_ns = env_now_ns();
}

static void copy_collectives(struct rank_run *r)
{
    const int rc = rank_collectives_copy(r->collectives, r->folder);
    if (rc != 0)
        print_line(r->s.no_collectives, sizeof r->s.no_collectives,
                   RANK_COLLECTIVES " cannot be written: %s", strerror(-rc));
    else if (r->collectives)
        r->s.no_collectives[0] = '\0';
}

static void begin_collectives(struct rank_run *r)
{
    struct error why = ERROR_INIT;
    char text[1024];
    r->collectives = rank_collectives_new(&why);
    if (!r->collectives)
        print_line(r->s.no_collectives, sizeof r->s.no_collectives, "%s",
                   error_format(&why, text, sizeof text));
}

static void see_rank_sample(void *ctx, const struct snapshot *s)
{
    struct rank_run *r = ctx;
    rank_watch_see(r->watch, s);
    copy_collectives(r);
    if (env_now_ns() - r->written_ns >= RANK_AGAIN_NS)
        write_rank_now(r);
}

/* A launcher that ends a job kills it soon after: what is known by then is written now. */
static void note_rank_signal(void *ctx, int signo)
{
    struct rank_run *r = ctx;
    if (signo != SIGTERM && signo != SIGINT && signo != SIGHUP)
        return;
    snprintf(r->s.state, sizeof r->s.state, "ending");
    r->s.end_us = env_wall_ns() / 1000;
    copy_collectives(r);
    write_rank_now(r);
}

static void note_session_lost(void *ctx, const struct error *why)
{
    struct rank_run *r = ctx;
    char text[1024], line[1200];
    error_format(why, text, sizeof text);
    print_line(r->s.lost, sizeof r->s.lost, "%s", text);
    snprintf(line, sizeof line, "rank %" PRIu32 ": the session ends here, the program goes on: %s",
             r->s.rank, text);
    exit_note(line);
}

/* --- the command --- */

static int end_rank(struct rank_run *r, int status, struct error *err)
{
    char name[4200], line[4600];
    if (strcmp(r->s.state, "ended") != 0) { /* it was not started, or its end was not seen */
        snprintf(r->s.state, sizeof r->s.state, "ended");
        r->s.status = status;
        r->s.end_us = env_wall_ns() / 1000;
    }
    keep_room(r, false);
    copy_collectives(r);
    int rc = rank_summary_write(&r->s, r->folder, err);
    if (rc == 0)
        rc = rename_rank_folder(r, name, err);
    if (rc == 0 && r->s.rank == 0) { /* once a job, not once a rank */
        print_line(line, sizeof line, "wrote %.2000s; when all ranks have ended: rooftop %.2000s",
                   name, r->job);
        exit_note(line);
    }
    return rc;
}

static int check_job_words(const struct options *o, struct error *err)
{
    const char *why = NULL;
    if (!o->argv)
        why = "it needs a command after --";
    else if (o->noperands)
        why = "it records a command, not a file";
    else if (!o->output)
        why = "-o FOLDER is missing: all ranks write there";
    if (!why)
        return 0;
    return error_set(err, ERROR_USAGE, EINVAL, "srun rooftop job -o FOLDER -- ./program", "job",
                     "%s", why);
}

/* Before the rank's folder is made: a job without the library does not begin. */
static int put_mpi_library(const struct rank_run *r, const char *command, struct error *err)
{
    char mpicc[PATH_MAX], library[PATH_MAX];
    int rc = mpi_compiler_find(r->s.launcher, mpicc, err);
    if (rc == 0)
        rc = mpi_library_find(mpicc, library, err);
    if (rc == 0)
        rc = mpi_library_fits(library, mpicc, command, err);
    if (rc == 0)
        mpi_library_preload(library);
    return rc;
}

static int begin_rank(struct rank_run *r, const struct options *o, struct error *err)
{
    const int refused = check_job_words(o, err);
    if (refused)
        return refused;
    rank_summary_begin(&r->s);
    const struct job_options *own = o->own;
    int rc = launcher_find(&r->s, err);
    r->job = o->output;
    if (rc == 0 && own->mpi)
        rc = put_mpi_library(r, o->argv[0], err);
    else
        mpi_library_preload(NULL);
    if (rc == 0)
        rc = make_rank_folder(r, err);
    if (rc != 0)
        return rc;
    r->watch = rank_watch_new(&r->s, o->argv);
    snprintf(r->s.state, sizeof r->s.state, "running");
    snprintf(r->s.rooftop, sizeof r->s.rooftop, "%s", ROOFTOP_VERSION);
    tell_program_folder(r);
    begin_collectives(r);
    rc = rank_summary_write(&r->s, r->folder, err);
    r->written_ns = env_now_ns();
    keep_room(r, true);
    if (rc != 0)
        temporary_remove_folder(r->folder);
    return rc;
}

/* Call stacks tell time in communication from computing. All CPUs of a job may be busy with ranks,
 * so there are fewer than of one program, unless the user wants another number. */
static void sample_stacks(struct options *o)
{
    o->functions = true;
    if (options_layer(o, "sample-rate") == LAYER_DEFAULT)
        o->sample_rate = RANK_SAMPLING_HZ;
}

static int job_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct rank_run r = {.job = NULL};
    char session[4200];
    int status = EXIT_DONE;
    int rc = begin_rank(&r, o, &err);
    if (rc == 0) {
        struct options record = *o;
        const struct record_watch watch = {see_rank_sample, note_rank_signal, note_session_lost,
                                           &r};
        snprintf(session, sizeof session, "%s/" RANK_SESSION, r.folder);
        record.output = session;
        sample_stacks(&record);
        status = headless_record(&record, &watch);
        rc = end_rank(&r, status, &err);
    }
    rank_watch_free(r.watch);
    rank_collectives_free(r.collectives);
    if (rc == 0)
        return status;
    const int failed = exit_report(&err);
    return status != EXIT_DONE ? status : failed; /* the program's failure is the first */
}

static const struct command_option options[] = {
    TAKES_AS(OUTPUT, .arg = "FOLDER",
             .help = "folder of the job: each rank makes one of its own in it"),
    OWN(.section = "What to watch", .name = "mpi", OWN_AT(job_options, mpi), .type = OPTION_FLAG,
        .help = "record calls of MPI. At first use the mpicc of the MPI of the program builds the "
                "library for it; the variable MPICC names that mpicc"),
    TAKES(EVENT),
    TAKES(PORTS),
    TAKES(METRICS),
    TAKES(INTERVAL),
    INTERNAL(.name = "functions", .type = OPTION_FLAG, AT(functions)), /* older scripts have it */
    TAKES_AS(SAMPLE_RATE, .help = "samples of call stacks in a second of CPU time; "
                                  "unless given 199, not the 997 of other commands"),
    TAKES(CALL_GRAPH),
    TAKES(RANGES),
    TAKES(BRICK_COUNTERS),
    TAKES(MAX_SIZE),
    TAKES_GENERAL,
};

const struct command command_job = {
    .name = "job",
    .summary = "record a rank of a job that srun, mpirun or torchrun starts: each writes a folder",
    .usage = "rooftop job -o FOLDER [--mpi] [-d SECONDS] [-e EVENTS] -- COMMAND...",
    .run = job_run,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop job -o run1 -- ./solver", "started by srun or mpirun: a rank into run1/"},
        {"rooftop job --mpi -o run1 -- ./solver", "also its calls of MPI"},
        {"rooftop job -o run1 -d 0.2 -- python3 train.py", "the same with five samples a second"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}, {.code = EXIT_UNSUPPORTED}),
};

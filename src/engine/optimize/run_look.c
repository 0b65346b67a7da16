#include "engine/optimize/run_look.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"

enum { HEAD = 256, PIECE = 1 << 20, AT_ONCE = 16 << 20 };

struct run_line {
    uint64_t at;
    uint32_t size;
};

struct run_look {
    char folder[RUN_PATH / 2];
    char name[RUN_NAME], path[RUN_PATH]; /* of the run that is followed; its log */
    dev_t dev;
    ino_t ino;
    uint64_t whole, number;              /* bytes and lines that were taken */
    char head[HEAD];                     /* of what was taken: another log may get the same inode */
    bool stuck;                          /* a line cannot be read: nothing after it is */
    struct run_snapshot now;             /* its log.list: at most 2 * RUN_KEPT */
    struct run_line lines[2 * RUN_KEPT]; /* of log.list */
    char *piece;
    uint64_t progress;  /* hash of its file; 0: none */
    uint64_t last_hash; /* of what the last snapshot said */
};

struct run_look *run_look_new(const char *folder)
{
    struct run_look *k = xcalloc(1, sizeof *k);
    snprintf(k->folder, sizeof k->folder, "%s", folder);
    k->piece = xcalloc(1, PIECE);
    return k;
}

void run_look_free(struct run_look *k)
{
    if (k) {
        optimize_log_free(&k->now.log);
        run_detail_free(k->now.detail);
        free(k->piece);
    }
    free(k);
}

void run_snapshot_free(struct run_snapshot *p)
{
    if (p) {
        optimize_log_free(&p->log);
        run_detail_free(p->detail);
    }
    free(p);
}

static const struct interval unknown = {.estimate = NAN, .low = NAN, .high = NAN};

/* Begins with the log again from its start. The folders stay. */
static void forget_run(struct run_look *k)
{
    struct run_snapshot *p = &k->now;
    optimize_log_free(&p->log);
    run_detail_free(p->detail);
    p->detail = NULL;
    p->first = p->tried = p->accepted = p->confirmed = p->rolled_back = 0;
    memset(p->outcomes, 0, sizeof p->outcomes);
    p->best = 0;
    p->best_confirmed = p->running = false;
    p->factor = (struct interval){.estimate = 1, .low = 1, .high = 1};
    p->failed[0] = '\0';
    k->whole = k->number = 0;
    k->dev = 0;
    k->ino = 0;
    k->stuck = false;
}

/* --- what a record adds --- */

static void count_candidate(struct run_snapshot *p, const struct optimize_record *r)
{
    const struct interval *f = optimize_record_factor(r);
    p->tried++;
    p->outcomes[r->outcome]++;
    if (r->outcome != OPTIMIZE_FASTER)
        return;
    p->accepted++;
    if (r->base == 0)
        p->factor = *f;
    else if (r->base == p->best)
        p->factor = (struct interval){.estimate = p->factor.estimate * f->estimate,
                                      .low = p->factor.low * f->low,
                                      .high = p->factor.high * f->high};
    else
        p->factor = unknown;
    p->best = r->number;
    p->best_confirmed = false;
}

static void count_record(struct run_snapshot *p, const struct optimize_record *r)
{
    if (r->step == OPTIMIZE_CANDIDATE)
        count_candidate(p, r);
    if (r->step != OPTIMIZE_CONFIRMATION)
        return;
    p->best_confirmed = r->outcome == OPTIMIZE_FASTER;
    p->best = p->best_confirmed ? r->number : 0;
    p->factor = p->best_confirmed ? *optimize_record_factor(r)
                                  : (struct interval){.estimate = 1, .low = 1, .high = 1};
    p->confirmed += p->best_confirmed;
    p->rolled_back += !p->best_confirmed;
}

/* Makes room for a record: the older half of the records goes. */
static void drop_oldest(struct run_look *k)
{
    struct optimize_log *l = &k->now.log;
    if (l->n < (size_t)2 * RUN_KEPT)
        return;
    memmove(l->list, l->list + RUN_KEPT, RUN_KEPT * sizeof *l->list);
    memmove(k->lines, k->lines + RUN_KEPT, RUN_KEPT * sizeof *k->lines);
    l->n = RUN_KEPT;
    k->now.first += RUN_KEPT;
}

/* --- the log --- */

static void stop_at(struct run_look *k, const char *why)
{
    k->stuck = true;
    snprintf(k->now.failed, sizeof k->now.failed, "%s", why);
}

static void take_run_line(struct run_look *k, const char *text, size_t n)
{
    struct error err = ERROR_INIT;
    char why[sizeof k->now.failed];
    drop_oldest(k);
    const size_t had = k->now.log.n;
    if (optimize_log_line(&k->now.log, text, n, k->path, (size_t)++k->number, &err) != 0) {
        error_format(&err, why, sizeof why);
        stop_at(k, why);
        return;
    }
    if (k->now.log.n > had) {
        k->lines[had] = (struct run_line){k->whole, (uint32_t)n};
        count_record(&k->now, &k->now.log.list[had]);
    }
    if (k->whole < HEAD)
        memcpy(k->head + k->whole, text, n + 1 < HEAD - k->whole ? n + 1 : HEAD - k->whole);
    k->whole += n + 1;
}

/* Takes the whole lines of a piece. Returns how many bytes that were. */
static size_t take_lines(struct run_look *k, const char *text, size_t n)
{
    const uint64_t before = k->whole;
    while (!k->stuck) {
        const size_t at = (size_t)(k->whole - before);
        const char *end = memchr(text + at, '\n', n - at);
        if (!end) {
            k->now.log.partial = n - at;
            if (n - at > RUN_LINE)
                stop_at(k, "the log has a line of more than 64 KiB");
            break;
        }
        take_run_line(k, text + at, (size_t)(end - text) - at);
    }
    return (size_t)(k->whole - before);
}

/* Whether a process writes the log: it then holds the lock. */
static bool is_locked(int fd)
{
    struct flock all = {.l_type = F_WRLCK};
    return fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
}

/* Reads more of the log. Returns whether there is still more. */
static bool read_on(struct run_look *k, int fd)
{
    ssize_t got = 1;
    for (size_t done = 0; !k->stuck && done < AT_ONCE; done += (size_t)got) {
        got = pread(fd, k->piece, PIECE, (off_t)k->whole);
        if (got <= 0)
            return false;
        if (take_lines(k, k->piece, (size_t)got) == 0 || got < PIECE)
            return false;
    }
    return !k->stuck;
}

static double seconds_of(const char *utc)
{
    struct tm tm = {0};
    return strptime(utc, "%Y-%m-%dT%H:%M:%S", &tm) ? (double)timegm(&tm) : NAN;
}

/* Reads the present step from progress.json; an unreadable file is ignored. */
static void read_progress(struct run_look *k)
{
    char path[RUN_PATH];
    const char *ignored;
    struct error err = ERROR_INIT;
    size_t n = 0;
    snprintf(path, sizeof path, "%.500s/%s/progress.json", k->folder, k->name);
    char *text = k->now.running ? run_text(path, RUN_LINE, &n, &ignored) : NULL;
    k->now.has_progress =
        text && optimize_progress_parse(&k->now.progress, text, n, path, &err) == 0;
    k->progress = k->now.has_progress ? hash_bytes(1, text, n) : 0;
    free(text);
}

/* Whether the file is still the one that was read. */
static bool is_same_log(const struct run_look *k, int fd, const struct stat *st)
{
    char head[HEAD];
    const size_t n = k->whole < HEAD ? (size_t)k->whole : HEAD;
    return st->st_dev == k->dev && st->st_ino == k->ino && (uint64_t)st->st_size >= k->whole &&
           pread(fd, head, n, 0) == (ssize_t)n && memcmp(head, k->head, n) == 0;
}

static bool follow_log(struct run_look *k)
{
    struct stat st;
    const int fd = run_open(k->path);
    if (fd < 0 || fstat(fd, &st) != 0) {
        const int code = fd < 0 ? -fd : errno;
        if (fd >= 0)
            close(fd);
        forget_run(k);
        snprintf(k->now.failed, sizeof k->now.failed, "%.300s: %s", k->path,
                 code == EINVAL ? "it is no file" : strerror(code));
        return false;
    }
    if (!is_same_log(k, fd, &st))
        forget_run(k);
    k->dev = st.st_dev;
    k->ino = st.st_ino;
    /* asked before reading: if the run ends in between, its last line is read, or the next look
     * finds it */
    k->now.running = is_locked(fd);
    k->now.log.partial = 0;
    const bool more = read_on(k, fd);
    k->now.began_s = seconds_of(k->now.log.began);
    k->now.ended_s = seconds_of(k->now.log.latest);
    close(fd);
    read_progress(k);
    return more;
}

/* --- one record --- */

static char *read_run_line(const struct run_look *k, size_t i)
{
    const int fd = run_open(k->path);
    char *line = xcalloc(1, (size_t)k->lines[i].size + 1);
    if (fd < 0 || pread(fd, line, k->lines[i].size, (off_t)k->lines[i].at) < 0)
        line[0] = '\0';
    if (fd >= 0)
        close(fd);
    return line;
}

static void open_record(struct run_look *k, const struct run_request *request)
{
    struct run_snapshot *p = &k->now;
    char run[RUN_PATH];
    if (p->detail && request->opened && p->detail->record == request->record)
        return; /* what has a line in the log does not change any more */
    run_detail_free(p->detail);
    p->detail = NULL;
    if (!request->opened || request->record < p->first || request->record - p->first >= p->log.n)
        return;
    const size_t i = (size_t)(request->record - p->first);
    snprintf(run, sizeof run, "%.500s/%s", k->folder, k->name);
    p->detail = run_detail_read(run, p->log.begin.source, &p->log.list[i], read_run_line(k, i));
    p->detail->record = request->record;
}

/* --- a look --- */

static size_t find_folder(const struct run_snapshot *p, const char *name)
{
    size_t i = 0;
    while (i < p->nfolders && strcmp(p->folders[i], name) != 0)
        i++;
    return i;
}

/* The requested run; else that of the last look; else the newest. */
static void choose_run(struct run_look *k, const struct run_request *request)
{
    struct run_snapshot *p = &k->now;
    p->all_folders = run_folders(k->folder, p->folders, &p->nfolders);
    p->at = *request->folder ? find_folder(p, request->folder) : p->nfolders;
    p->at = p->at < p->nfolders ? p->at : find_folder(p, k->name);
    if (p->at == p->nfolders && p->nfolders)
        p->at = 0;
    const char *name = p->nfolders ? p->folders[p->at] : "";
    if (strcmp(name, k->name) == 0)
        return;
    forget_run(k);
    snprintf(k->name, sizeof k->name, "%s", name);
    snprintf(k->path, sizeof k->path, "%.500s/%s/log.jsonl", k->folder, name);
}

static uint64_t hash_of(const struct run_look *k)
{
    const struct run_snapshot *p = &k->now;
    const uint64_t numbers[] = {p->nfolders,
                                p->all_folders,
                                p->at,
                                k->whole,
                                p->log.partial,
                                p->running,
                                k->stuck,
                                k->dev,
                                k->ino,
                                k->progress,
                                p->detail ? p->detail->record + 1 : 0};
    uint64_t h = hash_bytes(1, numbers, sizeof numbers);
    for (size_t i = 0; i < p->nfolders; i++)
        h = hash_text(h, p->folders[i]);
    return hash_text(h, p->failed);
}

static char *copy_of(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static struct run_snapshot *copy_run_snapshot(const struct run_look *k)
{
    struct run_snapshot *p = xcalloc(1, sizeof *p);
    const size_t n = k->now.log.n, dropped = n > RUN_KEPT ? n - RUN_KEPT : 0;
    *p = k->now;
    p->first += dropped;
    p->log.n = p->log.cap = n - dropped;
    p->log.list = NULL;
    if (p->log.n) {
        p->log.list = xcalloc(p->log.n, sizeof *p->log.list);
        memcpy(p->log.list, k->now.log.list + dropped, p->log.n * sizeof *p->log.list);
    }
    if (k->now.detail) {
        const struct run_detail *from = k->now.detail;
        p->detail = xcalloc(1, sizeof *p->detail);
        *p->detail = *from;
        p->detail->line = copy_of(from->line);
        p->detail->messages = copy_of(from->messages);
        p->detail->diff = copy_of(from->diff);
    }
    return p;
}

struct run_snapshot *run_look(struct run_look *k, const struct run_request *request, bool *more)
{
    *more = false;
    choose_run(k, request);
    if (k->now.nfolders)
        *more = follow_log(k);
    if (k->now.nfolders)
        open_record(k, request);
    const uint64_t h = hash_of(k);
    if (h == k->last_hash)
        return NULL;
    k->last_hash = h;
    return copy_run_snapshot(k);
}

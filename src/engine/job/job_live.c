/*
 * Who holds the others up now, or why the job hangs, from the last collectives that the plugin in
 * each rank recorded. The judges are those of profiles (job.h) and of the flight recorder (hang.h);
 * this gives them the calls. No clock of two hosts is compared, except for how long a hang lasts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/hash_table.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/print.h"
#include "base/search.h"
#include "engine/job/collectives_file.h"
#include "engine/job/hang_words.h"
#include "engine/job/job_folder_impl.h"
#include "engine/job/job_impl.h"
#include "engine/value/value.h"

#define S_NS UINT64_C(1000000000)
enum {
    LIVE_CALLS = 1024, /* of a rank */
    LIVE_CALLS_ALL = 1 << 20,
    LIVE_CALLS_LEAST = 32,
    /* Who holds the others up is asked of so many collectives, or of those of so many ns. */
    LIVE_LATEST = 32,
    /* It is asked again and again: chance may name a rank in one of so many answers. */
    LIVE_CHANCE = 10000,
    LIVE_UNSEEN = 100, /* of fewer collectives it is not said that NCCL does not tell of them */
};
#define LIVE_WINDOW_NS (4 * S_NS)
/* A collective that lasts so long hangs, or three times the longest that has ended. */
#define LIVE_HANG_NS (4 * S_NS)
#define LIVE_LONGEST 3
/* A rank whose copy is so much older than the newest one has died; the job has ended if that one is
 * so old. */
#define LIVE_DEAD_NS (60 * S_NS)

struct live_rank {
    uint32_t number;
    struct collectives_file file;
};

/* A communicator of the job. */
struct live_group {
    uint64_t id;
    uint32_t ranks;
    uint32_t hang; /* index into the hang's groups */
    bool kernels;  /* NCCL told of some rank when kernels run */
    bool twice;    /* a process has several ranks of it: its calls cannot be told apart */
    char name[COLLECTIVES_TEXT];
    uint32_t *members; /* numbers of the job's ranks, in order */
    uint32_t nmembers, room;
};

struct live {
    struct job_folder *folder;
    struct live_rank *ranks;
    uint32_t n;
    struct live_group *groups;
    uint32_t ngroups, groups_room;
    struct hash_table by_id;
    bool ended;       /* so has the job */
    uint64_t until;   /* time of day up to which all ranks that live are known */
    uint64_t longest; /* ns, of the collectives that have ended */
};

/* --- reading --- */

static void read_live_rank(struct live *l, const struct job_member *m, int folder, uid_t owner,
                           uint32_t most)
{
    struct live_rank r = {.number = m->s.rank};
    struct error err = ERROR_INIT;
    char text[1024];
    const int fd = openat(folder, m->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    const int rc = collectives_file_read(&r.file, fd, owner, most, m->folder, &err);
    close(fd);
    if (rc == 0) {
        l->ranks[l->n++] = r;
        return;
    }
    collectives_file_free(&r.file);
    if (rc != -ENOENT)
        job_folder_note(l->folder, "left out: %s", error_format(&err, text, sizeof text));
}

static void read_live_ranks(struct live *l)
{
    struct job_folder *f = l->folder;
    struct stat st;
    uint32_t most = LIVE_CALLS_ALL / f->n;
    most = most > LIVE_CALLS ? LIVE_CALLS : most;
    most = most < LIVE_CALLS_LEAST ? LIVE_CALLS_LEAST : most;
    l->ranks = xcalloc(f->n, sizeof *l->ranks);
    const int folder = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    if (fstat(folder, &st) == 0)
        for (uint32_t i = 0; i < f->n; i++)
            read_live_rank(l, &f->ranks[i], folder, st.st_uid, most);
    close(folder);
}

static struct live_group *find_live_group(struct live *l, uint64_t id)
{
    const uint64_t hash = hash_number(0, id);
    HASH_EACH (&l->by_id, hash, i)
        if (l->groups[i].id == id)
            return &l->groups[i];
    return NULL;
}

static void add_live_group(struct live *l, const struct live_rank *r,
                           const struct collectives_group *g)
{
    struct live_group *group = find_live_group(l, g->id);
    if (!group) {
        hash_table_add(&l->by_id, hash_number(0, g->id), l->ngroups);
        LIST_ADD(l->groups, l->ngroups, l->groups_room,
                 (struct live_group){.id = g->id, .ranks = g->ranks});
        group = &l->groups[l->ngroups - 1];
        memcpy(group->name, g->name, sizeof group->name);
    }
    group->kernels |= g->begun != 0;
    if (group->nmembers && group->members[group->nmembers - 1] == r->number)
        group->twice = true;
    else
        LIST_ADD(group->members, group->nmembers, group->room, r->number);
}

/* The group of a call, if its calls can be judged. */
static struct live_group *find_group_of_call(struct live *l, const struct live_rank *r,
                                             const struct collectives_call *c)
{
    const struct collectives_file *f = &r->file;
    uint32_t at = 0;
    SEARCH_FIRST(at, f->ngroups, f->groups[at].serial < c->group);
    if (at == f->ngroups || f->groups[at].serial != c->group)
        return NULL;
    struct live_group *g = find_live_group(l, f->groups[at].id);
    return g->kernels && !g->twice ? g : NULL;
}

static void find_live_groups(struct live *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t k = 0; k < l->ranks[i].file.ngroups; k++)
            add_live_group(l, &l->ranks[i], &l->ranks[i].file.groups[k]);
}

/* newest: when a rank was seen last, in its copy. */
static bool has_live_job_ended(const struct job_folder *f, uint64_t newest)
{
    for (uint32_t i = 0; i < f->n; i++) {
        const uint64_t summary = f->ranks[i].s.end_us * 1000;
        newest = summary > newest ? summary : newest;
    }
    return f->unfinished == 0 || newest + LIVE_DEAD_NS < env_wall_ns();
}

static void find_live_times(struct live *l)
{
    uint64_t newest = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const uint64_t seen = l->ranks[i].file.header.seen_wall;
        newest = seen > newest ? seen : newest;
    }
    l->until = newest;
    l->ended = has_live_job_ended(l->folder, newest);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct collectives_file *f = &l->ranks[i].file;
        const uint64_t seen = f->header.seen_wall;
        if (seen < l->until && newest - seen < LIVE_DEAD_NS)
            l->until = seen;
        for (uint32_t k = 0; k < f->ncalls; k++) {
            const struct collectives_call *c = &f->calls[k];
            const uint64_t lasted = c->ended ? c->ended - c->begun : 0;
            l->longest = lasted > l->longest ? lasted : l->longest;
        }
    }
}

static void free_live(struct live *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        collectives_file_free(&l->ranks[i].file);
    for (uint32_t i = 0; i < l->ngroups; i++)
        free(l->groups[i].members);
    free(l->ranks);
    free(l->groups);
    hash_table_free(&l->by_id);
}

/* --- a hang --- */

/* A call waits from the time at which its kernel runs: the host may have enqueued it long before.
 */
static struct hang_call make_hang_call(struct hang *h, const struct live *l,
                                       const struct live_rank *r, const struct live_group *g,
                                       const struct collectives_call *c)
{
    char op[COLLECTIVES_TEXT + 16], size[32];
    const struct collectives_header *head = &r->file.header;
    uint64_t limit =
        LIVE_LONGEST * l->longest > LIVE_HANG_NS ? LIVE_LONGEST * l->longest : LIVE_HANG_NS;
    limit = limit / 1000000 < HANG_TIMEOUT_MS ? limit / 1000000 : HANG_TIMEOUT_MS;
    snprintf(op, sizeof op, c->pair ? "%s, peer %" PRIu32 : "%s", c->op, c->peer);
    snprintf(size, sizeof size, "[%" PRIu64 "]", c->count);
    struct hang_call out = {
        .sequence = c->number,
        .created = HANG_NO_TIME,
        .group = g->hang,
        .signature = hang_add_signature(h, &(struct hang_signature){.op = op,
                                                                    .inputs = size,
                                                                    .outputs = "",
                                                                    .input_types = c->type,
                                                                    .output_types = "",
                                                                    .in = c->count}),
        .stack = HANG_UNKNOWN,
        .timeout_ms = (uint32_t)limit,
        .state = HANG_SCHEDULED,
        .pair = c->pair,
    };
    if (c->begun)
        out.state = c->ended ? HANG_COMPLETED : HANG_STARTED;
    if (c->begun && head->seen >= c->begun && head->seen_wall > head->seen - c->begun)
        out.created = head->seen_wall - (head->seen - c->begun);
    return out;
}

static int add_hang_rank_of_live(struct hang *h, struct live *l, const struct live_rank *r,
                                 struct error *err)
{
    struct hang_rank own = {.number = r->number, .path = (char *)RANK_COLLECTIVES};
    uint32_t room = 0;
    own.newest = own.written = l->until;
    own.wrapped = r->file.header.calls > r->file.ncalls;
    for (uint32_t i = 0; i < r->file.ncalls; i++) {
        const struct live_group *g = find_group_of_call(l, r, &r->file.calls[i]);
        if (g)
            LIST_ADD(own.calls, own.ncalls, room, make_hang_call(h, l, r, g, &r->file.calls[i]));
    }
    const int rc = hang_add_rank(h, &own, err);
    if (rc != 0)
        free(own.calls);
    return rc;
}

static void say_live_hang(struct job_folder *f, const struct hang *h)
{
    char line[HANG_LINE], evidence[HANG_EVIDENCE][HANG_LINE];
    struct job_slow *s = &f->slow;
    *s = (struct job_slow){.rank = job_folder_find_number(f, hang_named_rank(h)),
                           .behind = (double)h->groups[h->order[0]].waited / 1e9,
                           .beside = JOB_NONE,
                           .spread = NAN,
                           .cause = SLOW_HANG};
    print_line(s->said, sizeof s->said, "%s", hang_say_verdict(h, line, false));
    if (hang_say_evidence(h, evidence, false) > 0)
        print_line(s->why, sizeof s->why, "%s", evidence[0]);
}

/* Whether the ranks wait for each other for too long, or did so until the job ended. */
static bool judge_live_hang(struct live *l)
{
    struct hang h = {.ended = l->ended};
    struct error ignored = ERROR_INIT;
    int rc = 0;
    for (uint32_t i = 0; i < l->ngroups; i++) {
        struct live_group *g = &l->groups[i];
        char name[24];
        snprintf(name, sizeof name, "%" PRIx64, g->id);
        g->hang = hang_add_group(&h, name, g->name, g->members, g->nmembers);
    }
    for (uint32_t i = 0; i < l->n && rc == 0; i++)
        rc = add_hang_rank_of_live(&h, l, &l->ranks[i], &ignored);
    if (rc == 0)
        rc = hang_finish(&h, &ignored);
    const bool hangs = rc == 0 && h.nwaiting && h.verdict != HANG_NONE && h.verdict != HANG_RUNNING;
    if (hangs)
        say_live_hang(l->folder, &h);
    hang_free(&h);
    return hangs;
}

/* --- a straggler --- */

/* When a call ran: by the device's clock, or as its kernels were seen. */
struct live_span {
    uint64_t from, to;
};

static struct live_span find_live_span(const struct collectives_call *c, bool stamps)
{
    if (stamps)
        return (struct live_span){c->first, c->last};
    return (struct live_span){c->begun, c->ended};
}

static bool has_live_stamps(const struct collectives_file *f)
{
    for (uint32_t i = 0; i < f->ncalls; i++)
        if (f->calls[i].ended && !f->calls[i].first)
            return false;
    return true;
}

static void add_live_call(struct job *j, struct live *l, const struct live_rank *r, uint32_t at,
                          const struct collectives_call *c, struct live_span span)
{
    const struct live_group *g = find_group_of_call(l, r, c);
    const enum collective_op op = collective_op_named(c->op);
    char name[24];
    if (!g || !collective_waits_for_all(op))
        return;
    snprintf(name, sizeof name, "%" PRIx64, g->id);
    job_add_call(
        j, op, name, g->ranks,
        (struct collective_call){
            .sequence = c->number, .numbered = 1, .duration = span.to - span.from, .rank = at});
}

/* Adds the last calls of a rank that have ended. Its wall time is that from the first to the last
 * of them. */
static void add_last_calls_of_rank(struct job *j, struct live *l, uint32_t at)
{
    const struct live_rank *r = &l->ranks[at];
    const bool stamps = has_live_stamps(&r->file);
    uint64_t from = UINT64_MAX, to = 0;
    uint32_t kept = 0, first = r->file.ncalls;
    for (uint32_t i = r->file.ncalls; i-- > 0; first = i) {
        const struct collectives_call *c = &r->file.calls[i];
        const struct live_span span = find_live_span(c, stamps);
        if (!c->ended || c->pair)
            continue;
        to = span.to > to ? span.to : to;
        if (kept++ >= LIVE_LATEST && span.from + LIVE_WINDOW_NS < to)
            break;
        from = span.from < from ? span.from : from;
    }
    for (uint32_t i = first; i < r->file.ncalls; i++)
        if (r->file.calls[i].ended && !r->file.calls[i].pair)
            add_live_call(j, l, r, at, &r->file.calls[i],
                          find_live_span(&r->file.calls[i], stamps));
    j->ranks[at].use.wall = to > from ? to - from : 0;
}

static void say_live_straggler(struct job_folder *f, const struct job *j, bool ended)
{
    const struct job_straggler *s = &j->straggler;
    const struct job_rank *r = &j->ranks[s->rank];
    struct job_slow *slow = &f->slow;
    char lost[VALUE_TEXT_MAX], wall[VALUE_TEXT_MAX];
    const uint32_t rank = job_folder_find_number(f, r->number);
    if (slow->rank != rank) { /* else the summaries show the cause */
        *slow = (struct job_slow){.rank = rank,
                                  .behind = (double)s->lost / 1e9,
                                  .beside = JOB_NONE,
                                  .spread = NAN,
                                  .cause = SLOW_COLLECTIVES};
        snprintf(slow->why, sizeof slow->why,
                 "%.1f %% of the last %s, as the plugin in NCCL saw them; what it %s meanwhile "
                 "is not recorded there",
                 100 * s->share, value_time((double)j->wall, false, wall), ended ? "did" : "does");
    }
    print_line(slow->said, sizeof slow->said,
               "rank %" PRIu32 " %s the others up: last at %" PRIu64 " of the last %" PRIu64
               " collectives; each other rank waited %s for it",
               r->number, ended ? "held" : "holds", r->last, r->together,
               value_time((double)s->lost, false, lost));
}

static void judge_live_straggler(struct live *l)
{
    struct job j = {.n = l->n};
    struct error ignored = ERROR_INIT;
    j.priv = xcalloc(1, sizeof *j.priv);
    j.ranks = xcalloc(l->n + (size_t)1, sizeof *j.ranks);
    for (uint32_t i = 0; i < l->n; i++) {
        j.ranks[i] = (struct job_rank){.path = xstrdup(""),
                                       .number = l->ranks[i].number,
                                       .devices = 1,
                                       .from = GRAPH_UNKNOWN,
                                       .to = GRAPH_UNKNOWN};
        add_last_calls_of_rank(&j, l, i);
    }
    if (job_finish(&j, &ignored) == 0 && j.straggler.rank != TRACE_UNKNOWN &&
        j.straggler.chance * LIVE_CHANCE <= 1)
        say_live_straggler(l->folder, &j, l->ended);
    job_free(&j);
}

/* --- what is not recorded --- */

static void note_missing_collectives(struct job_folder *f)
{
    uint32_t n = 0, first = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->ranks[i].s.no_collectives[0] && n++ == 0)
            first = i;
    if (n)
        job_folder_note(f, "in %" PRIu32 " of %" PRIu32 " ranks calls of NCCL are not recorded: %s",
                        n, f->n, f->ranks[first].s.no_collectives);
}

static bool has_refused(const struct collectives_file *f)
{
    return f->header.refused != 0;
}

static bool has_dropped(const struct collectives_file *f)
{
    return f->header.dropped != 0;
}

/* Whether many more collectives were asked for than NCCL told of. Some may just be on their way. */
static bool has_unseen(const struct collectives_file *f)
{
    for (uint32_t i = 0; i < f->ngroups; i++) {
        const uint64_t asked = f->groups[i].announced, seen = f->groups[i].calls;
        if (asked >= LIVE_UNSEEN && seen < asked - asked / 10)
            return true;
    }
    return false;
}

static void note_ranks_with(struct live *l, bool (*has)(const struct collectives_file *),
                            const char *what)
{
    uint32_t n = 0, first = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (has(&l->ranks[i].file) && n++ == 0)
            first = i;
    if (n)
        job_folder_note(l->folder,
                        "%" PRIu32 " of %" PRIu32 " ranks, rank %" PRIu32 " first, have %s", n,
                        l->folder->n, l->ranks[first].number, what);
}

/* --- all --- */

/* Whether ranks may be in calls that have not ended: the job runs, or was killed. */
static bool may_hang(const struct job_folder *f)
{
    bool killed = false;
    for (uint32_t i = 0; i < f->n && !killed; i++)
        killed = f->ranks[i].s.signal > 0;
    return killed || f->unfinished > 0;
}

void job_folder_judge_collectives(struct job_folder *f)
{
    struct live l = {.folder = f};
    note_missing_collectives(f);
    if (f->n < 2 || f->mixed)
        return;
    read_live_ranks(&l);
    note_ranks_with(&l, has_refused,
                    "further processes that use NCCL: only the first process of a rank is "
                    "recorded");
    note_ranks_with(&l, has_dropped,
                    "communicators or calls of NCCL that are not judged: more were open at a time "
                    "than are kept");
    note_ranks_with(&l, has_unseen,
                    "collectives that are not judged: NCCL tells a plugin nothing of those over "
                    "symmetric memory or by copy engines");
    find_live_groups(&l);
    find_live_times(&l);
    const bool hangs = l.n > 1 && may_hang(f) && judge_live_hang(&l);
    if (l.n > 1 && !hangs && (f->unfinished || f->slow.rank == JOB_NONE))
        judge_live_straggler(&l);
    free_live(&l);
}

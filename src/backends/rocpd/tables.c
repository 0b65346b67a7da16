/* Reads the small tables of rocpd, which explain the identifiers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/names.h"
#include "backends/rocpd/rocpd_impl.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"

enum { GUIDS_MAX = 65536 };

uint32_t rocpd_guid_of(struct rocpd *r, const char *text)
{
    if (r->last_guid < r->nguids && strcmp(r->guids[r->last_guid].text, text) == 0)
        return r->last_guid;
    uint64_t hash = hash_text(0, text);
    HASH_EACH (&r->guid_by_text, hash, i)
        if (strcmp(r->guids[i].text, text) == 0)
            return r->last_guid = i;
    if (r->nguids == GUIDS_MAX) {
        error_set(r->file.err, ERROR_UNSUPPORTED, E2BIG, "read its parts one by one", r->file.path,
                  "more than %d runs in one file", GUIDS_MAX);
        return UINT32_MAX;
    }
    hash_table_add(&r->guid_by_text, hash, r->nguids);
    LIST_ROOM(r->guids, r->nguids, r->guids_cap);
    r->guids[r->nguids] = (struct rocpd_guid){
        .text = xstrdup(text), .length = strlen(text), .first_process = IDS_NONE};
    return r->last_guid = r->nguids++;
}

void rocpd_forget_set(struct rocpd *r)
{
    for (uint32_t i = 0; i < r->nguids; i++) {
        struct rocpd_guid *g = &r->guids[i];
        struct ids *all[] = {&g->strings,    &g->hosts,      &g->counters, &g->processes,
                             &g->threads,    &g->symbols,    &g->tracks,   &g->agents,
                             &g->dispatches, &g->categories, &g->markers};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            ids_free(all[k]);
        free(g->text);
    }
    for (uint32_t i = 0; i < r->nprocesses; i++)
        free(r->processes[i].command);
    for (uint32_t i = 0; i < r->nthreads; i++)
        free(r->threads[i].name);
    hash_table_free(&r->guid_by_text);
    r->ranges = false;
    r->nguids = r->nprocesses = r->nthreads = r->nsymbols = r->ntracks = 0;
}

struct table_pass {
    struct rocpd *r;
    rocpd_row row;
};

static int give_table_row(void *ctx, const struct rocpd_select *s)
{
    const struct table_pass *p = ctx;
    uint32_t at = p->r->last_guid;
    if (at >= p->r->nguids || !rocpd_text_is(s, 0, p->r->guids[at].text, p->r->guids[at].length)) {
        const char *guid = rocpd_text(s, 0);
        at = guid ? rocpd_guid_of(p->r, guid) : p->r->own_guid;
    }
    if (at == UINT32_MAX)
        return -E2BIG;
    p->row(p->r, s, &p->r->guids[at]);
    return 0;
}

int rocpd_each(struct rocpd *r, const struct rocpd_columns *c, bool stacks, rocpd_row row)
{
    struct table_pass p = {r, row};
    return rocpd_select(&r->file, &r->tables, r->suffix, c, stacks, give_table_row, &p);
}

/* --- rows: column 0 is the guid, 1 the id --- */

static void string_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *text = rocpd_text(s, 2);
    int64_t id = rocpd_int(s, 1);
    if (!text || id == ROCM_UNKNOWN)
        return;
    ids_add(&g->strings, (uint64_t)id, graph_intern(r->t->calls, text));
    if (strncmp(text, "MARKER_CORE", strlen("MARKER_CORE")) == 0)
        r->ranges |= ids_add(&g->categories, (uint64_t)id, 1);
}

/*
 * rocTX ranges are stored as regions, like calls; the category of their event distinguishes them.
 */
static void keep_marker_event(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    int64_t id = rocpd_int(s, 1), category = rocpd_int(s, 2);
    (void)r;
    if (id != ROCM_UNKNOWN && ids_get(&g->categories, (uint64_t)category) != IDS_NONE)
        ids_add(&g->markers, (uint64_t)id, 1);
}

static void host_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *text = rocpd_text(s, 2);
    int64_t id = rocpd_int(s, 1);
    char clock[512];
    if (!text || !*text || id == ROCM_UNKNOWN)
        return;
    uint32_t host = graph_intern(r->t->calls, text);
    ids_add(&g->hosts, (uint64_t)id, host);
    snprintf(clock, sizeof clock, "boot time of %s", text);
    trace_tell_clock(r->t, &(struct trace_clock){host, GRAPH_NONE, graph_intern(r->t->calls, clock),
                                                 GRAPH_UNKNOWN, 0});
}

static void keep_counter_name(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *name = rocpd_text(s, 2), *symbol = rocpd_text(s, 3);
    int64_t id = rocpd_int(s, 1);
    if (!name || !*name)
        name = symbol;
    if (name && *name && id != ROCM_UNKNOWN)
        ids_add(&g->counters, (uint64_t)id, graph_intern(r->t->calls, name));
}

static void keep_rocpd_process(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *command = rocpd_text(s, 3);
    int64_t id = rocpd_int(s, 1), pid = rocpd_int(s, 2);
    if (id == ROCM_UNKNOWN || !ids_add(&g->processes, (uint64_t)id, r->nprocesses))
        return;
    LIST_ROOM(r->processes, r->nprocesses, r->processes_cap);
    r->processes[r->nprocesses] = (struct rocpd_process){
        pid == ROCM_UNKNOWN ? id : pid, command ? xstrdup(command) : NULL, GRAPH_NONE};
    if (g->first_process == IDS_NONE)
        g->first_process = r->nprocesses;
    r->nprocesses++;
}

static void thread_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *name = rocpd_text(s, 3);
    int64_t id = rocpd_int(s, 1), tid = rocpd_int(s, 2);
    if (id == ROCM_UNKNOWN || !ids_add(&g->threads, (uint64_t)id, r->nthreads))
        return;
    LIST_ROOM(r->threads, r->nthreads, r->threads_cap);
    r->threads[r->nthreads++] =
        (struct rocpd_thread){tid == ROCM_UNKNOWN ? id : tid, name ? xstrdup(name) : NULL};
}

static void symbol_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    const char *name = rocpd_text(s, 2), *mangled = rocpd_text(s, 3);
    int64_t id = rocpd_int(s, 1);
    if (!name || !*name)
        name = mangled;
    if (id == ROCM_UNKNOWN || !name || !*name || !ids_add(&g->symbols, (uint64_t)id, r->nsymbols))
        return;
    LIST_ROOM(r->symbols, r->nsymbols, r->symbols_cap);
    r->symbols[r->nsymbols++] = (struct rocpd_symbol){
        .name = rocm_kernel_name(r->t->calls, name),
        .lds_bytes = rocpd_count(s, 4),
        .scratch_bytes = rocpd_count(s, 5),
        .vgprs = rocpd_count(s, 6),
        .accum_vgprs = rocpd_count(s, 7),
        .sgprs = rocpd_count(s, 8),
    };
}

/* In revision 4.1 rows with spans name a track, which tells where the span ran. */
static void track_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    int64_t id = rocpd_int(s, 1);
    if (id == ROCM_UNKNOWN || !ids_add(&g->tracks, (uint64_t)id, r->ntracks))
        return;
    LIST_ROOM(r->tracks, r->ntracks, r->tracks_cap);
    r->tracks[r->ntracks++] = (struct rocpd_place){
        rocpd_int(s, 2), rocpd_int(s, 3), rocpd_int(s, 4), rocpd_int(s, 5), rocpd_int(s, 6)};
}

int rocpd_read_names(struct rocpd *r)
{
    static const struct {
        struct rocpd_columns columns;
        rocpd_row row;
    } tables[] = {
        {{"rocpd_string", {"guid", "id", "string"}, 0}, string_row},
        {{"rocpd_info_node", {"guid", "id", "hostname"}, 0}, host_row},
        {{"rocpd_info_process", {"guid", "id", "pid", "command"}, 0}, keep_rocpd_process},
        {{"rocpd_info_thread", {"guid", "id", "tid", "name"}, 0}, thread_row},
        {{"rocpd_info_kernel_symbol",
          {"guid", "id", "display_name", "kernel_name", "group_segment_size",
           "private_segment_size", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count"},
          0},
         symbol_row},
        {{"rocpd_info_pmc", {"guid", "id", "name", "symbol"}, 0}, keep_counter_name},
        {{"rocpd_track", {"guid", "id", "pid", "tid", "agent_id", "queue_id", "stream_id"}, 0},
         track_row},
    };
    static const struct rocpd_columns events = {"rocpd_event", {"guid", "id", "category_id"}, 0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++)
        rc = rocpd_each(r, &tables[i].columns, false, tables[i].row);
    if (rc == 0 && r->ranges)
        rc = rocpd_each(r, &events, false, keep_marker_event);
    return rc;
}

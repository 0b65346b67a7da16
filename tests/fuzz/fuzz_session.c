/* Damaged session files, closed ones and those of a recorder that was killed: sqlite_damage.h. */
#include <math.h>

#include "sqlite_damage.h"

#include "engine/session/session.h"
#include "export/live/export_json.h"

enum { CLOSED = 150, KILLED = 135 };

static void write_frames(struct session_writer *w, int n)
{
    struct error err = ERROR_INIT;
    struct host *host = host_new();
    for (int i = 0; i < n; i++) {
        struct snapshot *s = snapshot_new(host);
        s->seq = (uint64_t)i + 1;
        s->time_ns = 1000000000u * (uint64_t)(i + 1);
        s->interval_s = 1;
        s->total.busy = value_ok(50 + 40 * sin(i), UNIT_PERCENT);
        if (session_write(w, s, &err) != 0)
            abort();
        snapshot_unref(s);
    }
    host_unref(host);
}

/* Adds the file, with its log merged, to the good ones. */
static void add(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    damage_add(db, "session");
}

static void remove_all(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char file[96];
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct error err = ERROR_INIT;
    struct session_writer *w;
    char path[64];
    snprintf(path, sizeof path, "/tmp/rooftop-fuzz-made-%d", (int)getpid());
    struct session_config config = {.path = path, .replace = true};
    for (int killed = 0; killed < 2; killed++) {
        if (session_create(&w, &config, &err) != 0)
            abort();
        write_frames(w, killed ? KILLED : CLOSED);
        if (killed)
            add(path);
        if (session_close(w, &err) != 0)
            abort();
        if (!killed)
            add(path);
    }
    remove_all(path);
    return 0;
}

static bool visit(void *ctx, const struct snapshot *s)
{
    size_t *n = ctx;
    if (*n % 64 == 0)
        free(export_json_text(s, "fuzz", false));
    return ++*n < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    size_t n = 0;
    if (!damage_write(data, size))
        return 0;
    if (session_open(&r, good.path, &err) == 0) {
        for (size_t i = 1; i < recording_count(r); i++)
            if (recording_time(r, i) < recording_time(r, i - 1))
                abort();
        recording_scan(r, 0, recording_count(r), RECORDING_ALL, visit, &n, &err);
        recording_free(r);
    }
    unlink(good.path);
    return 0;
}

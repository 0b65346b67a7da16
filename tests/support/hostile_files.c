#include "support/hostile_files.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "engine/session/session_impl.h"
#include "engine/session/session.h"
#include "export/live/export_json.h"
#include "rooftop/brick.h"
#include "support/code_made.h"
#include "support/hostile.h"
#include "support/scenes.h"

/* --- a session --- */

enum {
    TICKS = 5,
    LEAST = 4 /* only texts of at least LEAST bytes are replaced, so that they can be found by their
                 bytes */
};

/* Fills n bytes with text of which hardly a byte may be printed raw. */
static void make_hostile(char *text, size_t n)
{
    static const char bytes[] = "=\033]0;\a\302\233\342\200\256\"\\\n,]]><&\xff\tx";
    for (size_t i = 0; i < n; i++)
        text[i] = bytes[i % (sizeof bytes - 1)];
}

static bool visit(void *ctx, const struct snapshot *s)
{
    (void)ctx, (void)s;
    return true;
}

/* Replaces the text everywhere; skips places where a number has the same bytes. */
static void mangle_all(struct bytes *raw, const char *text)
{
    struct bytes before = {0};
    size_t n = strlen(text), letters = 0;
    for (size_t i = 0; i < n; i++)
        letters += isalpha((unsigned char)text[i]) != 0;
    if (n < LEAST || letters == 0)
        return;
    uint8_t *at = memmem(raw->p, raw->n, text, n);
    if (!at)
        return;
    bytes_put(&before, raw->p, raw->n);
    for (; at; at = memmem(at, raw->n - (size_t)(at - raw->p), text, n))
        make_hostile((char *)at, n);
    if (block_scan(raw, 0, TICKS, RECORDING_ALL, visit, NULL) != 0) {
        memcpy(raw->p, before.p, before.n);
    }
    free(before.p);
}

static void mangle_strings(struct bytes *raw, const cJSON *j)
{
    for (const cJSON *e = j; e; e = e->next) {
        if (cJSON_IsString(e))
            mangle_all(raw, e->valuestring);
        mangle_strings(raw, e->child);
    }
}

static void mangle_block(sqlite3 *db, const cJSON *texts)
{
    sqlite3_stmt *get, *put;
    struct bytes raw = {0}, packed = {0};
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT data FROM block", -1, &get, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    assert_int_equal(
        block_unpack(&raw, sqlite3_column_blob(get, 0), (size_t)sqlite3_column_bytes(get, 0)), 0);
    assert_int_equal(sqlite3_step(get), SQLITE_DONE);
    sqlite3_finalize(get);
    mangle_strings(&raw, texts);
    block_pack(&packed, &raw);
    assert_int_equal(sqlite3_prepare_v2(db, "UPDATE block SET data = ?", -1, &put, NULL),
                     SQLITE_OK);
    sqlite3_bind_blob(put, 1, packed.p, (int)packed.n, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(put), SQLITE_DONE);
    sqlite3_finalize(put);
    free(raw.p);
    free(packed.p);
}

void hostile_session(const char *path, const char *name)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    struct session_config config = {.path = path, .generator = hostile_names[0]};
    char *text = NULL;
    assert_int_equal(session_create(&w, &config, &err), 0);
    for (int t = 0; t < TICKS; t++) {
        struct snapshot *s = scene(name, t);
        assert_int_equal(session_write(w, s, &err), 0);
        free(text);
        text = export_json_text(s, "test", false);
        snapshot_unref(s);
    }
    assert_int_equal(session_close(w, &err), 0);
    cJSON *texts = cJSON_Parse(text);
    sqlite3 *db;
    assert_non_null(texts);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    mangle_block(db, texts);
    sqlite3_close(db);
    cJSON_Delete(texts);
    free(text);
}

/* --- files about GPUs --- */

void hostile_rocprof(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_"
          "Id\",\"Kernel_Name\","
          "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_"
          "Size\",\"VGPR_Count\","
          "\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\","
          "\"Workgroup_Size_Z\","
          "\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n",
          f);
    for (int i = 0; hostile_names[i]; i++) {
        fprintf(f, "\"KERNEL_DISPATCH\",\"Agent 1\",1,1,1,%d,%d,\"", i + 1, i + 1);
        for (const char *c = hostile_names[i]; *c; c++)
            fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(f, "\",%d,%d,%d,0,0,8,0,16,64,1,1,128,1,1\n", i + 1, i * 1000, i * 1000 + 500);
    }
    fclose(f);
}

void hostile_code(const char *path)
{
    static struct code_made m;
    unsigned n = 0;
    m.n = 0;
    while (n < 15 && hostile_names[n])
        n++;
    made_map(&m, 1);
    made_text(&m, "amdhsa.kernels");
    made_array(&m, n);
    for (unsigned i = 0; i < n; i++) {
        char symbol[512];
        snprintf(symbol, sizeof symbol, "%s.kd", hostile_names[i]);
        made_map(&m, 2);
        made_text(&m, ".name"), made_text(&m, hostile_names[i]);
        made_text(&m, ".symbol"), made_text(&m, symbol);
    }
    size_t size;
    uint8_t *elf = code_made_elf(&m, &size);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(elf, 1, size, f), size);
    fclose(f);
    free(elf);
}

void hostile_capture(struct made_capture *out)
{
    static const char evil[] = "=\\u001b]0;own\\u0007\\u009b\\u202e\\u200b\xff]]>\\\"x\\n";
    static const char *const texts[] = {"_Z5scalePfS_fj",
                                        "scale(float*, float*, float, unsigned int)",
                                        "AMD Instinct MI300X",
                                        "./scale",
                                        "it's 4",
                                        "node1",
                                        "1.14",
                                        "0.1",
                                        "factor"};
    made_capture_make(out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char from[96], to[160];
        snprintf(from, sizeof from, "\"%s\"", texts[i]);
        snprintf(to, sizeof to, "\"%s%zu\"", evil, i);
        made_capture_change(out, "dispatch.json", from, to);
    }
}

void hostile_bricks(const char *name)
{
    const uint32_t grid[3] = {4, 1, 1}, block[3] = {64, 1, 1};
    rooftop_id ids[] = {rooftop_register(name, ROOFTOP_NORM), rooftop_function(name, name, 7),
                        rooftop_kernel(name, 1, grid, block, 0),
                        rooftop_transfer(ROOFTOP_HOST_TO_DEVICE, name, name),
                        rooftop_backend(name, 1e12, 1e11, name)};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rooftop_timer t = rooftop_start(ids[i]);
        rooftop_stop_work(t, 10, 20, 30);
    }
}

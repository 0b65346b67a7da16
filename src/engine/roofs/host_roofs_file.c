/* The document of measured roofs, and its copy in the state folder. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/env.h"
#include "base/state_dir.h"
#include "base/temporary.h"
#include "engine/roofs/host_roofs.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "engine/value/list_field_document.h"
#include "engine/value/text_file.h"

#define SCHEMA "rooftop.host_roofs/1"

/* --- the host --- */

/* The value of a line "key : value" of /proc/cpuinfo's first CPU. */
static void read_cpuinfo_key(const char *key, char *out, size_t size)
{
    char path[256], line[512];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/cpuinfo"), "re");
    *out = '\0';
    while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (f)
        fclose(f);
}

static void read_first_line(const char *path, char *out, size_t size)
{
    char real[256];
    FILE *f = fopen(env_path(real, sizeof real, "%s", path), "re");
    *out = '\0';
    if (f && fgets(out, (int)size, f))
        out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
}

void host_roofs_describe(struct host_roofs *out)
{
    struct utsname u;
    struct tm tm;
    time_t now = time(NULL);
    read_cpuinfo_key("model name", out->cpu, sizeof out->cpu);
    if (out->cpu[0] == '\0') /* Arm's kernel gives numbers only */
        read_cpuinfo_key("CPU part", out->cpu, sizeof out->cpu);
    read_cpuinfo_key("microcode", out->microcode, sizeof out->microcode);
    read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", out->governor,
                    sizeof out->governor);
    if (uname(&u) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%s", u.release);
    if (gmtime_r(&now, &tm))
        strftime(out->made, sizeof out->made, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

#define TYPE struct host_roofs
const struct fields host_roofs_record =
    RECORD_OF(ROW(CHARS, cpu), ROW(CHARS, microcode), ROW(CHARS, governor), ROW(CHARS, kernel),
              ROW(CHARS, made), ROW(U32, cpus), ROW(BOOL, quick));
#undef TYPE

/* --- writing --- */

void host_roofs_write_json(FILE *out, const struct host_roofs *r)
{
    cJSON *doc = document_begin(SCHEMA);
    record_add(doc, host_roofs_record, r, NULL, NULL);
    cJSON *rows = cJSON_AddArrayToObject(doc, "roofs");
    for (size_t i = 0; i < r->n; i++)
        cJSON_AddItemToArray(rows, list_fields_object(host_roofs_fields, &r->rows[i]));
    document_end(out, doc);
}

/* --- reading --- */

static int refuse_roofs_document(struct error *err, const char *path, const char *why)
{
    return error_set(err, ERROR_INPUT, EINVAL, "rooftop lab roofs measures them anew", path, "%s",
                     why);
}

static bool is_count(double v, double most)
{
    return v >= 0 && v <= most && v == floor(v);
}

#define TYPE struct host_roof
static const struct fields roof_record =
    RECORD_OF(ROW(CHARS, name), ROW(CHARS, type), ROW(CHARS, level), ROW(CHARS, refused),
              NAMED(DOUBLE, clock, "clock_hz"), ROW(DOUBLE, per_cycle),
              NAMED(DOUBLE, theory, "theory_per_cycle"), ROW(DOUBLE, spread), ROW(DOUBLE, value));
#undef TYPE

/* Returns NULL, or why the row makes no sense. */
static const char *read_host_roof(struct host_roof *r, const cJSON *from)
{
    const char *kind = json_get_text(from, "kind");
    double set = json_get_number(from, "working_set"), threads = json_get_number(from, "threads");
    *r = (struct host_roof){.kind = HOST_ROOF_KINDS};
    for (int k = 0; k < HOST_ROOF_KINDS; k++)
        if (strcmp(host_roof_kind_name((enum host_roof_kind)k), kind) == 0)
            r->kind = (uint8_t)k;
    if (r->kind == HOST_ROOF_KINDS)
        return "a roof is of no known kind";
    record_take(from, roof_record, r);
    if (!(r->value > 0) || !isfinite(r->value)) {
        if (r->refused[0] == '\0')
            return "the value of a roof is not above 0";
        r->value = NAN; /* nothing could be measured */
    }
    if (!is_count(set, 1e15) || !is_count(threads, 1e6) || threads < 1)
        return "a roof has no working set or no threads";
    double width = json_get_number(from, "width");
    if (r->kind == HOST_ROOF_OPERATIONS && !is_count(width, 65536))
        return "a roof does not tell the width of its vectors: an older rooftop wrote it";
    r->width = is_count(width, 65536) ? (uint32_t)width : 0;
    double load = json_get_number(from, "load"), reads = json_get_number(from, "reads");
    if (r->kind == HOST_ROOF_LOADED && !(load > 0 && load < 1e18 && reads > 0 && reads <= 1))
        return "a latency under load tells no load or no share of reads";
    r->load = load > 0 ? load : 0;
    r->reads = reads > 0 ? reads : 0;
    double cpu_node = json_get_number(from, "cpu_node"),
           memory_node = json_get_number(from, "memory_node");
    r->nodes = is_count(cpu_node, 1e6) && is_count(memory_node, 1e6);
    r->cpu_node = r->nodes ? (uint32_t)cpu_node : 0;
    r->memory_node = r->nodes ? (uint32_t)memory_node : 0;
    r->working_set = (uint64_t)set;
    r->threads = (uint32_t)threads;
    return NULL;
}

int host_roofs_parse(struct host_roofs *out, const char *text, size_t n, const char *path,
                     struct error *err)
{
    *out = (struct host_roofs){.n = 0};
    cJSON *doc = cJSON_ParseWithLength(text, n);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(doc, "schema");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(doc, "roofs"), *row;
    const char *why = NULL;
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA) != 0 || !cJSON_IsArray(rows))
        why = "it is no document " SCHEMA;
    record_take(doc, host_roofs_record, out);
    cJSON_ArrayForEach(row, rows)
    {
        struct host_roof r;
        if (why)
            break;
        why = out->n == HOST_ROOFS_MAX ? "it has too many roofs" : read_host_roof(&r, row);
        if (!why)
            host_roofs_add(out, &r);
    }
    cJSON_Delete(doc);
    return why ? refuse_roofs_document(err, path, why) : 0;
}

/* --- the state folder --- */

bool host_roofs_path(char *out, size_t size, struct error *err)
{
    char dir[192];
    if (!state_dir(dir, sizeof dir, err))
        return false;
    return snprintf(out, size, "%s/host_roofs.json", dir) < (int)size;
}

static int fail_store(struct error *err, const char *path)
{
    return error_set(err, ERROR_INPUT, errno, NULL, path, "cannot be written: %s", strerror(errno));
}

int host_roofs_store(const struct host_roofs *r, struct error *err)
{
    char path[256], dir[256], temporary[256 + TEMPORARY_MORE];
    if (!host_roofs_path(path, sizeof path, err))
        return err && err->kind != ERROR_NONE
                   ? -ENOENT
                   : error_set(err, ERROR_INPUT, ENOENT, "set HOME or XDG_STATE_HOME", "roofs",
                               "they are not stored: there is no state folder");
    snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
    int rc = state_dir_make(dir);
    if (rc != 0) {
        errno = -rc;
        return fail_store(err, dir);
    }
    const int fd = temporary_file(path, temporary, sizeof temporary);
    FILE *f = fd >= 0 ? temporary_stream(fd) : NULL;
    if (fd < 0)
        errno = -fd;
    bool bad = !f;
    if (f) {
        host_roofs_write_json(f, r);
        bad = ferror(f) != 0;
        bad |= fclose(f) != 0;
    }
    if (bad || rename(temporary, path) != 0) {
        rc = fail_store(err, path);
        if (*temporary)
            unlink(temporary);
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

int host_roofs_load(struct host_roofs *out, struct error *err)
{
    char path[256], *text = NULL;
    size_t n = 0;
    struct stat st;
    struct host_roofs here = {.cpus = 0};
    *out = (struct host_roofs){.n = 0};
    if (!host_roofs_path(path, sizeof path, err) || stat(path, &st) != 0)
        return -ENOENT;
    int rc = text_file_read(&text, &n, path, err);
    if (rc == 0)
        rc = host_roofs_parse(out, text, n, path, err);
    free(text);
    if (rc != 0)
        return rc;
    host_roofs_describe(&here);
    char why[200];
    if (host_roofs_hold(out, &here, why, sizeof why))
        return 0;
    return error_set(err, ERROR_INPUT, ESTALE, "rooftop lab roofs measures them anew", path, "%s",
                     why);
}

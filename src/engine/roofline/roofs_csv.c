#include "engine/roofline/roofs_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Source of the names: the header of rocprof-compute's own file. If several columns are of one type
 * (F4 and F6), the higher value counts. */
static const struct known_column {
    const char *name, *label;
    bool memory;
    uint8_t unit, type, level;
} known[] = {
    {.name = "HBMBw", .label = "HBM", .memory = true, .level = LEVEL_HBM},
    {.name = "L2Bw", .label = "L2", .memory = true, .level = LEVEL_L2},
    {.name = "L1Bw", .label = "L1", .memory = true, .level = LEVEL_L1},
    {.name = "LDSBw", .label = "LDS", .memory = true, .level = LEVEL_LDS},
    {.name = "FP64Flops", .label = "VALU f64", .unit = UNIT_VALU, .type = WORK_F64},
    {.name = "FP32Flops", .label = "VALU f32", .unit = UNIT_VALU, .type = WORK_F32},
    {.name = "FP16Flops", .label = "VALU f16", .unit = UNIT_VALU, .type = WORK_F16},
    {.name = "BF16Flops", .label = "VALU bf16", .unit = UNIT_VALU, .type = WORK_BF16},
    {.name = "FP8Flops", .label = "VALU f8", .unit = UNIT_VALU, .type = WORK_F8},
    {.name = "I8Ops", .label = "VALU i8", .unit = UNIT_VALU, .type = WORK_I8},
    {.name = "MFMAF64Flops", .label = "MFMA f64", .unit = UNIT_MATRIX, .type = WORK_F64},
    {.name = "MFMAF32Flops", .label = "MFMA f32", .unit = UNIT_MATRIX, .type = WORK_F32},
    {.name = "MFMAXF32Flops", .label = "MFMA xf32", .unit = UNIT_MATRIX, .type = WORK_XF32},
    {.name = "MFMAF16Flops", .label = "MFMA f16", .unit = UNIT_MATRIX, .type = WORK_F16},
    {.name = "MFMABF16Flops", .label = "MFMA bf16", .unit = UNIT_MATRIX, .type = WORK_BF16},
    {.name = "MFMAF8Flops", .label = "MFMA f8", .unit = UNIT_MATRIX, .type = WORK_F8},
    {.name = "MFMAF6Flops", .label = "MFMA f6f4", .unit = UNIT_MATRIX, .type = WORK_F6F4},
    {.name = "MFMAF4Flops", .label = "MFMA f6f4", .unit = UNIT_MATRIX, .type = WORK_F6F4},
    {.name = "MFMAF6F4Flops", .label = "MFMA f6f4", .unit = UNIT_MATRIX, .type = WORK_F6F4},
    {.name = "MFMAI8Ops", .label = "MFMA i8", .unit = UNIT_MATRIX, .type = WORK_I8},
};
enum { KNOWN = sizeof known / sizeof *known, NUMBER = 64, NOT_KNOWN = -1, DEVICE = -2 };

struct roofs_reader {
    const char *path;
    struct error *err;
    const char *at, *end;
    unsigned line;
    int column[ROOFS_COLUMNS_MAX]; /* index into known, or DEVICE, NOT_KNOWN */
    unsigned ncolumns;
};

static int refuse_roofs_row(const struct roofs_reader *r, const char *what, size_t n,
                            const char *why)
{
    char where[160];
    snprintf(where, sizeof where, "%.120s:%u", r->path, r->line);
    return error_set(r->err, ERROR_INPUT, EINVAL,
                     "give the roofline.csv that rocprof-compute has written", where, "%s%s%.*s%s",
                     why, n ? " '" : "", (int)(n < 60 ? n : 60), what, n ? "'" : "");
}

/* The next field of the line, without quotes and blanks around it; false at the line's end. */
static bool read_roofs_field(struct roofs_reader *r, const char **text, size_t *n, bool *first)
{
    if (!*first && (r->at >= r->end || *r->at != ','))
        return false;
    r->at += !*first;
    *first = false;
    const char *from = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '\n')
        r->at++;
    const char *to = r->at;
    while (from < to && strchr(" \t\"", *from))
        from++;
    while (to > from && strchr(" \t\"\r", to[-1]))
        to--;
    *text = from;
    *n = (size_t)(to - from);
    return true;
}

static void skip_roofs_line_end(struct roofs_reader *r)
{
    r->at += r->at < r->end && *r->at == '\n';
    r->line++;
}

static int parse_peak(const struct roofs_reader *r, const char *text, size_t n, double *out)
{
    char copy[NUMBER], *end;
    if (n == 0 || n >= sizeof copy)
        return refuse_roofs_row(r, text, n, "not a number");
    memcpy(copy, text, n);
    copy[n] = '\0';
    *out = strtod(copy, &end);
    if (*end || !isfinite(*out) || *out < 0 || *out > 1e12)
        return refuse_roofs_row(r, text, n, "not a number of GB/s or GFLOP/s");
    return 0;
}

static int read_roofs_columns(struct roofs_reader *r)
{
    const char *text;
    size_t n;
    bool first = true, device = false, any = false;
    while (read_roofs_field(r, &text, &n, &first)) {
        if (r->ncolumns == ROOFS_COLUMNS_MAX)
            return refuse_roofs_row(r, "", 0, "too many columns");
        int *column = &r->column[r->ncolumns++];
        *column = n == 6 && memcmp(text, "device", 6) == 0 ? DEVICE : NOT_KNOWN;
        for (int i = 0; i < KNOWN; i++)
            if (strlen(known[i].name) == n && memcmp(known[i].name, text, n) == 0)
                *column = i;
        device |= *column == DEVICE;
        any |= *column >= 0;
    }
    if (!device || !any)
        return refuse_roofs_row(r, "", 0, "its first line has no device and no bandwidth or FLOPs");
    skip_roofs_line_end(r);
    return 0;
}

static void put_ceiling(struct ceiling *list, uint32_t *n, const struct known_column *k,
                        double peak)
{
    uint32_t i = 0;
    for (; i < *n; i++)
        if (list[i].memory == k->memory && list[i].unit == k->unit && list[i].type == k->type &&
            list[i].level == k->level)
            break;
    if (i < *n && list[i].peak >= peak)
        return;
    *n += i == *n;
    list[i] = (struct ceiling){.name = k->label,
                               .peak = peak,
                               .memory = k->memory,
                               .unit = k->unit,
                               .type = k->type,
                               .level = k->level};
}

static int read_roofs_row(struct roofs_reader *r, struct roofs_row *out, struct arena *memory)
{
    struct ceiling *list = arena_alloc(memory, KNOWN * sizeof *list);
    const char *text;
    size_t n;
    double value = 0;
    unsigned at = 0;
    bool first = true;
    *out = (struct roofs_row){.ceilings = list};
    for (; read_roofs_field(r, &text, &n, &first); at++) {
        int column = at < r->ncolumns ? r->column[at] : NOT_KNOWN;
        if (column == NOT_KNOWN || (column >= 0 && n == 0)) /* not measured */
            continue;
        int rc = parse_peak(r, text, n, &value);
        if (rc == 0 && column == DEVICE && (value != floor(value) || value > 1e6))
            rc = refuse_roofs_row(r, text, n, "not the number of a device");
        if (rc != 0)
            return rc;
        if (column == DEVICE)
            out->device = (uint32_t)value;
        else if (value > 0)
            put_ceiling(list, &out->nceilings, &known[column], value * 1e9);
    }
    if (at < r->ncolumns)
        return refuse_roofs_row(r, "", 0, "the row is cut short");
    skip_roofs_line_end(r);
    return 0;
}

int roofs_csv_parse(struct roofs_csv *out, struct arena *memory, const char *text, size_t n,
                    const char *path, struct error *err)
{
    struct roofs_reader r = {.path = path, .err = err, .at = text, .end = text + n, .line = 1};
    *out = (struct roofs_csv){.rows = arena_alloc(memory, ROOFS_ROWS_MAX * sizeof *out->rows)};
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.at += 3;
    int rc = read_roofs_columns(&r);
    while (rc == 0 && r.at < r.end) {
        if (*r.at == '\n' || (*r.at == '\r' && r.at + 1 < r.end && r.at[1] == '\n')) {
            r.at += *r.at == '\r';
            skip_roofs_line_end(&r);
            continue;
        }
        if (out->nrows == ROOFS_ROWS_MAX)
            return refuse_roofs_row(&r, "", 0, "too many devices");
        struct roofs_row *row = &out->rows[out->nrows];
        rc = read_roofs_row(&r, row, memory);
        for (uint32_t i = 0; rc == 0 && i < out->nrows; i++)
            if (out->rows[i].device == row->device) {
                r.line--;
                rc = refuse_roofs_row(&r, "", 0, "this device is there already");
            }
        out->nrows += rc == 0;
    }
    if (rc == 0 && out->nrows == 0)
        rc = refuse_roofs_row(&r, "", 0, "there is no device in it");
    return rc;
}

static int fail_file(const char *path, int code, const char *why, struct error *err)
{
    return error_set(err, ERROR_INPUT, code, NULL, path, "%s", why);
}

/* Reads the file's text, unpacked if it is packed with gzip. Returns its length; -1 if it has more
 * than `most` bytes or is damaged. Closes fd. */
static ssize_t read_roofs_text(int fd, char *text, size_t most)
{
    gzFile f = gzdopen(fd, "r");
    if (!f) {
        close(fd);
        return -1;
    }
    int n = gzread(f, text, (unsigned)most + 1);
    bool whole = gzclose_r(f) == Z_OK; /* gzclose_r reports a truncated file */
    return whole && n >= 0 && (size_t)n <= most ? n : -1;
}

int roofs_csv_read(struct roofs_csv *out, struct arena *memory, const char *path, struct error *err)
{
    struct stat st;
    *out = (struct roofs_csv){.nrows = 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_file(path, errno, strerror(errno), err);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return fail_file(path, EINVAL, "not a file of up to 1 MB", err);
    }
    char *text = xcalloc(1, ROOFS_BYTES_MAX + 2);
    ssize_t n = read_roofs_text(fd, text, ROOFS_BYTES_MAX);
    int rc = n < 0 ? fail_file(path, EINVAL,
                               "not a file of up to 1 MB, or a packed one that is cut", err)
                   : roofs_csv_parse(out, memory, text, (size_t)n, path, err);
    free(text);
    return rc;
}

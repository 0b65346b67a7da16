/* Files of thread traces, one after the other: the first byte of each chooses the kind of file,
 * the rest is its text. What was read must be printable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/att/att_impl.h"
#include "export/code/att_export.h"

enum { KINDS = 9 };

static int parse_json(struct att *a, char kind, struct json *j)
{
    struct att_kept *kept = NULL;
    uint32_t n = 0;
    int rc;
    switch ((unsigned char)kind % KINDS) {
    case 0:
        return att_parse_code(a, j);
    case 1:
        return att_parse_filenames(a, j);
    case 2:
        a->waves = att_grow(a->waves, a->nwaves, sizeof *a->waves);
        a->waves[a->nwaves++] = (struct att_wave){.file = "", .cu = ATT_UNKNOWN};
        return att_parse_wave(a, j, a->nwaves - 1);
    case 3:
        return att_parse_occupancy(a, j);
    case 4:
        return att_parse_levels(a, j, ATT_STATE_WAIT);
    case 5:
        return att_parse_counters(a, j, 0);
    case 6:
        return att_parse_clocks(a, j);
    default:
        rc = att_parse_snapshots(a, j, &kept, &n);
        free(kept);
        return rc;
    }
}

static int parse(struct att *a, char kind, const char *text, size_t size, struct error *err)
{
    struct json j;
    if ((unsigned char)kind % KINDS == KINDS - 1)
        return att_parse_stats(a, "fuzz", text, size, err);
    json_open(&j, "fuzz", text, size, err);
    int rc = parse_json(a, kind, &j);
    json_close(&j);
    return rc;
}

static void tell(const struct att *a)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    att_export_text(nowhere, a, false);
    att_export_csv(nowhere, a);
    att_export_json(nowhere, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n--";
    struct error err = ERROR_INIT;
    struct att a = {.name = "fuzz", .gfxv = "", .agent = ATT_UNKNOWN, .gfx = ATT_UNKNOWN};
    const char *at = (const char *)data, *end = at + size;
    int rc = 0;
    while (rc == 0 && at < end) {
        const char *stop = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
        stop = stop ? stop : end;
        /* a copy that ends with the text, so that sanitizers notice reads beyond it */
        size_t n = (size_t)(stop - at) - (stop > at);
        char *text = malloc(n + 1), kind = stop > at ? *at : '0';
        memcpy(text, stop > at ? at + 1 : at, n);
        char *exact = realloc(text, n ? n : 1);
        rc = parse(&a, (char)(kind - '0'), exact, n, &err);
        free(exact);
        at = stop < end ? stop + sizeof mark - 1 : end;
    }
    att_finish(&a);
    if (rc == 0)
        tell(&a);
    att_free(&a);
    return 0;
}

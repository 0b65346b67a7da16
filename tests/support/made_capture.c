#include "support/made_capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "format/capture.h"
#include "format/sum.h"

enum { DEVICE_SIZE = 65536, ZSTD_SIZE = CAPTURE_BLOCK + 4096, SMALL = 4096 };

struct text {
    char p[16384];
    size_t n;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->n += (size_t)vsnprintf(t->p + t->n, sizeof t->p - t->n, fmt, args);
    va_end(args);
    assert_true(t->n < sizeof t->p);
}

void made_capture_bytes(uint64_t base, bool after, uint8_t *to, size_t size)
{
    memset(to, 0, size);
    if (base == MADE_SPARSE) {
        if (size > 5u << 20)
            to[5u << 20] = 7;
        return;
    }
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)((i >> 8) * 7 + i % 13 + base / 4096);
    for (size_t i = 0; i < size && i < MADE_KERNARG_SIZE && base == MADE_KERNARG; i++)
        to[i] = (uint8_t)(i + 1);
    if (after && base == MADE_DEVICE)
        memset(to + size / 2, 0xee, size - size / 2);
}

void made_capture_write(const struct made_capture *m, const char *file, const void *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", m->dir, file);
    if (!bytes) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

char *made_capture_read(const struct made_capture *m, const char *file, size_t *n)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", m->dir, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &st), 0);
    char *p = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(p);
    assert_int_equal(fread(p, 1, (size_t)st.st_size, in), st.st_size);
    fclose(in);
    if (n)
        *n = (size_t)st.st_size;
    return p;
}

void made_capture_seal(const struct made_capture *m)
{
    static const char *const files[] = {CAPTURE_DISPATCH, CAPTURE_REGIONS};
    struct text t = {.n = 0};
    char digits[SUM_TEXT];
    add(&t, CAPTURE_FORMAT " %d\n", CAPTURE_VERSION);
    for (size_t i = 0; i < 2; i++) {
        size_t n;
        char *p = made_capture_read(m, files[i], &n);
        add(&t, "%s  %s\n", sum_text(sum_bytes(p, n), digits), files[i]);
        free(p);
    }
    made_capture_write(m, CAPTURE_COMPLETE, t.p, t.n);
}

void made_capture_change(const struct made_capture *m, const char *file, const char *from,
                         const char *to)
{
    size_t n;
    char *p = made_capture_read(m, file, &n), *at = strstr(p, from);
    if (!at) {
        fail_msg("%s has no '%s'", file, from);
        return;
    }
    char *changed = malloc(n + strlen(to) + 1);
    assert_non_null(changed);
    int k = sprintf(changed, "%.*s%s%s", (int)(at - p), p, to, at + strlen(from));
    made_capture_write(m, file, changed, (size_t)k);
    made_capture_seal(m);
    free(changed);
    free(p);
}

void made_capture_replace(const struct made_capture *m, const char *file, const void *bytes,
                          size_t n)
{
    char before[SUM_TEXT], now[SUM_TEXT];
    size_t old_n;
    char *old = made_capture_read(m, file, &old_n);
    sum_text(sum_bytes(old, old_n), before);
    sum_text(sum_bytes(bytes, n), now);
    free(old);
    made_capture_write(m, file, bytes, n);
    made_capture_change(m, "dispatch.json", before, now);
}

/* Writes the file of a blob, and its members in the JSON. */
static void blob(const struct made_capture *m, struct text *t, const char *file, uint64_t base,
                 bool after, size_t size)
{
    uint8_t *bytes = malloc(size), *packed;
    char digits[SUM_TEXT];
    size_t n = 0, cap = ZSTD_compressBound(size) + 1024;
    assert_non_null(bytes);
    made_capture_bytes(base, after, bytes, size);
    sum_text(sum_bytes(bytes, size), digits);
    if (strstr(file, ".zst")) {
        packed = malloc(cap);
        assert_non_null(packed);
        for (size_t done = 0; done < size; done += CAPTURE_BLOCK) {
            size_t part = size - done < CAPTURE_BLOCK ? size - done : CAPTURE_BLOCK;
            size_t k = ZSTD_compress(packed + n, cap - n, bytes + done, part, 1);
            assert_false(ZSTD_isError(k));
            n += k;
        }
        made_capture_write(m, file, packed, n);
        free(packed);
    } else if (base == MADE_SPARSE) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", m->dir, file);
        made_capture_write(m, file, "", 0);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fseek(out, 5 << 20, SEEK_SET);
        fwrite(bytes + (5 << 20), 1, 1, out);
        fclose(out);
        assert_int_equal(truncate(path, (off_t)(n = size)), 0);
    } else {
        made_capture_write(m, file, bytes, n = size);
    }
    add(t, "\"file\": \"%s\", \"encoding\": \"%s\", \"stored\": %zu, \"checksum\": \"%s\"", file,
        strstr(file, ".zst") ? "zstd" : "raw", n, digits);
    free(bytes);
}

static void region(struct text *t, uint64_t base, size_t size, const char *segment)
{
    bool vmem = base == MADE_SPARSE, kernarg = base == MADE_KERNARG;
    add(t,
        "    {\"base\": %llu, \"size\": %zu, \"is_pool\": %s, \"is_vmem\": %s, "
        "\"contains_kernarg\": %s, \"handle\": 0, \"access\": 3, \"segment\": \"%s\",\n     ",
        (unsigned long long)base, size, vmem ? "false" : "true", vmem ? "true" : "false",
        kernarg ? "true" : "false", segment);
    if (vmem)
        add(t, "\"reserved_base\": %llu, \"reserved_size\": 16777216, ", (unsigned long long)base);
}

static void regions(const struct made_capture *m)
{
    struct text t = {.n = 0};
    add(&t, "{\n  \"page_size\": 4096, \"block_size\": 4194304,\n  \"regions\": [\n");
    region(&t, MADE_DEVICE, DEVICE_SIZE, "device");
    blob(m, &t, "memory/region_7f0000000000.bin", MADE_DEVICE, false, DEVICE_SIZE);
    add(&t, ",\n     \"after\": {");
    blob(m, &t, "after/region_7f0000000000.bin", MADE_DEVICE, true, DEVICE_SIZE);
    add(&t, "}},\n");
    region(&t, MADE_ZSTD, ZSTD_SIZE, "device");
    blob(m, &t, "memory/region_7f0000100000.bin.zst", MADE_ZSTD, false, ZSTD_SIZE);
    add(&t, ", \"after\": \"same\"},\n");
    region(&t, MADE_SPARSE, MADE_MAX, "device");
    blob(m, &t, "memory/region_7f0000800000.bin", MADE_SPARSE, false, MADE_MAX);
    add(&t, ", \"after\": \"same\"},\n");
    region(&t, MADE_LOST, SMALL, "device");
    add(&t, "\"error\": \"the runtime did not copy it: \\\"no\\\"\"},\n");
    region(&t, MADE_HOST, SMALL, "host");
    blob(m, &t, "memory/region_7f0002000000.bin", MADE_HOST, false, SMALL);
    add(&t, ", \"after\": \"same\"},\n");
    region(&t, MADE_KERNARG, SMALL, "kernarg");
    blob(m, &t, "memory/region_7f0003000000.bin", MADE_KERNARG, false, SMALL);
    add(&t, ", \"after\": \"same\"}\n  ]\n}\n");
    made_capture_write(m, CAPTURE_REGIONS, t.p, t.n);
}

/* Writes a file that is only an ELF header for an AMD GPU (little-endian, 64 bits). */
static void put_code(const struct made_capture *m, char digits[SUM_TEXT])
{
    static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 3, [16] = 3, [18] = 224};
    made_capture_write(m, CAPTURE_CODE, elf, sizeof elf);
    sum_text(sum_bytes(elf, sizeof elf), digits);
}

static void dispatch(const struct made_capture *m)
{
    static const uint8_t variables[2][8] = {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10, 11, 12}};
    struct text t = {.n = 0};
    uint8_t kernarg[MADE_KERNARG_SIZE];
    char digits[4][SUM_TEXT];
    made_capture_bytes(MADE_KERNARG, false, kernarg, sizeof kernarg);
    made_capture_write(m, CAPTURE_KERNARG, kernarg, sizeof kernarg);
    put_code(m, digits[1]);
    made_capture_write(m, "variables/0.bin", variables[0], 4);
    made_capture_write(m, "variables/1.bin", variables[1], 8);
    sum_text(sum_bytes(kernarg, sizeof kernarg), digits[0]);
    sum_text(sum_bytes(variables[0], 4), digits[2]);
    sum_text(sum_bytes(variables[1], 8), digits[3]);
    add(&t, "{\n  \"format\": \"rooftop capture\", \"version\": 1,\n"
            "  \"mangled_name\": \"_Z5scalePfS_fj\",\n"
            "  \"demangled_name\": \"scale(float*, float*, float, unsigned int)\",\n"
            "  \"agent_name\": \"gfx942\",\n"
            "  \"isa_name\": \"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-\",\n"
            "  \"wavefront_size\": 64, \"product_name\": \"AMD Instinct MI300X\",\n"
            "  \"kernel_object\": 139637976727616,\n"
            "  \"grid\": [16384, 1, 1], \"block\": [256, 1, 1],\n"
            "  \"group_segment_size\": 1024, \"private_segment_size\": 16,\n");
    add(&t,
        "  \"kernarg_size\": %d, \"kernarg_address\": %llu,\n"
        "  \"header\": 5378, \"setup\": 1, \"dispatch_index\": 3, \"queue_id\": 1, \"pid\": 4242,\n"
        "  \"command\": [\"./scale\", \"--n\", \"it's 4\"], \"host\": \"node1\",\n"
        "  \"time\": \"2026-11-20T08:15:00Z\", \"runtime_version\": \"1.14\",\n"
        "  \"tool_version\": \"0.1\", \"drained\": true, \"gpu_ns\": 5120, \"pause_ns\": "
        "81000000,\n"
        "  \"code_object\": {\"base\": 139637976715264, \"size\": 16384},\n"
        "  \"variables\": [\n"
        "    {\"name\": \"factor\", \"address\": 139637976720000, \"size\": 4, "
        "\"file\": \"variables/0.bin\", \"checksum\": \"%s\"},\n"
        "    {\"name\": \"offsets\", \"address\": 139637976720064, \"size\": 8, "
        "\"file\": \"variables/1.bin\", \"checksum\": \"%s\"}],\n"
        "  \"checksums\": {\"kernarg.bin\": \"%s\", \"kernel.hsaco\": \"%s\"}\n}\n",
        MADE_KERNARG_SIZE, (unsigned long long)MADE_KERNARG, digits[2], digits[3], digits[0],
        digits[1]);
    made_capture_write(m, CAPTURE_DISPATCH, t.p, t.n);
}

void made_capture_make(struct made_capture *m)
{
    static const char *const folders[] = {CAPTURE_MEMORY, CAPTURE_AFTER, CAPTURE_VARIABLES};
    char path[128];
    snprintf(m->dir, sizeof m->dir, "/tmp/rooftop-capture-XXXXXX");
    assert_non_null(mkdtemp(m->dir));
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", m->dir, folders[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    regions(m);
    dispatch(m);
    made_capture_seal(m);
}

void made_capture_remove(struct made_capture *m)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", m->dir);
    assert_int_equal(system(line), 0); /* NOLINT: a fixed line over a name made here */
}

#include "backends/amdgpu/amdgpu_impl.h"

#include <errno.h>
#include <stdio.h>

/* Finds the largest layout that fits the structure: newer kernels append fields. */
static const struct metrics_layout *find_metrics_layout(const struct metrics *m)
{
    const struct metrics_layout *best = NULL;
    for (size_t i = 0; i < metrics_nlayouts; i++) {
        const struct metrics_layout *l = &metrics_layouts[i];
        if (l->format == m->format && l->content == m->content && l->size <= m->size &&
            (!best || l->size > best->size))
            best = l;
    }
    return best;
}

static bool known_version(const struct metrics *m)
{
    for (size_t i = 0; i < metrics_nlayouts; i++)
        if (metrics_layouts[i].format == m->format && metrics_layouts[i].content == m->content)
            return true;
    return false;
}

/* Reads a little-endian number, as on every host that amdgpu runs on; false: all ones, not
 * measured. */
static bool read_metric_number(const uint8_t *p, unsigned width, uint64_t *out)
{
    uint64_t v = 0, ones = width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)p[i] << (8 * i);
    *out = v;
    return v != ones;
}

static bool is_summed_metric(unsigned field)
{
    return field == METRICS_LINK_READ || field == METRICS_LINK_WRITE;
}

/* Combines several values: the sum for traffic, otherwise the largest. */
static void read_metrics_field(struct metrics *m, const struct metrics_layout_field *f,
                               const uint8_t *data)
{
    for (unsigned i = 0; i < f->count; i++) {
        uint64_t v;
        if (!read_metric_number(data + f->offset + i * f->width, f->width, &v))
            continue;
        if (is_summed_metric(f->field))
            m->raw[f->field] += v;
        else if (!m->has[f->field] || v > m->raw[f->field])
            m->raw[f->field] = v;
        m->has[f->field] = true;
    }
    m->v[f->field] = (double)m->raw[f->field] * f->scale;
}

int metrics_parse(struct metrics *out, const void *data, size_t n, const char *path,
                  struct error *err)
{
    const uint8_t *p = data;
    *out = (struct metrics){0};
    if (n < 4)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "%zu bytes: shorter than its header",
                         n);
    out->size = (size_t)p[0] | (size_t)p[1] << 8;
    out->format = p[2];
    out->content = p[3];
    if (!known_version(out))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path,
                         "gpu_metrics version %u.%u is not known here", out->format, out->content);
    if (out->size > n)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path,
                         "cut at byte %zu of the %zu that its header says", n, out->size);
    const struct metrics_layout *l = find_metrics_layout(out);
    if (!l)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path,
                         "%zu bytes are fewer than version %u.%u has", out->size, out->format,
                         out->content);
    for (size_t i = 0; i < l->n; i++)
        read_metrics_field(out, &l->field[i], p);
    return 0;
}

double metrics_residency(const struct metrics *now, const struct metrics *before,
                         enum metrics_field acc)
{
    if (!now->has[acc] || !before->has[acc] || !now->has[METRICS_ACC_COUNT] ||
        !before->has[METRICS_ACC_COUNT])
        return -1;
    /* 32-bit counters that wrap: a difference of more than half the range means a step back. */
    uint32_t all = (uint32_t)now->raw[METRICS_ACC_COUNT] - (uint32_t)before->raw[METRICS_ACC_COUNT];
    uint32_t held = (uint32_t)now->raw[acc] - (uint32_t)before->raw[acc];
    if (all == 0 || all > INT32_MAX || held > all) /* reset between the two samples */
        return -1;
    return 100.0 * held / all;
}

/* Bits of indep_throttle_status: SMU_THROTTLER_…_BIT in the kernel's
 * drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h. */
static const struct {
    uint8_t from, to; /* bits, inclusive */
    const char *text;
} throttlers[] = {
    {0, 7, "power"},
    {16, 20, "current"},
    {21, 23, "peak current"},
    {32, 32, "temperature"},
    {33, 33, "cores"},
    {34, 34, "memory temperature"},
    {35, 35, "edge temperature"},
    {36, 36, "hot spot"},
    {37, 37, "SoC temperature"},
    {38, 41, "regulator temperature"},
    {42, 43, "liquid"},
    {44, 45, "regulator hot"},
    {46, 47, "prochot"},
    {56, 56, "PPM"},
    {57, 57, "reliability"},
};

const char *metrics_throttle_text(uint64_t bits, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof throttlers / sizeof *throttlers; i++) {
        unsigned width = throttlers[i].to - throttlers[i].from + 1u;
        uint64_t mask = ((UINT64_C(1) << width) - 1) << throttlers[i].from;
        if ((bits & mask) && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", throttlers[i].text);
    }
    return out;
}

/* A table of everything that can be timed, which only grows. Lookups take no lock, additions do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brick/internal.h"

/* Names and categories of the fifteen bricks of a transformer, from trueno 8b92b1c4,
 * src/brick/profiler, BrickId and its category(); `other` holds the further names that its from_str
 * accepts. */
static const struct fixed {
    const char *name;
    uint8_t category;
    const char *other[3];
} fixed[ROOFTOP_BRICK_COUNT] = {
    [ROOFTOP_RMS_NORM] = {"RmsNorm", ROOFTOP_NORM, {0}},
    [ROOFTOP_LAYER_NORM] = {"LayerNorm", ROOFTOP_NORM, {0}},
    [ROOFTOP_QKV_PROJECTION] = {"QkvProjection", ROOFTOP_ATTENTION, {"Qkv"}},
    [ROOFTOP_ROPE_EMBEDDING] = {"RopeEmbedding", ROOFTOP_ATTENTION, {"Rope", "RoPE"}},
    [ROOFTOP_ATTENTION_SCORE] = {"AttentionScore", ROOFTOP_ATTENTION, {0}},
    [ROOFTOP_ATTENTION_SOFTMAX] = {"AttentionSoftmax", ROOFTOP_ATTENTION, {"Softmax"}},
    [ROOFTOP_ATTENTION_OUTPUT] = {"AttentionOutput", ROOFTOP_ATTENTION, {0}},
    [ROOFTOP_OUTPUT_PROJECTION] = {"OutputProjection", ROOFTOP_ATTENTION, {"OutProj"}},
    [ROOFTOP_GATE_PROJECTION] = {"GateProjection", ROOFTOP_FFN, {"Gate"}},
    [ROOFTOP_UP_PROJECTION] = {"UpProjection", ROOFTOP_FFN, {"Up"}},
    [ROOFTOP_ACTIVATION] = {"Activation", ROOFTOP_FFN, {"SiLU", "GELU", "ReLU"}},
    [ROOFTOP_DOWN_PROJECTION] = {"DownProjection", ROOFTOP_FFN, {"Down"}},
    [ROOFTOP_EMBEDDING] = {"Embedding", ROOFTOP_OTHER, {"Embed"}},
    [ROOFTOP_LM_HEAD] = {"LmHead", ROOFTOP_OTHER, {"Head"}},
    [ROOFTOP_SAMPLING] = {"Sampling", ROOFTOP_OTHER, {"Sample"}},
};
enum { OTHER_ID = ROOFTOP_BRICK_COUNT, SLOTS = 2 * BRICK_DESCS, NAME_MAX_LENGTH = 255 };

static uint32_t slots[SLOTS]; /* 1 + id, by hash of the description; 0: free. Atomic. */

/* A description before it is in the table, with texts, not offsets. */
struct brick_wanted {
    const char *name, *from, *to;
    struct brick_desc desc;
};

/* FNV-1a: this runs inside other programs, and base/hash.h would bring xxHash into them. */
static uint64_t mix_fnv_hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

PUBLIC uint64_t rooftop_hash(const void *data, size_t size)
{
    return mix_fnv_hash(UINT64_C(0xcbf29ce484222325), data, size);
}

static size_t brick_name_length(const char *text)
{
    return text ? strnlen(text, NAME_MAX_LENGTH) : 0;
}

static uint64_t hash_wanted_brick(const struct brick_wanted *w)
{
    const struct brick_desc *d = &w->desc;
    uint32_t numbers[] = {d->kind,     d->number,   (uint32_t)d->hash, (uint32_t)(d->hash >> 32),
                          d->grid[0],  d->grid[1],  d->grid[2],        d->block[0],
                          d->block[1], d->block[2], d->shared_bytes};
    uint64_t h = rooftop_hash(numbers, sizeof numbers);
    h = mix_fnv_hash(h, w->name, brick_name_length(w->name));
    h = mix_fnv_hash(h, w->from, brick_name_length(w->from));
    return mix_fnv_hash(h, w->to, brick_name_length(w->to));
}

static bool is_same_brick_text(uint32_t offset, const char *text)
{
    const char *kept = brick_at(brick_file.header->strings + offset);
    size_t n = brick_name_length(text);
    return strncmp(kept, text ? text : "", n) == 0 && kept[n] == '\0';
}

static bool is_same_brick(const struct brick_desc *d, const struct brick_wanted *w)
{
    const struct brick_desc *x = &w->desc;
    return d->kind == x->kind && d->number == x->number && d->hash == x->hash &&
           memcmp(d->grid, x->grid, sizeof d->grid) == 0 &&
           memcmp(d->block, x->block, sizeof d->block) == 0 && d->shared_bytes == x->shared_bytes &&
           is_same_brick_text(d->name, w->name) && is_same_brick_text(d->from, w->from) &&
           is_same_brick_text(d->to, w->to);
}

/* Returns its id, or BRICK_NONE if it is new; *slot is then its place in the table. */
static uint32_t find_brick(const struct brick_wanted *w, uint64_t hash, uint32_t *slot)
{
    for (uint32_t i = (uint32_t)hash % SLOTS;; i = (i + 1) % SLOTS) {
        uint32_t id = LOAD_ACQUIRE(slots[i]);
        *slot = i;
        if (id == 0)
            return BRICK_NONE;
        if (is_same_brick(brick_desc(id - 1), w))
            return id - 1;
    }
}

uint32_t brick_string(const char *text)
{
    struct brick_header *h = brick_file.header;
    size_t n = brick_name_length(text);
    uint32_t at = LOAD(h->strings_used);
    if (!text || n == 0 || at + n + 1 > BRICK_STRINGS)
        return 0;
    char *to = (char *)brick_at(h->strings) + at;
    memcpy(to, text, n);
    to[n] = '\0';
    STORE(h->strings_used, at + (uint32_t)n + 1);
    return at;
}

static uint32_t add_named_brick(struct brick_wanted *w, uint32_t slot)
{
    struct brick_header *h = brick_file.header;
    uint32_t id = LOAD(h->ndescs);
    size_t room =
        brick_name_length(w->name) + brick_name_length(w->from) + brick_name_length(w->to) + 3;
    if (id >= BRICK_DESCS || LOAD(h->strings_used) + room > BRICK_STRINGS) {
        ADD(h->dropped_names, 1);
        return OTHER_ID;
    }
    w->desc.name = brick_string(w->name);
    w->desc.from = brick_string(w->from);
    w->desc.to = brick_string(w->to);
    *brick_desc(id) = w->desc;
    STORE_RELEASE(h->ndescs, id + 1);
    STORE_RELEASE(slots[slot], id + 1);
    return id;
}

static rooftop_id intern_brick(struct brick_wanted *w)
{
    uint32_t slot;
    if (!LOAD_ACQUIRE(brick_file.header) && !brick_open())
        return OTHER_ID;
    uint64_t hash = hash_wanted_brick(w);
    uint32_t id = find_brick(w, hash, &slot);
    if (id != BRICK_NONE)
        return id;
    const struct brick_aside aside = brick_step_aside();
    pthread_mutex_lock(&brick_lock);
    if (brick_open_locked() && (id = find_brick(w, hash, &slot)) == BRICK_NONE)
        id = add_named_brick(w, slot);
    pthread_mutex_unlock(&brick_lock);
    brick_step_back(&aside);
    return id == BRICK_NONE ? OTHER_ID : id;
}

void brick_names_begin(struct brick_header *h)
{
    brick_file.header = h;
    memset(slots, 0, sizeof slots);
    STORE(h->strings_used, 1); /* offset 0 is "" */
    for (uint32_t i = 0; i <= OTHER_ID; i++) {
        uint32_t slot;
        struct brick_wanted w = {
            .name = i < OTHER_ID ? fixed[i].name : "(other)",
            .desc = {.category = i < OTHER_ID ? fixed[i].category : ROOFTOP_OTHER}};
        find_brick(&w, hash_wanted_brick(&w), &slot);
        add_named_brick(&w, slot);
    }
    brick_file.header = NULL;
}

PUBLIC rooftop_id rooftop_register(const char *name, enum rooftop_category category)
{
    struct brick_wanted w = {.name = name,
                             .desc = {.category = (unsigned)category < ROOFTOP_CATEGORIES
                                                      ? (uint32_t)category
                                                      : ROOFTOP_OTHER}};
    return intern_brick(&w);
}

PUBLIC rooftop_id rooftop_brick(const char *name)
{
    for (rooftop_id i = 0; name && i < ROOFTOP_BRICK_COUNT; i++) {
        if (strcmp(name, fixed[i].name) == 0)
            return i;
        for (int k = 0; k < 3 && fixed[i].other[k]; k++)
            if (strcmp(name, fixed[i].other[k]) == 0)
                return i;
    }
    return rooftop_register(name, ROOFTOP_OTHER);
}

PUBLIC rooftop_id rooftop_layer(uint32_t index)
{
    char name[24];
    snprintf(name, sizeof name, "Layer %u", index);
    struct brick_wanted w = {
        .name = name,
        .desc = {.kind = BRICK_KIND_LAYER, .category = ROOFTOP_OTHER, .number = index}};
    return intern_brick(&w);
}

PUBLIC rooftop_id rooftop_function(const char *name, const char *file, uint32_t line)
{
    struct brick_wanted w = {
        .name = name,
        .from = file,
        .desc = {.kind = BRICK_KIND_FUNCTION, .category = ROOFTOP_OTHER, .number = line}};
    return intern_brick(&w);
}

PUBLIC rooftop_id rooftop_kernel(const char *name, uint64_t hash, const uint32_t grid[3],
                                 const uint32_t block[3], uint32_t shared_bytes)
{
    struct brick_wanted w = {.name = name,
                             .desc = {.kind = BRICK_KIND_KERNEL,
                                      .category = ROOFTOP_OTHER,
                                      .hash = hash,
                                      .shared_bytes = shared_bytes}};
    for (int i = 0; i < 3; i++) {
        w.desc.grid[i] = grid ? grid[i] : 1;
        w.desc.block[i] = block ? block[i] : 1;
    }
    return intern_brick(&w);
}

PUBLIC rooftop_id rooftop_transfer(enum rooftop_direction direction, const char *from,
                                   const char *to)
{
    static const char *const names[] = {"H2D", "D2H", "D2D"};
    unsigned d = (unsigned)direction <= ROOFTOP_DEVICE_TO_DEVICE ? (unsigned)direction : 2;
    struct brick_wanted w = {
        .name = names[d],
        .from = from,
        .to = to,
        .desc = {.kind = BRICK_KIND_TRANSFER, .category = ROOFTOP_OTHER, .number = d}};
    return intern_brick(&w);
}

/* Converts to thousandths; a known spread is at least one. */
static uint32_t per_mille(double spread)
{
    const double v = spread * 1e3;
    if (!(v > 0))
        return 0;
    if (v < 1)
        return 1;
    return v < 1e6 ? (uint32_t)(v + 0.5) : 1000000;
}

PUBLIC rooftop_id rooftop_backend_measured(const char *name, double peak_flops, double peak_bytes,
                                           double flops_spread, double bytes_spread,
                                           const char *how)
{
    struct brick_wanted w = {.name = name,
                             .from = how,
                             .desc = {.kind = BRICK_KIND_BACKEND,
                                      .category = ROOFTOP_OTHER,
                                      .grid = {per_mille(flops_spread), per_mille(bytes_spread)},
                                      .peak_flops = peak_flops,
                                      .peak_bytes = peak_bytes}};
    /* Peaks are part of the description: new measurements make a new row. */
    const double peaks[] = {peak_flops, peak_bytes};
    w.desc.hash = rooftop_hash(peaks, sizeof peaks);
    return intern_brick(&w);
}

PUBLIC rooftop_id rooftop_backend(const char *name, double peak_flops, double peak_bytes,
                                  const char *how)
{
    return rooftop_backend_measured(name, peak_flops, peak_bytes, 0, 0, how);
}

PUBLIC rooftop_task rooftop_task_new(const char *name)
{
    struct brick_wanted w = {.name = name,
                             .desc = {.kind = BRICK_KIND_TASK, .category = ROOFTOP_OTHER}};
    rooftop_task task = {intern_brick(&w), 0, 0, 0};
    return task;
}

PUBLIC void rooftop_budget(rooftop_id id, uint64_t nanoseconds)
{
    struct brick_header *h = brick_open();
    if (h && id < LOAD_ACQUIRE(h->ndescs))
        STORE(brick_desc(id)->budget_ns, nanoseconds);
}

PUBLIC enum rooftop_category rooftop_category_of(rooftop_id id)
{
    if (id < ROOFTOP_BRICK_COUNT)
        return (enum rooftop_category)fixed[id].category;
    struct brick_header *h = brick_open();
    return h && id < LOAD_ACQUIRE(h->ndescs) ? (enum rooftop_category)brick_desc(id)->category
                                             : ROOFTOP_OTHER;
}

PUBLIC const char *rooftop_name(rooftop_id id)
{
    if (id < ROOFTOP_BRICK_COUNT)
        return fixed[id].name;
    struct brick_header *h = brick_open();
    return h && id < LOAD_ACQUIRE(h->ndescs) ? brick_at(h->strings + brick_desc(id)->name)
                                             : "(other)";
}

static void add_brick_code(struct brick_header *h, struct brick_code *c, const char *name,
                           const char *path, const void *data)
{
    uint32_t n = LOAD(h->ncodes);
    struct brick_code *codes = brick_at(h->codes);
    for (uint32_t i = 0; i < n; i++)
        if (codes[i].hash == c->hash)
            return; /* already registered */
    if (n == BRICK_CODES) {
        ADD(h->dropped_names, 1);
        return;
    }
    c->name = brick_string(name);
    c->path = brick_string(path);
    if (data && c->size > 0 && c->size <= BRICK_CODE_MAX)
        c->offset = brick_alloc(c->size);
    if (c->offset)
        memcpy(brick_at(c->offset), data, c->size);
    else if (data && c->size > 0)
        ADD(h->dropped_names, 1);
    c->size = c->offset ? c->size : 0;
    codes[n] = *c;
    STORE_RELEASE(h->ncodes, n + 1);
}

PUBLIC int rooftop_code_find(uint64_t hash, rooftop_code_entry *entry)
{
    struct brick_header *h = brick_open();
    uint32_t n = h ? LOAD_ACQUIRE(h->ncodes) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct brick_code *c = (struct brick_code *)brick_at(h->codes) + i;
        if (c->hash != hash)
            continue;
        *entry = (rooftop_code_entry){.hash = hash,
                                      .kind = (enum rooftop_code)c->kind,
                                      .name = brick_at(h->strings + c->name),
                                      .path = brick_at(h->strings + c->path),
                                      .data = c->offset ? brick_at(c->offset) : NULL,
                                      .size = c->size};
        return 1;
    }
    return 0;
}

/* Keeps a source by its hash; of several with one hash, the first is kept. */
PUBLIC uint64_t rooftop_code(enum rooftop_code kind, const char *name, const char *path,
                             const void *data, size_t size)
{
    const char *text = name ? name : "";
    uint64_t hash = data ? rooftop_hash(data, size) : rooftop_hash(text, brick_name_length(text));
    const struct brick_aside aside = brick_step_aside();
    pthread_mutex_lock(&brick_lock);
    struct brick_header *h = brick_open_locked();
    if (h)
        add_brick_code(h, &(struct brick_code){.hash = hash, .kind = (uint32_t)kind, .size = size},
                       name, path, data);
    pthread_mutex_unlock(&brick_lock);
    brick_step_back(&aside);
    return hash;
}

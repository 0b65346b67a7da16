#include "backends/chrome/chrome_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/graph/graph.h"

enum { MICROSECONDS = 3 }; /* 10^3 ns */

static bool is_key(const struct json_tokens *j, const char *name, size_t n)
{
    return j->size == n && memcmp(j->text, name, n) == 0;
}
#define NAMED(j, name) is_key(j, name, sizeof(name) - 1)

bool chrome_value(const struct json_tokens *j, enum json_token t, int scale, int64_t *out)
{
    return (t == JSON_NUMBER || t == JSON_STRING) && json_scaled(j->text, j->size, scale, out);
}

bool chrome_unsigned(const struct json_tokens *j, enum json_token t, uint64_t *out)
{
    int64_t v;
    if (!chrome_value(j, t, 0, &v) || v < 0)
        return false;
    *out = (uint64_t)v;
    return true;
}

static uint32_t read_small_number(const struct json_tokens *j, enum json_token t)
{
    uint64_t v;
    return chrome_unsigned(j, t, &v) && v < UINT32_MAX ? (uint32_t)v : 0;
}

void chrome_text(const struct json_tokens *j, enum json_token t, char *out, size_t size)
{
    size_t n = t == JSON_STRING || t == JSON_NUMBER ? j->size : 0;
    if (n >= size)
        for (n = size - 1; n > 0 && (j->text[n] & 0xc0) == 0x80;)
            n--;
    memcpy(out, j->text, n);
    out[n] = 0;
}

/* --- ids --- */

static void read_event_id(const struct json_tokens *j, enum json_token t, struct chrome_id *out)
{
    out->text[0] = 0;
    if (!chrome_value(j, t, 0, &out->number)) {
        out->number = 0;
        chrome_text(j, t, out->text, sizeof out->text);
    }
}

/* Compares ids as they are written: 31 and "31" are equal, "0x1f" is another id. */
static void mix_id(struct chrome_event *e, const struct json_tokens *j)
{
    int64_t number;
    if (json_scaled(j->text, j->size, 0, &number) && number >= 0 && !(e->have & WORD_ID)) {
        e->id = (uint64_t)number;
    } else {
        e->id = hash_bytes(e->id + 1, j->text, j->size);
        e->have |= WORD_ID;
    }
}

/* Reads members of arrows between spans: "bind_id", "flow_in", "flow_out". */
static void read_flow(struct chrome_event *e, const struct json_tokens *j, const char *key,
                      enum json_token t)
{
    const bool yes = t == JSON_WORD && NAMED(j, "true");
    if (strcmp(key, "flow_in") == 0 && yes)
        e->have |= FLOW_IN;
    else if (strcmp(key, "flow_out") == 0 && yes)
        e->have |= FLOW_OUT;
    else if (strcmp(key, "bind_id") == 0 && (t == JSON_STRING || t == JSON_NUMBER)) {
        e->bind = hash_bytes(1, j->text, j->size);
        e->have |= HAS_BIND;
    }
}

/* Reads {"local": "0x1"} or {"global": "0x1"}. */
static enum json_token read_id2(struct chrome_event *e, struct json_tokens *j, enum json_token t)
{
    if (t != JSON_OBJECT)
        return json_tokens_skip(j, t);
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        e->have |= NAMED(j, "local") ? LOCAL_ID : 0;
        t = json_tokens_next(j);
        if (t == JSON_STRING || t == JSON_NUMBER)
            mix_id(e, j);
        t = json_tokens_skip(j, t);
        if (t == JSON_BAD || t == JSON_CUT)
            break;
    }
    return t;
}

/* --- args --- */

/* Reads [x, y, z]. */
static enum json_token read_launch_shape(uint32_t *out, struct json_tokens *j, enum json_token t)
{
    if (t != JSON_ARRAY)
        return json_tokens_skip(j, t);
    for (unsigned i = 0; (t = json_tokens_next(j)) != JSON_ARRAY_END; i++) {
        if (i < 3)
            out[i] = read_small_number(j, t);
        t = json_tokens_skip(j, t);
        if (t == JSON_BAD || t == JSON_CUT)
            break;
    }
    return t;
}

enum arg {
    ARG_NONE,
    ARG_GRID,
    ARG_BLOCK,
    ARG_CORRELATION,
    ARG_EXTERNAL,
    ARG_DEVICE,
    ARG_SHARED,
    ARG_REGISTERS,
    ARG_BYTES,
    ARG_SORT,
    ARG_LABEL,
    ARG_KIND,
    ARG_DESCRIPTION,
    ARG_FROM,
    ARG_TO,
    ARG_NODE,
    ARG_PARENT,
    ARG_CLOCK,
    ARG_VIA,
    ARG_DIRECTION,
    ARG_WAITS_STREAM,
    ARG_WAITS_RECORD,
    ARG_IN,
    ARG_OUT,
    ARG_RANKS,
    ARG_MEMORY_TYPE,
    ARG_MEMORY_DEVICE,
    ARG_ALLOCATED,
    ARG_RESERVED,
    ARG_TYPE,
    ARG_LANE,
    ARG_DETAILS,
    ARG_COLLECTIVE,
    ARG_GROUP,
    ARG_SEQUENCE,
    ARG_BEGIN,
    ARG_END
};

static const struct arg_name {
    const char *name;
    uint8_t size;
    uint8_t arg;
} arg_names[] = {
    {"correlation", 11, ARG_CORRELATION},
    {"correlation_id", 14, ARG_CORRELATION}, /* XLA */
    {"kernel_details", 14, ARG_DETAILS},
    {"memcpy_details", 14, ARG_DETAILS},
    {"memset_details", 14, ARG_DETAILS},
    {"size", 4, ARG_BYTES}, /* MTIA */
    {"External id", 11, ARG_EXTERNAL},
    {"external id", 11, ARG_EXTERNAL},
    {"device", 6, ARG_DEVICE},
    {"dev-id", 6, ARG_DEVICE}, /* rocprof */
    {"BeginNs", 7, ARG_BEGIN},
    {"EndNs", 5, ARG_END},
    {"grid", 4, ARG_GRID},
    {"block", 5, ARG_BLOCK},
    {"shared memory", 13, ARG_SHARED},
    {"registers per thread", 20, ARG_REGISTERS},
    {"bytes", 5, ARG_BYTES},
    {"name", 4, ARG_LABEL},
    {"labels", 6, ARG_LABEL},
    {"sort_index", 10, ARG_SORT},
    {"kind", 4, ARG_KIND},
    {"desc", 4, ARG_DESCRIPTION},
    {"from", 4, ARG_FROM},
    {"to", 2, ARG_TO},
    {"node", 4, ARG_NODE},
    {"parent", 6, ARG_PARENT},
    {"clock", 5, ARG_CLOCK},
    {"via", 3, ARG_VIA},
    {"direction", 9, ARG_DIRECTION},
    {"wait_on_stream", 14, ARG_WAITS_STREAM},
    {"wait_on_cuda_event_record_corr_id", 33, ARG_WAITS_RECORD},
    {"lane", 4, ARG_LANE},
    {"In msg nelems", 13, ARG_IN},
    {"Out msg nelems", 14, ARG_OUT},
    {"Group size", 10, ARG_RANKS},
    {"Collective name", 15, ARG_COLLECTIVE},
    {"Process Group Name", 18, ARG_GROUP},
    {"Seq", 3, ARG_SEQUENCE},
    {"dtype", 5, ARG_TYPE},
    {"Device Type", 11, ARG_MEMORY_TYPE}, /* c10::DeviceType: 0 is the host */
    {"Device Id", 9, ARG_MEMORY_DEVICE},
    {"Total Allocated", 15, ARG_ALLOCATED},
    {"Total Reserved", 14, ARG_RESERVED},
};

static enum arg which_arg(const struct json_tokens *j)
{
    for (size_t i = 0; i < sizeof arg_names / sizeof *arg_names; i++)
        if (j->size == arg_names[i].size && j->text[0] == arg_names[i].name[0] &&
            memcmp(j->text, arg_names[i].name, j->size) == 0)
            return (enum arg)arg_names[i].arg;
    return ARG_NONE;
}

/* The size of an element in bytes, by the names of PyTorch's scalar types; 0: another type. */
static uint32_t bytes_of_type(const struct json_tokens *j)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {
        {"Float", 4},
        {"BFloat16", 2},
        {"Half", 2},
        {"Double", 8},
        {"Byte", 1},
        {"Char", 1},
        {"Bool", 1},
        {"Short", 2},
        {"Int", 4},
        {"Long", 8},
        {"UInt16", 2},
        {"UInt32", 4},
        {"UInt64", 8},
        {"ComplexFloat", 8},
        {"ComplexDouble", 16},
        {"ComplexHalf", 4},
        {"Float8_e4m3fn", 1},
        {"Float8_e4m3fnuz", 1},
        {"Float8_e5m2", 1},
        {"Float8_e5m2fnuz", 1},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (j->size == strlen(types[i].name) && memcmp(j->text, types[i].name, j->size) == 0)
            return types[i].bytes;
    return 0;
}

/* Stores values of an allocator, from PyTorch's "[memory]" events. */
static void set_memory(struct chrome_event *e, enum arg arg, uint64_t v)
{
    if (arg == ARG_MEMORY_TYPE) {
        e->have |= v == 0 ? OF_HOST : 0;
    } else if (arg == ARG_MEMORY_DEVICE && v < UINT32_MAX) {
        e->memory_device = (uint32_t)v;
        e->have |= HAS_MEMORY_OF;
    } else if (arg == ARG_ALLOCATED) {
        e->allocated = v;
        e->have |= HAS_ALLOCATED;
    } else if (arg == ARG_RESERVED) {
        e->reserved = v;
        e->have |= HAS_RESERVED;
    }
}

static void set_event_number(struct chrome_event *e, enum arg arg, const struct json_tokens *j,
                             enum json_token t)
{
    uint64_t v = 0;
    bool good = chrome_unsigned(j, t, &v);
    if (arg == ARG_CORRELATION && good) {
        e->correlation = v;
        e->have |= HAS_CORRELATION;
    } else if (arg == ARG_EXTERNAL && good) {
        e->external = v;
        e->have |= HAS_EXTERNAL;
    } else if (arg == ARG_DEVICE && good && v < UINT32_MAX) {
        e->device = (uint32_t)v;
        e->have |= HAS_DEVICE;
    } else if (arg == ARG_REGISTERS && good && v < UINT32_MAX) {
        e->registers = (uint32_t)v;
        e->have |= HAS_REGISTERS;
    } else if (arg == ARG_NODE && good) {
        e->node = v;
        e->have |= HAS_NODE;
    } else if (arg == ARG_PARENT && good) {
        e->parent = v;
        e->have |= HAS_PARENT;
    } else if (arg == ARG_BYTES && good) {
        e->bytes = v;
    } else if (arg == ARG_SHARED && good && v < UINT32_MAX) {
        e->shared_bytes = (uint32_t)v;
        e->have |= HAS_SHARED;
    } else if (arg == ARG_SORT && chrome_value(j, t, 0, &e->sort)) {
        e->have |= HAS_SORT;
    } else if (arg == ARG_WAITS_RECORD && good) {
        e->waits_record = v;
        e->have |= HAS_WAIT;
    } else if (arg == ARG_IN && good) {
        e->elements_in = v;
        e->have |= HAS_IN;
    } else if (arg == ARG_OUT && good) {
        e->elements_out = v;
        e->have |= HAS_OUT;
    } else if (arg == ARG_RANKS && good && v < UINT32_MAX) {
        e->ranks = (uint32_t)v;
    } else if (arg == ARG_SEQUENCE && good) {
        e->sequence = v;
        e->have |= HAS_SEQUENCE;
    } else if (good && arg >= ARG_MEMORY_TYPE && arg <= ARG_RESERVED) {
        set_memory(e, arg, v);
    } else if (arg == ARG_WAITS_STREAM) {
        chrome_value(j, t, 0, &e->waits_stream);
    } else if (arg == ARG_LANE) {
        chrome_value(j, t, 0, &e->lane_id);
    } else if (arg == ARG_BEGIN) {
        chrome_value(j, t, 0, &e->begin_ns);
    } else if (arg == ARG_END) {
        chrome_value(j, t, 0, &e->end_ns);
    }
}

static enum json_token read_arg(struct chrome_event *e, struct json_tokens *j)
{
    enum arg arg = which_arg(j);
    enum json_token t = json_tokens_next(j);
    switch (arg) {
    case ARG_NONE:
        break;
    case ARG_GRID:
        return read_launch_shape(e->grid, j, t);
    case ARG_BLOCK:
        return read_launch_shape(e->block, j, t);
    case ARG_LABEL:
        chrome_text(j, t, e->label, sizeof e->label);
        break;
    case ARG_KIND:
        chrome_text(j, t, e->kind, sizeof e->kind);
        break;
    case ARG_DESCRIPTION:
        chrome_text(j, t, e->description, sizeof e->description);
        break;
    case ARG_TYPE:
        e->element = t == JSON_STRING ? bytes_of_type(j) : 0;
        break;
    case ARG_DIRECTION:
        chrome_text(j, t, e->direction, sizeof e->direction);
        break;
    case ARG_FROM:
        chrome_text(j, t, e->from, sizeof e->from);
        break;
    case ARG_TO:
        chrome_text(j, t, e->to, sizeof e->to);
        break;
    case ARG_DETAILS:
        chrome_text(j, t, e->details, sizeof e->details);
        break;
    case ARG_COLLECTIVE:
        chrome_text(j, t, e->collective, sizeof e->collective);
        break;
    case ARG_GROUP:
        chrome_text(j, t, e->group, sizeof e->group);
        break;
    case ARG_CLOCK:
        e->device_time = t == JSON_STRING && NAMED(j, "device");
        break;
    case ARG_VIA:
        e->launched = t == JSON_STRING && NAMED(j, "launches");
        break;
    default:
        set_event_number(e, arg, j, t);
    }
    return json_tokens_skip(j, t);
}

static enum json_token read_event_args(struct chrome_event *e, struct json_tokens *j,
                                       enum json_token t)
{
    if (t != JSON_OBJECT)
        return json_tokens_skip(j, t);
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        t = read_arg(e, j);
        if (t == JSON_BAD || t == JSON_CUT)
            break;
    }
    return t;
}

/* --- the event --- */

/* Whether a length is longer than any trace: 2^58 ns are nine years. known: it could be read. */
static bool is_endless(const struct json_tokens *j, enum json_token t, bool known, int64_t ns)
{
    enum { LONGEST = 58 };
    return known ? ns >= INT64_C(1) << LONGEST
                 : t == JSON_NUMBER && *j->text >= '0' && *j->text <= '9';
}

static void read_event_time(struct chrome_event *e, const struct json_tokens *j, enum json_token t,
                            unsigned bit, int64_t *out)
{
    enum { WORDS_TOO = 62 };
    bool known = chrome_value(j, t, MICROSECONDS, out);
    bool good = known && *out < INT64_C(1) << WORDS_TOO && *out > -(INT64_C(1) << WORDS_TOO);
    e->have |= good ? bit : BAD_TIME;
    if (bit == HAS_DURATION && is_endless(j, t, known, *out))
        e->have |= ENDLESS;
    if (bit == HAS_TS && !good && is_endless(j, t, known, *out))
        e->have |= LATE;
}

static enum chrome_what category_meaning(const char *category)
{
    static const struct {
        const char *name;
        enum chrome_what what;
    } list[] = {
        {"kernel", CHROME_KERNEL},         {"gpu_memcpy", CHROME_COPY},
        {"gpu_memset", CHROME_COPY},       {"gpu_user_annotation", CHROME_ANNOTATION},
        {"cuda_sync", CHROME_ANNOTATION},  {"cuda_profiler_range", CHROME_ANNOTATION},
        {"user_annotation", CHROME_RANGE}, {"Trace", CHROME_PROFILER},
        {"python_function", CHROME_FRAME}, {"Kernel", CHROME_KERNEL}, /* until 2021 */
        {"Memcpy", CHROME_COPY},           {"Memset", CHROME_COPY},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (*category == *list[i].name && strcmp(category, list[i].name) == 0)
            return list[i].what;
    return CHROME_OTHER;
}

/* Reads members whose keys have up to three letters. */
static void read_short(struct chrome_event *e, const struct json_tokens *j, const char *key,
                       enum json_token t)
{
    if (memcmp(key, "ph", 3) == 0)
        e->phase = t == JSON_STRING && j->size == 1 ? j->text[0] : '?';
    else if (memcmp(key, "ts", 3) == 0)
        read_event_time(e, j, t, HAS_TS, &e->ts);
    else if (memcmp(key, "dur", 4) == 0)
        read_event_time(e, j, t, HAS_DURATION, &e->duration);
    else if (memcmp(key, "cat", 4) == 0)
        chrome_text(j, t, e->category, sizeof e->category);
    else if (memcmp(key, "pid", 4) == 0)
        read_event_id(j, t, &e->pid);
    else if (memcmp(key, "tid", 4) == 0)
        read_event_id(j, t, &e->tid);
    else if (memcmp(key, "id", 3) == 0 && (t == JSON_STRING || t == JSON_NUMBER))
        mix_id(e, j);
    else if (memcmp(key, "bp", 3) == 0 && t == JSON_STRING && NAMED(j, "e"))
        e->have |= BINDS_AROUND;
}

static enum json_token read_event_member(struct chrome_event *e, struct json_tokens *j)
{
    char key[10] = "";
    if (j->size < sizeof key)
        memcpy(key, j->text, j->size);
    enum json_token t = json_tokens_next(j);
    if (memcmp(key, "name", 5) == 0)
        chrome_text(j, t, e->name, sizeof e->name);
    else if (memcmp(key, "args", 5) == 0)
        return read_event_args(e, j, t);
    else if (memcmp(key, "id2", 4) == 0)
        return read_id2(e, j, t);
    else if (key[0] && !key[3])
        read_short(e, j, key, t);
    else
        read_flow(e, j, key, t);
    return json_tokens_skip(j, t);
}

static void clear_event(struct chrome_event *e)
{
    e->have = 0;
    e->phase = 0;
    e->pid = e->tid = (struct chrome_id){0};
    e->id = 0;
    e->bytes = GRAPH_UNKNOWN;
    e->element = e->ranks = 0;
    e->category[0] = e->name[0] = e->label[0] = e->kind[0] = e->from[0] = e->to[0] = 0;
    e->direction[0] = e->details[0] = e->collective[0] = e->description[0] = e->group[0] = 0;
    memset(e->grid, 0, sizeof e->grid);
    memset(e->block, 0, sizeof e->block);
    e->lane_id = e->waits_stream = e->begin_ns = e->end_ns = INT64_MIN;
    e->device_time = e->launched = false;
}

/* rocprof cuts ts and dur to whole microseconds; its arguments have the nanoseconds. */
static void take_nanoseconds(struct chrome_event *e)
{
    enum { US = 1000 };
    const unsigned timed = HAS_TS | HAS_DURATION;
    if ((e->have & (timed | BAD_TIME)) != timed || e->begin_ns < 0 || e->end_ns < e->begin_ns ||
        e->begin_ns / US != e->ts / US || e->ts % US != 0)
        return;
    e->ts = e->begin_ns;
    e->duration = e->end_ns - e->begin_ns;
    e->have |= IN_NS;
}

enum json_token chrome_event_read(struct chrome_event *e, struct json_tokens *j)
{
    enum json_token t;
    clear_event(e);
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        t = read_event_member(e, j);
        if (t == JSON_BAD || t == JSON_CUT)
            return t;
    }
    e->what = category_meaning(e->category);
    take_nanoseconds(e);
    return t;
}

/*
 * librooftop-nvtx.so: turns the ranges that programs give to NVTX or rocTX into scopes of
 * librooftop's tree.
 *
 *     NVTX_INJECTION64_PATH=/usr/lib/rooftop/librooftop-nvtx.so prog     NVTX 3
 *     LD_PRELOAD=/usr/lib/rooftop/librooftop-nvtx.so prog                rocTX
 *
 * Marks and ranges of NVTX domains are not recorded. Times are host times: a range covers the
 * launches in it, not the work of the device.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <rooftop/brick.h>

#define PUBLIC __attribute__((visibility("default")))

enum { DEPTH = 64, RANGES = 1024 };
static _Thread_local rooftop_timer stack[DEPTH];
static _Thread_local int depth; /* may exceed DEPTH: deeper ranges are only counted */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    rooftop_timer timer;
    uint64_t number; /* 0: free */
} ranges[RANGES];
static uint64_t numbers;

static rooftop_timer begin_range(const char *name)
{
    return rooftop_start(rooftop_function(name && *name ? name : "(no name)", "", 0));
}

static int push_range(const char *name)
{
    if (depth < DEPTH)
        stack[depth] = begin_range(name);
    return depth++;
}

static int pop_range(void)
{
    if (depth == 0)
        return -1;
    if (--depth < DEPTH)
        rooftop_stop(stack[depth], 0);
    return depth;
}

/* Begins a range that may end on any thread, in any order. If there is no free slot, the end will
 * not find the number. */
static uint64_t start_range(const char *name)
{
    pthread_mutex_lock(&lock);
    uint64_t number = ++numbers;
    if (ranges[number % RANGES].number == 0) {
        ranges[number % RANGES].timer = begin_range(name);
        ranges[number % RANGES].number = number;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

static void end_range(uint64_t number)
{
    pthread_mutex_lock(&lock);
    if (number != 0 && ranges[number % RANGES].number == number) {
        rooftop_stop(ranges[number % RANGES].timer, 0);
        ranges[number % RANGES].number = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* --- rocTX --- */
PUBLIC int roctxRangePushA(const char *name);
PUBLIC int roctxRangePop(void);
PUBLIC uint64_t roctxRangeStartA(const char *name);
PUBLIC void roctxRangeStop(uint64_t number);
PUBLIC void roctxMarkA(const char *name);

PUBLIC int roctxRangePushA(const char *name)
{
    return push_range(name);
}
PUBLIC int roctxRangePop(void)
{
    return pop_range();
}
PUBLIC uint64_t roctxRangeStartA(const char *name)
{
    return start_range(name);
}
PUBLIC void roctxRangeStop(uint64_t number)
{
    end_range(number);
}
PUBLIC void roctxMarkA(const char *name)
{
    (void)name; /* a mark has no duration */
}

/* --- NVTX 3: its callbacks are replaced in a table that it provides --- */
struct attributes { /* the part of nvtxEventAttributes_t that is read */
    uint16_t version, size;
    uint32_t category, color_type, color, payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};
enum { MESSAGE_ASCII = 1 };
enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1 };
enum { RANGE_START_EX = 4, RANGE_START_A = 5, RANGE_END = 7 };
enum { RANGE_PUSH_EX = 8, RANGE_PUSH_A = 9, RANGE_POP = 11 };

static const char *ascii_message(const struct attributes *a)
{
    return a && a->size >= sizeof *a && a->message_type == MESSAGE_ASCII ? a->message : NULL;
}
static uint64_t start_ex(const struct attributes *a)
{
    return start_range(ascii_message(a));
}
static int push_ex(const struct attributes *a)
{
    return push_range(ascii_message(a));
}

typedef void (*callback)(void);
struct callbacks {
    size_t size;
    int (*module)(int module, callback ***table, unsigned *size);
};
PUBLIC int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

PUBLIC int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
    const struct callbacks *c = export_table ? export_table(TABLE_CALLBACKS) : NULL;
    callback **table = NULL;
    unsigned size = 0;
    if (!c || c->size < sizeof *c || !c->module(MODULE_CORE, &table, &size) || size <= RANGE_POP)
        return 0;
    *table[RANGE_START_EX] = (callback)start_ex;
    *table[RANGE_START_A] = (callback)start_range;
    *table[RANGE_END] = (callback)end_range;
    *table[RANGE_PUSH_EX] = (callback)push_ex;
    *table[RANGE_PUSH_A] = (callback)push_range;
    *table[RANGE_POP] = (callback)pop_range;
    return 1;
}

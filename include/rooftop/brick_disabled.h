/*
 * What rooftop/brick.h becomes with -DROOFTOP_DISABLE: functions that do nothing. Only brick.h
 * includes it.
 */
#ifndef ROOFTOP_BRICK_DISABLED_H
#define ROOFTOP_BRICK_DISABLED_H

#define ROOFTOP_NOTHING static inline __attribute__((unused))

ROOFTOP_NOTHING rooftop_timer rooftop_no_timer(void)
{
    rooftop_timer none = {0, 0};
    return none;
}

typedef struct rooftop_task {
    rooftop_id id;
    uint64_t polls, yields, poll_ns;
} rooftop_task;
typedef struct rooftop_device {
    void *context;
    int (*synchronize)(void *context);
    int (*record)(void *context, uint32_t *event);
    int (*resolve)(void *context, uint32_t event, uint64_t *ns);
} rooftop_device;
typedef struct rooftop_stats {
    uint64_t count, total_ns, min_ns, max_ns, elements, bytes, flops;
} rooftop_stats;

/* Arguments are evaluated but not used. */
#define rooftop_register(name, category)   ((void)(name), (void)(category), (rooftop_id)0)
#define rooftop_brick(name)                ((void)(name), (rooftop_id)0)
#define rooftop_layer(index)               ((void)(index), (rooftop_id)0)
#define rooftop_function(name, file, line) ((void)(name), (void)(file), (void)(line), (rooftop_id)0)
#define rooftop_kernel(name, hash, grid, block, shared)                                            \
    ((void)(name), (void)(hash), (void)(grid), (void)(block), (void)(shared), (rooftop_id)0)
#define rooftop_transfer(direction, from, to)                                                      \
    ((void)(direction), (void)(from), (void)(to), (rooftop_id)0)
#define rooftop_backend(name, flops, bytes, how)                                                   \
    ((void)(name), (void)(flops), (void)(bytes), (void)(how), (rooftop_id)0)
#define rooftop_backend_measured(name, flops, bytes, flops_spread, bytes_spread, how)              \
    ((void)(name), (void)(flops), (void)(bytes), (void)(flops_spread), (void)(bytes_spread),       \
     (void)(how), (rooftop_id)0)
#define rooftop_budget(id, ns)    ((void)(id), (void)(ns))
#define rooftop_start(id)         ((void)(id), rooftop_no_timer())
#define rooftop_stop(t, elements) ((void)(t), (void)(elements))
#define rooftop_stop_work(t, elements, bytes, flops)                                               \
    ((void)(t), (void)(elements), (void)(bytes), (void)(flops))
#define rooftop_depends(before, after)    ((void)(before), (void)(after))
#define rooftop_joins(awaited, waiting)   ((void)(awaited), (void)(waiting))
#define rooftop_poll_start(task)          ((void)(task), rooftop_no_timer())
#define rooftop_poll_stop(task, t, ready) ((void)(task), (void)(t), (void)(ready))
#define rooftop_set_sync(mode)            ((void)(mode))
#define rooftop_get_sync()                (ROOFTOP_NONE)
#define rooftop_set_device(device)        ((void)(device))
#define rooftop_elapsed_ns()              ((uint64_t)0)
#define rooftop_reset_epoch()             ((void)0)
#define rooftop_record_deferred(id, start, end, elements)                                          \
    ((void)(id), (void)(start), (void)(end), (void)(elements))
#define rooftop_finalize(end)    ((void)(end), (size_t)0)
#define rooftop_pending()        ((size_t)0)
#define rooftop_tokens(n)        ((void)(n))
#define rooftop_hash(data, size) ((void)(data), (void)(size), (uint64_t)0)
#define rooftop_code(kind, name, path, data, size)                                                 \
    ((void)(kind), (void)(name), (void)(path), (void)(data), (void)(size), (uint64_t)0)
#define rooftop_enable()   ((void)0)
#define rooftop_disable()  ((void)0)
#define rooftop_enabled()  (0)
#define rooftop_total_ns() ((uint64_t)0)
#define rooftop_path()     ("")
#define rooftop_error()    ("built without recording")
#define rooftop_dropped()  ((uint64_t)0)
ROOFTOP_NOTHING rooftop_task rooftop_task_new(const char *name)
{
    rooftop_task none = {0, 0, 0, 0};
    (void)name;
    return none;
}
typedef struct rooftop_code_entry {
    uint64_t hash;
    enum rooftop_code kind;
    const char *name, *path;
    const void *data;
    size_t size;
} rooftop_code_entry;
ROOFTOP_NOTHING uint64_t rooftop_span(rooftop_id id, uint64_t start_ns, uint64_t end_ns,
                                      uint64_t elements, uint64_t bytes, uint64_t flops)
{
    (void)id, (void)start_ns, (void)end_ns, (void)elements, (void)bytes, (void)flops;
    return 0;
}
ROOFTOP_NOTHING int rooftop_code_find(uint64_t hash, rooftop_code_entry *entry)
{
    (void)hash, (void)entry;
    return 0;
}
ROOFTOP_NOTHING double rooftop_percentage(const rooftop_stats *stats, uint64_t total_ns)
{
    (void)stats, (void)total_ns;
    return __builtin_nan("");
}
ROOFTOP_NOTHING size_t rooftop_report(char *out, size_t size)
{
    if (size)
        out[0] = '\0';
    return 0;
}
ROOFTOP_NOTHING rooftop_stats rooftop_stats_of(rooftop_id id)
{
    rooftop_stats none = {0, 0, 0, 0, 0, 0, 0};
    (void)id;
    return none;
}
ROOFTOP_NOTHING rooftop_stats rooftop_category_stats(enum rooftop_category category)
{
    (void)category;
    return rooftop_stats_of(0);
}
ROOFTOP_NOTHING enum rooftop_category rooftop_category_of(rooftop_id id)
{
    (void)id;
    return ROOFTOP_OTHER;
}
ROOFTOP_NOTHING const char *rooftop_name(rooftop_id id)
{
    (void)id;
    return "";
}

#endif

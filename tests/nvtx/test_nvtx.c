/* The library that replaces NVTX's tools and rocTX, loaded as programs load those. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <rooftop/brick.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

typedef void (*callback)(void);
static void *library;

/* *out: a function pointer, which C does not convert from an object pointer */
static void symbol(const char *name, void *out)
{
    if (!library)
        skip_because("the library was not built or cannot be loaded");
    void *p = dlsym(library, name);
    if (!p)
        fail_msg("no %s", name);
    memcpy(out, &p, sizeof p);
}

static uint64_t calls(const char *name)
{
    rooftop_id (*function)(const char *, const char *, uint32_t);
    symbol("rooftop_function", &function);
    rooftop_stats (*stats)(rooftop_id);
    symbol("rooftop_stats_of", &stats);
    return stats(function(name, "", 0)).count;
}

TEST(roctx_ranges_are_scopes)
{
    int (*push)(const char *);
    symbol("roctxRangePushA", &push);
    int (*pop)(void);
    symbol("roctxRangePop", &pop);
    uint64_t (*start)(const char *);
    symbol("roctxRangeStartA", &start);
    void (*stop)(uint64_t);
    symbol("roctxRangeStop", &stop);
    assert_int_equal(pop(), -1);
    assert_int_equal(push("outer"), 0);
    assert_int_equal(push("inner"), 1);
    assert_int_equal(pop(), 1);
    assert_int_equal(pop(), 0);
    uint64_t a = start("a"), b = start("b");
    stop(a);
    stop(b);
    stop(b);
    stop(12345678);
    for (int i = 0; i < 100; i++)
        push("deep");
    for (int i = 0; i < 100; i++)
        assert_int_equal(pop(), 99 - i);
    assert_int_equal(calls("outer"), 1);
    assert_int_equal(calls("inner"), 1);
    assert_int_equal(calls("a"), 1);
    assert_int_equal(calls("b"), 1);
    assert_int_equal(calls("deep"), 64);
}

static callback slots[16];
static callback *table[16];
static unsigned table_size;
static int module(int which, callback ***out, unsigned *size)
{
    *out = table;
    *size = table_size;
    return which == 1;
}
static struct {
    size_t size;
    int (*module)(int, callback ***, unsigned *);
} callbacks = {sizeof callbacks, module};
static const void *export_table(uint32_t id)
{
    return id == 1 ? &callbacks : NULL;
}

TEST(nvtx_gets_our_callbacks)
{
    int (*initialize)(const void *(*)(uint32_t));
    symbol("InitializeInjectionNvtx2", &initialize);
    for (int i = 0; i < 16; i++)
        table[i] = &slots[i];
    assert_int_equal(initialize(NULL), 0);
    table_size = 11; /* a table of an older version, without RangePop */
    assert_int_equal(initialize(export_table), 0);
    table_size = 16;
    assert_int_equal(initialize(export_table), 1);
    assert_int_equal(((int (*)(const char *))slots[9])("nvtx"), 0);
    assert_int_equal(((int (*)(void))slots[11])(), 0);
    assert_int_equal(calls("nvtx"), 1);
}

FIXTURE(begin)
{
    const char *path = program_rooftop();
    char name[4200];
    if (!path)
        return;
    snprintf(name, sizeof name, "%.*s/librooftop-nvtx.so", (int)(strlen(path) - strlen("/rooftop")),
             path);
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

TEST_MAIN(begin, NULL)

/* /proc/kallsyms as the kernel shows it: with addresses, with hidden ones, and changing. */
#include <string.h>

#include "base/env.h"
#include "support/procfs.h"
#include "symbols/symbols.h"
#include "support/test.h"

static const char kernel[] = "ffffffff81000000 T _stext\nffffffff81000000 T startup_64\n"
                             "ffffffff81000100 t do_idle\nffffffff81000180 W __weak_one\n"
                             "ffffffff81000200 D some_data\nffffffff81000300 T after_data\n";
static const char module[] = "ffffffffc0201000 t nft_do_chain\t[nf_tables]\n"
                             "ffffffffc0202000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

static const char *name_at(struct symbols *s, uint64_t ip, const char **in)
{
    struct symbol_frame f;
    return symbols_kernel(s, ip, &f, in) ? f.name : "";
}

TEST(names_and_modules)
{
    const char *in = "";
    struct symbol_frame f;
    procfs_new();
    procfs_write("/proc/kallsyms", "%s%s", kernel, module);
    struct symbols *s = symbols_new(0);
    assert_string_equal(name_at(s, 0xffffffff81000150, &in), "do_idle");
    assert_null(in);
    assert_string_equal(name_at(s, 0xffffffff81000180, &in), "__weak_one");
    assert_string_equal(name_at(s, 0xffffffff81000250, &in), ""); /* a data symbol */
    assert_string_equal(name_at(s, 0xffffffff80ffffff, &in), "");
    assert_string_equal(name_at(s, 0xffffffffc0201004, &in), "nft_do_chain");
    assert_string_equal(in, "[nf_tables]");
    assert_string_equal(name_at(s, 0xffffffffc0202004, NULL), "bpf_prog_6deef7357e7b4530");
    assert_true(symbols_kernel(s, 0xffffffff81000150, &f, NULL));
    assert_true(f.address == 0xffffffff81000100 && f.size == 0x80);
    assert_string_equal(name_at(s, 0xffffffff90000000, &in), ""); /* far behind the last symbol */
    symbols_free(s);
    procfs_free();
}

TEST(hidden_addresses_name_nothing)
{
    procfs_new();
    procfs_write("/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T startup_64\n");
    struct symbols *s = symbols_new(0);
    assert_string_equal(name_at(s, 0, NULL), "");
    assert_string_equal(name_at(s, 0xffffffff81000150, NULL), "");
    symbols_free(s);
    procfs_remove("/proc/kallsyms");
    s = symbols_new(0);
    assert_string_equal(name_at(s, 0xffffffff81000150, NULL), "");
    symbols_free(s);
    procfs_write("/proc/kallsyms", "garbage\nffffffff81000000\nffffffff81000000 \n\n");
    s = symbols_new(0);
    assert_string_equal(name_at(s, 0xffffffff81000000, NULL), "");
    symbols_free(s);
    procfs_free();
}

TEST(a_module_that_comes_later)
{
    procfs_new();
    env_set_clock(procfs_clock, NULL);
    procfs_write("/proc/kallsyms", "%s", kernel);
    struct symbols *s = symbols_new(0);
    assert_string_equal(name_at(s, 0xffffffffc0201004, NULL), "");
    procfs_write("/proc/kallsyms", "%s%s", kernel, module);
    /* it is not read again at once */
    assert_string_equal(name_at(s, 0xffffffffc0201004, NULL), "");
    procfs_clock_ns += 10000000000u;
    assert_string_equal(name_at(s, 0xffffffffc0201004, NULL), "nft_do_chain");
    symbols_free(s);
    env_set_clock(NULL, NULL);
    procfs_free();
}

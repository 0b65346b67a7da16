/* Code objects as the program passes them to the runtime, and where the runtime's loader puts
 * them. The loader here is made up. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsa/hsa_ven_amd_loader.h>

#include "capture/calls.h"
#include "capture/capture_impl.h"
#include "support/skip.h"
#include "support/test.h"

enum { SIZE = 0x800, DELTA = 0x100 };

/* Handle n lies at n * 64 KiB. */
static hsa_status_t info(hsa_loaded_code_object_t object,
                         hsa_ven_amd_loader_loaded_code_object_info_t what, void *value)
{
    uint64_t base = object.handle << 16;
    if (what == HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE)
        memcpy(value, &base, sizeof base);
    else
        *(uint64_t *)value =
            what == HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE ? SIZE : base - DELTA;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t table(uint16_t extension, uint16_t version, size_t size, void *out)
{
    hsa_ven_amd_loader_1_01_pfn_t loader = {.hsa_ven_amd_loader_loaded_code_object_get_info = info};
    if (extension != HSA_EXTENSION_AMD_LOADER || version != 1 || size < sizeof loader)
        return HSA_STATUS_ERROR;
    memcpy(out, &loader, sizeof loader);
    return HSA_STATUS_SUCCESS;
}

FIXTURE(set_up)
{
    hsa.system_get_major_extension_table = table;
}

FIXTURE(tear_down)
{
    objects_reset();
}

static bool is_at(uint64_t address, uint64_t handle, const char *bytes)
{
    struct captured_object o = {0};
    if (!objects_at(address, &o))
        return false;
    assert_int_equal(o.loaded, handle);
    assert_int_equal(o.base, handle << 16);
    assert_int_equal(o.size, SIZE);
    assert_int_equal(o.delta, (handle << 16) - DELTA);
    assert_int_equal(code_size(o.code), strlen(bytes));
    assert_memory_equal(code_data(o.code), bytes, strlen(bytes));
    code_drop(o.code);
    return true;
}

/* The program may free the bytes and the reader after loading. */
TEST_WITH(an_address_is_in_the_object_around_it, set_up, tear_down)
{
    char bytes[] = "first", other[] = "the second";
    assert_true(objects_reader_memory(7, bytes, 5));
    assert_true(objects_reader_memory(8, other, 10));
    assert_true(objects_loaded(70, 7, 1));
    assert_true(objects_loaded(80, 8, 3));
    assert_false(objects_loaded(90, 9, 4)); /* a reader that the library has not seen */
    memset(bytes, 'x', sizeof bytes);
    objects_reader_gone(7);
    assert_true(is_at(0x10000, 1, "first"));
    assert_true(is_at(0x10000 + SIZE - 1, 1, "first"));
    assert_false(is_at(0x10000 + SIZE, 1, "first"));
    assert_false(is_at(0xffff, 1, "first"));
    assert_true(is_at(0x30000 + 1, 3, "the second"));
    objects_executable_gone(70);
    assert_false(is_at(0x10000, 1, "first"));
    assert_true(is_at(0x30000 + 1, 3, "the second"));
}

TEST_WITH(a_reader_that_is_used_again_has_the_new_bytes, set_up, tear_down)
{
    assert_true(objects_reader_memory(7, "old", 3));
    assert_true(objects_loaded(70, 7, 1));
    assert_true(objects_reader_memory(7, "newer", 5));
    assert_true(objects_loaded(71, 7, 2));
    assert_true(is_at(0x10000, 1, "old"));
    assert_true(is_at(0x20000, 2, "newer"));
}

TEST_WITH(files_are_read_whole_or_not_at_all, set_up, tear_down)
{
    char path[] = "/tmp/rooftop-objects-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_false(objects_reader_file(5, fd)); /* an empty file */
    assert_int_equal(write(fd, "in a file", 9), 9);
    assert_true(objects_reader_file(5, fd));
    assert_true(objects_loaded(50, 5, 2));
    assert_true(is_at(0x20000, 2, "in a file"));
    close(fd);
    assert_false(objects_reader_file(6, -1));
    fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        skip_because("no file that is shorter than it says: /sys is not there");
    assert_false(objects_reader_file(6, fd)); /* a pipe: reading it would block */
    assert_false(objects_loaded(60, 6, 4));
    close(fd);
}

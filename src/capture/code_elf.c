#include "capture/capture_impl.h"

#include <elf.h>
#include <string.h>

#include "gpu/code_elf.h"

enum { DESCRIPTOR_BYTES = 64, DESCRIPTOR_KERNARG = 8, OLD_KERNEL_TYPE = 10 };

static bool ends_with_kd(const char *name)
{
    const size_t len = strlen(name);
    return len > 3 && strcmp(name + len - 3, ".kd") == 0;
}

bool code_next_symbol(const void *elf, size_t size, size_t *at, struct captured_symbol *out)
{
    struct code_elf e;
    struct code_symbols s;
    struct code_symbol y;
    /* all symbols if the file has them, else the dynamic ones */
    if (!code_elf_open_loaded(&e, elf, size) || (!code_symbols_open(&s, &e, CODE_SYMBOLS_ALL) &&
                                                 !code_symbols_open(&s, &e, CODE_SYMBOLS_DYNAMIC)))
        return false;
    const uint64_t begin = s.at;
    s.at += *at;
    while (code_symbols_next(&s, &y)) {
        *at = s.at - begin;
        const bool kernel = y.type == OLD_KERNEL_TYPE || ends_with_kd(y.name);
        if ((y.type != STT_OBJECT && y.type != OLD_KERNEL_TYPE) || (!kernel && y.size == 0))
            continue;
        *out = (struct captured_symbol){y.name, y.address, y.size, kernel};
        return true;
    }
    *at = s.at - begin;
    return false;
}

const void *code_bytes_at(const void *elf, size_t size, uint64_t address, size_t len)
{
    struct code_elf e;
    return code_elf_open_loaded(&e, elf, size) ? code_elf_loaded(&e, address, len) : NULL;
}

uint32_t code_elf_kernarg_size(const void *elf, size_t size, const struct captured_symbol *kernel)
{
    uint32_t bytes = 0;
    const size_t len = strlen(kernel->name);
    /* Older code objects have a larger structure there, with other contents. */
    const bool descriptor = kernel->size == DESCRIPTOR_BYTES && len > 3;
    const uint8_t *at =
        descriptor ? code_bytes_at(elf, size, kernel->address, DESCRIPTOR_BYTES) : NULL;
    if (at)
        memcpy(&bytes, at + DESCRIPTOR_KERNARG, sizeof bytes);
    return bytes;
}

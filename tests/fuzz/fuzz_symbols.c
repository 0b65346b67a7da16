/* An ELF file: its symbols, debug information, and compressed sections. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/env.h"
#include "symbols/symbols.h"

enum { ASKED = 48, FRAMES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct symbol_frame frames[FRAMES];
    uint64_t address;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        return 0;
    env_set_root("/nonexistent"); /* debug files of this machine are not read */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, path, NULL);
    for (size_t i = 0; f && i < ASKED; i++) {
        address = i * 16;
        symbol_file_address(f, size * i / ASKED, &address);
        size_t n = symbol_file_resolve(f, address, frames, i % FRAMES + 1);
        for (size_t k = 0; k < n; k++)
            n += frames[k].name[0] == '\0' && n > FRAMES; /* reads every name */
    }
    symbols_free(s);
    env_set_root(NULL);
    close(fd);
    return 0;
}

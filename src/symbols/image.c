#include "symbols/image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/demangle.h"

static struct image *adopt(Elf *elf, int fd, struct strings *strings)
{
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct image *image = xcalloc(1, sizeof *image);
    image->fd = fd;
    image->elf = elf;
    image->strings = strings;
    return image;
}

struct image *image_open(int fd, struct strings *strings)
{
    elf_version(EV_CURRENT);
    return adopt(elf_begin(fd, ELF_C_READ_MMAP, NULL), fd, strings);
}

struct image *image_open_memory(void *data, size_t size, struct strings *strings)
{
    elf_version(EV_CURRENT);
    return adopt(elf_memory(data, size), -1, strings);
}

void image_close(struct image *image)
{
    if (!image)
        return;
    elf_symbols_free(&image->table);
    elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    free(image);
}

static void read_symbols(struct image *image)
{
    image->read = true;
    elf_symbols_add(&image->table, image->elf, SHT_SYMTAB);
    elf_symbols_add(&image->table, image->elf, SHT_DYNSYM);
    elf_symbols_add_plt(&image->table, image->elf, image->strings);
    elf_symbols_finish(&image->table);
    image->bytes += image->table.cap * sizeof *image->table.rows;
}

size_t image_resolve(struct image *image, const char *path, uint64_t address,
                     struct symbol_frame *out, size_t max)
{
    char text[4096];
    (void)path;
    if (!image->read)
        read_symbols(image);
    const struct elf_symbol *symbol = elf_symbols_find(&image->table, address);
    if (!symbol || max == 0)
        return 0;
    out[0] = (struct symbol_frame){
        .name = strings_add(image->strings, demangle(symbol->name, text, sizeof text)),
        .address = symbol->address,
        .size = symbol->end - symbol->address};
    return 1;
}

#include "symbols/symbols_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

static struct image *open_elf_image(Elf *elf, int fd, struct strings *strings)
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
    image->strings = image->names.strings = strings;
    image->debug.fd = image->packed.fd = -1;
    return image;
}

struct image *image_open(int fd, struct strings *strings)
{
    elf_version(EV_CURRENT);
    return open_elf_image(elf_open(fd), fd, strings);
}

struct image *image_open_memory(void *data, size_t size, struct strings *strings)
{
    elf_version(EV_CURRENT);
    return open_elf_image(elf_memory(data, size), -1, strings);
}

void image_close(struct image *image)
{
    if (!image)
        return;
    dwarf_info_close(image->dwarf);
    symbol_names_free(&image->names);
    elf_symbols_free(&image->table);
    debug_file_close(&image->debug);
    debug_file_close(&image->packed);
    elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    free(image);
}

static void read_tables(struct image *image, const char *path)
{
    Elf *elf = image->elf;
    image->read = true;
    if (!elf_section(elf, ".symtab") || !elf_section(elf, ".debug_info"))
        debug_file_find(&image->debug, elf, path);
    elf_symbols_add(&image->table, elf, SHT_SYMTAB);
    elf_symbols_add(&image->table, elf, SHT_DYNSYM);
    if (image->debug.elf)
        elf_symbols_add(&image->table, image->debug.elf, SHT_SYMTAB);
    else
        debug_file_unpack(&image->packed, elf);
    if (image->packed.elf)
        elf_symbols_add(&image->table, image->packed.elf, SHT_SYMTAB);
    elf_symbols_add_plt(&image->table, elf, image->strings);
    elf_symbols_finish(&image->table);
    if (elf_section(elf, ".debug_info"))
        image->dwarf = dwarf_info_open(elf, &image->names);
    else if (image->debug.elf)
        image->dwarf = dwarf_info_open(image->debug.elf, &image->names);
}

static void count_bytes(struct image *image)
{
    image->bytes = image->table.cap * sizeof *image->table.rows + image->packed.size +
                   symbol_names_memory(&image->names) + dwarf_info_memory(image->dwarf);
}

size_t image_resolve(struct image *image, const char *path, uint64_t address,
                     struct symbol_frame *out, size_t max)
{
    if (max == 0)
        return 0;
    if (!image->read)
        read_tables(image, path);
    out[0] = (struct symbol_frame){0};
    const struct elf_symbol *symbol = elf_symbols_find(&image->table, address);
    bool plain = false;
    size_t n = image->dwarf ? dwarf_info_resolve(image->dwarf, address, out, max, &plain) : 0;
    if (n == 0 && symbol)
        n = 1;
    struct symbol_frame *function = n ? &out[n - 1] : NULL;
    if (function && symbol) {
        /* A symbol covers the whole function; debug information may describe only a part of it. */
        function->address = symbol->address;
        function->size = symbol->end - symbol->address;
        bool more = plain && symbol->name[0] == '_' && strchr("ZR", symbol->name[1]);
        if (!function->name || more)
            function->name = symbol_names_get(&image->names, symbol->name);
    } else if (function && image->dwarf) {
        dwarf_info_extent(image->dwarf, address, function);
    }
    for (size_t i = 0; i < n; i++)
        out[i].name = out[i].name ? out[i].name : "??";
    count_bytes(image);
    return n;
}

/* USDT notes in files made by hand: every word size and byte order, and every kind of damage. */
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "support/note_elf.h"
#include "symbols/elf/usdt_notes.h"
#include "support/test.h"

static struct note_elf elf; /* static, because it is large */

static void parse(struct usdt_notes *out)
{
    size_t size;
    struct error err = ERROR_INIT;
    uint8_t *data = note_elf_make(&elf, &size);
    if (usdt_notes_parse(out, data, size, "made by hand", &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    free(data);
}

TEST(every_word_size_and_byte_order)
{
    for (int i = 0; i < 4; i++) {
        struct usdt_notes n;
        note_elf_init(&elf, i & 1 ? 64 : 32, i & 2);
        note_elf_add(&elf, NOTE_ELF_CODE + 0x48, 0, NOTE_ELF_DATA + 2, "web", "request__start",
                     "-4@%edi 8@%rsi");
        note_elf_add(&elf, NOTE_ELF_CODE + 0x50, 0, 0, "web", "request__done", "");
        parse(&n);
        assert_int_equal(n.n, 2);
        assert_int_equal(n.bits, i & 1 ? 64 : 32);
        assert_string_equal(n.probes[0].name, "request__done"); /* sorted by name */
        const struct usdt_probe *p = &n.probes[1];
        assert_string_equal(p->provider, "web");
        assert_string_equal(p->name, "request__start");
        assert_string_equal(p->arguments, "-4@%edi 8@%rsi");
        assert_true(p->located);
        assert_int_equal(p->address, NOTE_ELF_CODE + 0x48);
        assert_int_equal(p->offset, 0x48);
        assert_int_equal(p->semaphore_offset, 64 + 2);
        assert_int_equal(n.probes[0].semaphore_offset, 0);
        assert_int_equal(n.damaged + n.left_out, 0);
        usdt_notes_free(&n);
    }
}

TEST(a_file_that_was_moved_moves_its_probes)
{
    struct usdt_notes n;
    for (int up = 0; up < 2; up++)
        for (int bits = 32; bits <= 64; bits += 32) {
            uint64_t by = up ? 0x1000 : (uint64_t)-0x1000;
            note_elf_init(&elf, bits, false);
            elf.base = 0x30000;
            note_elf_add(&elf, NOTE_ELF_CODE + 0x40 - by, elf.base - by, NOTE_ELF_DATA - by, "p",
                         "n", "");
            parse(&n);
            assert_int_equal(n.n, 1);
            assert_int_equal(n.probes[0].address, NOTE_ELF_CODE + 0x40);
            assert_int_equal(n.probes[0].offset, 0x40);
            assert_int_equal(n.probes[0].semaphore_offset, 64);
            assert_true(n.probes[0].located);
            usdt_notes_free(&n);
        }
}

TEST(probes_outside_of_the_file_cannot_be_watched)
{
    struct usdt_notes n;
    note_elf_init(&elf, 64, false);
    note_elf_add(&elf, NOTE_ELF_DATA, 0, 0, "p", "a_in_data", "");
    note_elf_add(&elf, 0x10, 0, 0, "p", "b_nowhere", "");
    note_elf_add(&elf, UINT64_MAX, 0, 0, "p", "c_at_the_end", "");
    note_elf_add(&elf, NOTE_ELF_CODE, 0, NOTE_ELF_DATA + NOTE_ELF_DATA_SIZE - 1, "p",
                 "d_half_a_semaphore", "");
    note_elf_add(&elf, NOTE_ELF_CODE, 0, NOTE_ELF_CODE, "p", "e_semaphore_in_code", "");
    note_elf_add(&elf, NOTE_ELF_CODE, 0, NOTE_ELF_DATA + NOTE_ELF_DATA_SIZE - 2, "p", "f_well", "");
    parse(&n);
    assert_int_equal(n.n, 6);
    for (size_t i = 0; i < 5; i++)
        if (n.probes[i].located)
            fail_msg("%s was located", n.probes[i].name);
    assert_true(n.probes[5].located);
    usdt_notes_free(&n);
}

/* Adds a note with these bytes. */
static void add_bytes(const void *desc, size_t size)
{
    uint8_t bytes[4096] = "stapsdt";
    memcpy(bytes + 8, desc, size);
    note_elf_raw(&elf, 8, (uint32_t)size, 3, bytes, 8 + ((size + 3) & ~(size_t)3));
}

TEST(damaged_notes_are_counted_and_left_out)
{
    struct usdt_notes n;
    char longest[2048], desc[256] = {0};
    memset(longest, 'x', sizeof longest);
    longest[USDT_NAME_MAX + 1] = '\0';
    note_elf_init(&elf, 64, false);
    note_elf_add(&elf, 1, 0, 0, "", "no_provider", "");
    note_elf_add(&elf, 1, 0, 0, "p", "", "no name");
    note_elf_add(&elf, 1, 0, 0, "p\x1b[31m", "n", "not printable");
    note_elf_add(&elf, 1, 0, 0, longest, "n", "too long");
    add_bytes(desc, 23); /* shorter than three addresses */
    add_bytes(desc, 24); /* without texts */
    desc[24] = 'p';
    desc[26] = 'n'; /* the name has no end */
    add_bytes(desc, 27);
    note_elf_raw(&elf, 8, 0, 3, "stapsdt", 8);        /* empty */
    note_elf_raw(&elf, 4, 4, 3, "GNU\0....", 8);      /* of another program: no damage */
    note_elf_raw(&elf, 8, 4, 2, "stapsdt\0....", 12); /* of another type: no damage */
    note_elf_add(&elf, NOTE_ELF_CODE, 0, 0, "p", "good", "");
    parse(&n);
    assert_int_equal(n.damaged, 8);
    assert_int_equal(n.n, 1);
    assert_string_equal(n.probes[0].name, "good");
    usdt_notes_free(&n);
}

TEST(a_note_that_is_larger_than_its_section_ends_it)
{
    static const uint32_t sizes[][2] = {
        {8, 1000}, {1000, 8}, {UINT32_MAX, 0}, {8, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct usdt_notes n;
        note_elf_init(&elf, 64, false);
        note_elf_add(&elf, NOTE_ELF_CODE, 0, 0, "p", "before", "");
        note_elf_raw(&elf, sizes[i][0], sizes[i][1], 3, "stapsdt", 8);
        parse(&n);
        assert_int_equal(n.n, 1);
        assert_int_equal(n.damaged, 1);
        usdt_notes_free(&n);
    }
}

TEST(there_is_a_limit)
{
    struct usdt_notes n;
    size_t size;
    struct error err = ERROR_INIT;
    note_elf_init(&elf, 32, false);
    note_elf_add(&elf, NOTE_ELF_CODE, 0, 0, "p", "n", "");
    size_t one = elf.nnotes, many = USDT_PROBES_MAX + 7;
    uint8_t *small = note_elf_make(&elf, &size);
    uint8_t *large = calloc(1, size + one * many);
    assert_non_null(large);
    /* Grows the small section at the file's end, with its size. */
    memcpy(large, small, size);
    for (size_t i = 0; i < many; i++)
        memcpy(large + size + i * one, elf.notes, one);
    uint32_t from = (uint32_t)size, length = (uint32_t)(one * many);
    memcpy(large + size - 40 + 16, &from, 4);
    memcpy(large + size - 40 + 20, &length, 4);
    assert_int_equal(usdt_notes_parse(&n, large, size + one * many, "large", &err), 0);
    assert_int_equal(n.n, USDT_PROBES_MAX);
    assert_int_equal(n.left_out, 7);
    usdt_notes_free(&n);
    free(large);
    free(small);
}

/* Cut anywhere, and with any byte changed, a file is refused or read, but never beyond its end. */
TEST(no_damage_is_too_much)
{
    size_t size;
    note_elf_init(&elf, 64, false);
    elf.base = 0x30000;
    note_elf_add(&elf, NOTE_ELF_CODE, elf.base, NOTE_ELF_DATA, "p", "n", "4@%eax");
    note_elf_add(&elf, NOTE_ELF_CODE + 4, elf.base, 0, "p", "m", "");
    uint8_t *data = note_elf_make(&elf, &size);
    for (size_t cut = 0; cut < size; cut++) {
        struct usdt_notes n;
        /* of exactly this size, so that a sanitizer notices reads beyond its end */
        uint8_t *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, data, cut);
        usdt_notes_parse(&n, copy, cut, "cut", NULL);
        assert_true(n.n <= 2);
        usdt_notes_free(&n);
        free(copy);
    }
    for (size_t at = 0; at < size; at++)
        for (int value = 0; value < 3; value++) {
            struct usdt_notes n;
            uint8_t was = data[at];
            data[at] = value == 0 ? 0xff : value == 1 ? 0 : (uint8_t)(was ^ 0x80);
            usdt_notes_parse(&n, data, size, "changed", NULL);
            for (size_t i = 0; i < n.n; i++)
                assert_true(!n.probes[i].located || n.probes[i].offset < size);
            usdt_notes_free(&n);
            data[at] = was;
        }
    free(data);
}

TEST(other_files_are_refused)
{
    struct usdt_notes n;
    static const char *const paths[] = {"/nonexistent", "/", "/dev/null", "Makefile"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct error err = ERROR_INIT;
        assert_true(usdt_notes_read(&n, paths[i], &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_string_equal(err.what, paths[i]);
        assert_true(err.why[0] != '\0');
        usdt_notes_free(&n);
    }
    struct error err = ERROR_INIT; /* a file without probes is not listed */
    assert_int_equal(usdt_notes_read(&n, "/proc/self/exe", &err), 0);
    assert_int_equal(n.damaged, 0);
    usdt_notes_free(&n);
}

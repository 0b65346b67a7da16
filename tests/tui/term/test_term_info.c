/* not for TSan: Compiled terminfo entries of real terminals, cut short, and rewritten for 24-bit
 * colour. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/skip.h"
#include "tui/term/term_impl.h"
#include "support/test.h"

static unsigned char entry[TERM_INFO_MAX];

static size_t read_entry(const char *term)
{
    long n = term_info_read(term, entry);
    if (n == -ENOENT)
        skip_because("no terminfo entry of %s here", term);
    assert_true(n > 12 && n <= TERM_INFO_MAX);
    return (size_t)n;
}

TEST(colors_of_known_terminals)
{
    static const struct {
        const char *term;
        int colors;
    } known[] = {{"xterm-256color", 256},
                 {"screen-256color", 256},
                 {"tmux-256color", 256},
                 {"xterm", 8},
                 {"linux", 8},
                 {"vt100", 0},
                 {"dumb", 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = read_entry(known[i].term);
        if (term_info_colors(entry, n) != known[i].colors)
            fail_msg("%s: %d colours", known[i].term, term_info_colors(entry, n));
    }
}

/* What the build carries is byte for byte what this machine's terminfo has: infocmp wrote the one,
 * tic the other. */
TEST(carried_entries_are_those_of_terminfo)
{
    static const char *const wanted[] = {"xterm-256color", "tmux-256color", "screen", "linux",
                                         "vt100"};
    size_t found = 0;
    for (const struct carried_entry *c = term_carried; c->name; c++) {
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            found += strcmp(c->name, wanted[i]) == 0;
        const size_t n = read_entry(c->name);
        assert_int_equal(n, c->size);
        assert_memory_equal(entry, c->bytes, n);
    }
    assert_int_equal(found, sizeof wanted / sizeof *wanted);
}

TEST(names_that_are_no_terminal_are_not_found)
{
    static const char *const names[] = {"", "no-such-terminal", "../x/xterm", "/etc/passwd",
                                        "x/xterm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(term_info_read(names[i], entry), -ENOENT);
}

/* Reads back the rewritten entry: the bytes after "hex:" are an entry with 2^24 colours. */
TEST(direct_entries_are_entries_with_24_bit_colour)
{
    static const char *const terms[] = {"xterm-256color", "screen-256color", "tmux-256color",
                                        "xterm"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        char *hex = term_info_direct(entry, read_entry(terms[i]));
        assert_non_null(hex);
        assert_int_equal(strncmp(hex, "hex:", 4), 0);
        size_t n = strlen(hex + 4) / 2;
        unsigned char *back = malloc(n);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(sscanf(hex + 4 + k * 2, "%2hhx", &back[k]), 1);
        assert_int_equal(term_info_colors(back, n), 1 << 24);
        assert_non_null(memmem(back, n, "RGB", 4));
        free(back);
        free(hex);
    }
}

static void try_bytes(const unsigned char *bytes, size_t n)
{
    /* exactly as large, so that ASan notices reads beyond its end */
    unsigned char *exact = malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    assert_true(term_info_colors(exact, n) >= -1);
    free(term_info_direct(exact, n));
    free(exact);
}

TEST(cut_and_damaged_entries_do_no_harm)
{
    static const char *const terms[] = {"xterm-256color", "linux", "vt100"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        size_t n = read_entry(terms[i]);
        for (size_t cut = 0; cut < n; cut++)
            try_bytes(entry, cut);
        for (size_t at = 0; at < n; at++) {
            unsigned char was = entry[at];
            entry[at] = 0xff;
            try_bytes(entry, n);
            entry[at] = 0x7f;
            try_bytes(entry, n);
            entry[at] = was;
        }
    }
    assert_int_equal(term_info_colors((const unsigned char *)"no entry at all", 15), -1);
    assert_null(term_info_direct((const unsigned char *)"no entry at all", 15));
}

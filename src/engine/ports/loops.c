#include "engine/ports/loops.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"
#include "base/words.h"

static const char label[] = ".Lrooftop";
enum { VISITS_MAX = 1 << 24 };

enum code_machine code_machine_of(const char *path)
{
    Elf64_Ehdr head;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : pread(fd, &head, sizeof head, 0);
    if (fd >= 0)
        close(fd);
    if (n != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return MACHINE_OTHER;
    if (head.e_machine == EM_X86_64)
        return MACHINE_X86_64;
    return head.e_machine == EM_AARCH64 ? MACHINE_ARM64 : MACHINE_OTHER;
}

/* --- instructions --- */

/* Skips prefixes that do not matter here: "bnd jmp", "notrack jmp", "{vex} vpdpbusd". */
static const char *behind_prefixes(const char *text)
{
    static const char *const prefixes[] = {"bnd ", "notrack ", "{vex} ", "{evex} ", "cs ", "ds "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return behind_prefixes(text + strlen(prefixes[i]));
    return text;
}

static bool is_branch(const char *text, enum code_machine machine)
{
    char word[16];
    size_t n = strcspn(text, " ,");
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    if (machine == MACHINE_X86_64)
        return *word == 'j' || strncmp(word, "loop", 4) == 0;
    return words_have("b cbz cbnz tbz tbnz", word) || strncmp(word, "b.", 2) == 0 ||
           strncmp(word, "bc.", 3) == 0;
}

static bool is_call_instruction(const char *text, enum code_machine machine)
{
    if (machine == MACHINE_X86_64)
        return strncmp(text, "call", 4) == 0;
    return strncmp(text, "bl ", 3) == 0 || strncmp(text, "blr ", 4) == 0;
}

/* Returns where the last operand begins. Notes of the disassembler ("<f+0x10>") follow it. */
static const char *last_operand(const char *text, enum code_machine machine, const char **end)
{
    const char *stop = text + strcspn(text, machine == MACHINE_X86_64 ? "<#" : "</");
    while (stop > text && stop[-1] == ' ')
        stop--;
    *end = stop;
    while (stop > text && stop[-1] != ' ' && stop[-1] != ',')
        stop--;
    return stop;
}

/* Reads an address as disassemblers write it: hexadecimal, with or without 0x. */
static bool read_operand_address(const char *p, const char *end, uint64_t *address)
{
    char *after;
    if (p >= end || !isxdigit((unsigned char)*p))
        return false;
    *address = strtoull(p, &after, 16);
    return after == end;
}

static bool read_loop_branch(const char *text, enum code_machine machine, uint64_t *address)
{
    const char *end, *p = behind_prefixes(text);
    if (!is_branch(p, machine))
        return false;
    const char *operand = last_operand(p, machine, &end);
    return operand > p && read_operand_address(operand, end, address);
}

/* --- loops --- */

static unsigned register_width(const char *text, enum code_machine machine)
{
    if (machine == MACHINE_X86_64) {
        if (strstr(text, "%zmm"))
            return 512;
        if (strstr(text, "%ymm"))
            return 256;
        return strstr(text, "%xmm") ? 128 : 0;
    }
    for (const char *p = text; (p = strpbrk(p, "vz")); p++)
        if (p > text && strchr(" ,{", p[-1]) && isdigit((unsigned char)p[1]))
            return 128;
    return 0;
}

/* The row at an address, or d->n if none is there. */
static size_t find_instruction_row(const struct disassembly *d, uint64_t address)
{
    size_t at = 0;
    SEARCH_FIRST(at, d->n, d->rows[at].address < address);
    return at < d->n && d->rows[at].address == address ? at : d->n;
}

static int compare_loop_heads(const void *a, const void *b)
{
    const struct code_loop *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last > y->last ? -1 : x->last < y->last;
}

/* Whether execution never goes on with the next row: a return, a jump, a trap. */
static bool ends_flow(const char *text, enum code_machine machine)
{
    const char *p = behind_prefixes(text);
    if (machine == MACHINE_X86_64)
        return strncmp(p, "jmp", 3) == 0 || strncmp(p, "ret", 3) == 0 ||
               strncmp(p, "ud2", 3) == 0 || strncmp(p, "hlt", 3) == 0;
    return strncmp(p, "b ", 2) == 0 || strncmp(p, "br ", 3) == 0 || strncmp(p, "ret", 3) == 0 ||
           strncmp(p, "udf", 3) == 0;
}

/* What the search for loops needs of a row, read from its text once. */
struct row_facts {
    size_t to;       /* the row that it branches to; the number of rows if it does not branch */
    uint16_t width;  /* of its widest vector register */
    bool call, last; /* last: the next row is not reached from it */
};

static struct row_facts *read_instruction_facts(const struct disassembly *d,
                                                enum code_machine machine)
{
    struct row_facts *f = xcalloc(d->n + 1, sizeof *f);
    for (size_t i = 0; i < d->n; i++) {
        const char *text = d->rows[i].text;
        uint64_t target;
        f[i] = (struct row_facts){
            .to = read_loop_branch(text, machine, &target) ? find_instruction_row(d, target) : d->n,
            .width = (uint16_t)register_width(text, machine),
            .call = is_call_instruction(behind_prefixes(text), machine),
            .last = ends_flow(text, machine),
        };
    }
    return f;
}

/* Joins loops of one head to one loop, up to the last branch back. */
static size_t join_heads(struct code_loop *loops, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(loops, n, sizeof *loops, compare_loop_heads);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || loops[i].first != loops[kept - 1].first)
            loops[kept++] = loops[i];
    return kept;
}

static bool is_inside(const struct code_loop *inner, const struct code_loop *outer)
{
    return inner != outer && inner->first >= outer->first && inner->last <= outer->last;
}

static void describe_loop(struct code_loop *loop, const struct code_loop *loops, size_t n,
                          const struct row_facts *rows)
{
    loop->depth = 1;
    loop->innermost = true;
    for (size_t i = 0; i < n; i++) {
        loop->depth += is_inside(loop, &loops[i]);
        loop->innermost &= !is_inside(&loops[i], loop);
    }
    for (size_t r = loop->first; r <= loop->last; r++) {
        loop->width = rows[r].width > loop->width ? rows[r].width : loop->width;
        loop->calls += rows[r].call;
    }
}

/* A walk over rows: those that were reached, and those whose successors are still to be visited. */
struct walk {
    size_t *round; /* for each row the last walk that reached it */
    size_t *waiting;
    size_t n, now;
};

static void reach_row(struct walk *w, size_t row)
{
    if (w->round[row] == w->now)
        return;
    w->round[row] = w->now;
    w->waiting[w->n++] = row;
}

/* Whether the branch back can be reached from the head. It cannot if it is in seldom run code that
 * the compiler put behind the function's end: then it makes no loop. budget: rows that may still be
 * visited; true when it is used up. */
static bool does_head_reach_branch(const struct code_loop *l, const struct row_facts *rows,
                                   struct walk *w, size_t *budget)
{
    w->n = 0;
    w->now++;
    reach_row(w, l->first);
    while (w->n && w->round[l->last] != w->now && *budget) {
        size_t r = w->waiting[--w->n], to = rows[r].to;
        --*budget;
        if (to >= l->first && to <= l->last)
            reach_row(w, to);
        if (!rows[r].last && r < l->last)
            reach_row(w, r + 1);
    }
    return !*budget || w->round[l->last] == w->now;
}

size_t loops_find(const struct disassembly *d, enum code_machine machine,
                  struct code_loop out[LOOPS_MAX])
{
    struct row_facts *rows = read_instruction_facts(d, machine);
    struct walk walk = {.round = xcalloc(d->n + 1, sizeof *walk.round),
                        .waiting = xcalloc(d->n + 1, sizeof *walk.waiting)};
    struct code_loop *all = NULL;
    size_t n = 0, cap = 0, budget = VISITS_MAX;
    for (size_t i = 0; i < d->n; i++) {
        struct code_loop loop = {.first = rows[i].to, .last = i};
        if (loop.first > i || !does_head_reach_branch(&loop, rows, &walk, &budget))
            continue;
        LIST_ROOM(all, n, cap);
        all[n++] = loop;
    }
    n = join_heads(all, n);
    n = n < LOOPS_MAX ? n : LOOPS_MAX; /* keeps only the first ones */
    if (n)
        memcpy(out, all, n * sizeof *out);
    free(all);
    for (size_t i = 0; i < n; i++)
        describe_loop(&out[i], out, n, rows);
    free(walk.round);
    free(walk.waiting);
    free(rows);
    return n;
}

void loops_weigh(struct code_loop *loops, size_t n, const struct disassembly *d, uint64_t address,
                 uint64_t samples)
{
    for (size_t i = 0; i < n; i++)
        if (address >= d->rows[loops[i].first].address && address <= d->rows[loops[i].last].address)
            loops[i].samples += samples;
}

static bool is_hotter(const struct code_loop *a, const struct code_loop *b)
{
    if (a->samples != b->samples)
        return a->samples > b->samples;
    if (a->depth != b->depth)
        return a->depth > b->depth;
    if (a->width != b->width)
        return a->width > b->width;
    return a->last - a->first > b->last - b->first;
}

size_t loops_hottest(const struct code_loop *loops, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (loops[i].innermost && (best == n || is_hotter(&loops[i], &loops[best])))
            best = i;
    return best;
}

/* --- text for an assembler --- */

/* "nopw 0x0(%rax,%rax,1)", "data16 cs nopw …", "xchg %ax,%ax", "nop". */
static bool is_nop(const char *text)
{
    const char *at = strstr(text, "nop");
    if (strcmp(text, "xchg %ax,%ax") == 0)
        return true;
    if (!at || (at > text && at[-1] != ' '))
        return false;
    for (const char *p = text; p < at; p += strcspn(p, " ") + 1)
        if (strncmp(p, "data16 ", 7) != 0 && strncmp(p, "cs ", 3) != 0)
            return false;
    size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    return letters <= 4 && (at[letters] == ' ' || !at[letters]);
}

/* Whether a colon at p follows a segment register: "%fs:0x28". */
static bool is_segment(const char *text, const char *p)
{
    return p - text >= 3 && p[-3] == '%' && strchr("cdefgs", p[-2]) && p[-1] == 's';
}

/* Whether text has the form of an instruction: no directive, label, string, comment or second
 * statement. */
static bool is_instruction(const char *text, enum code_machine machine)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.";
    const char *allowed = machine == MACHINE_X86_64 ? " ,.%$()*+-{}_:" : " ,.#[]!+-{}_";
    size_t word = strspn(text, letters);
    if (!islower((unsigned char)*text) || (text[word] && text[word] != ' '))
        return false;
    for (const char *p = text; *p; p++) {
        if (!isalnum((unsigned char)*p) && !strchr(allowed, *p))
            return false;
        if (*p == ':' && !is_segment(text, p))
            return false;
        if (*p == '#' && !strchr("-0123456789", p[1]))
            return false;
    }
    return true;
}

/* Cuts the disassembler's note behind an instruction: "# 2004 <x>", "// b.any". */
static void cut_notes(char *text, enum code_machine machine)
{
    char *note = strstr(text, machine == MACHINE_X86_64 ? " #" : " //");
    if (note)
        *note = '\0';
    for (size_t n = strlen(text); n && text[n - 1] == ' ';)
        text[--n] = '\0';
}

bool loop_line(const char *text, enum code_machine machine, char out[LOOP_LINE_MAX])
{
    char line[LOOP_LINE_MAX];
    const char *end;
    uint64_t address;
    text = behind_prefixes(text);
    if ((size_t)snprintf(line, sizeof line, "%s", text) >= sizeof line)
        return false;
    cut_notes(line, machine);
    if (is_nop(line)) {
        snprintf(out, LOOP_LINE_MAX, "nop");
        return true;
    }
    const char *operand = last_operand(line, machine, &end);
    bool target = operand > line && read_operand_address(operand, end, &address) &&
                  (*end || is_branch(line, machine));
    int kept = (int)(target ? operand - line : (long)strlen(line));
    int n = snprintf(out, LOOP_LINE_MAX, "%.*s%s", kept, line, target ? label : "");
    return n > 0 && n < LOOP_LINE_MAX && is_instruction(out, machine);
}

/*
 * Brings the recorder from one program to the next, by the environment. Its two texts are removed
 * at a program's start and added again at an execve, if rooftop says that the next program can take
 * the recorder.
 */
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "recorder/recorder.h"

enum {
    TEXTS = 2 * SYSCALL_RING_PATH, /* bytes of the recorder's two texts */
    BLOCK = 8,                     /* pointers read at a time: the stack may be small */
    PAGE = 4096,
    STATUS = 18, /* words of struct stat */
    NO_SUCH_FILE = 2,
    NO_FOLDER = 20,
    ATTACHED_AND_INJECT = 2,
};

static const char preload[] = "LD_PRELOAD=", variable[] = SYSCALL_RING_VARIABLE "=";
static char identifier[16]; /* value of the recorder's variable */

static bool begins_with(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

/* Copies the text `from` to `to`. Returns the end, where a NUL is. */
static char *append_text(char *to, const char *from)
{
    while ((*to = *from))
        to++, from++;
    return to;
}

/* --- at the start --- */

static void remove_text(char **list)
{
    do
        list[0] = list[1];
    while (*list++);
}

/* Removes the text if only the recorder is preloaded; else only the recorder's path. */
static bool clean_preload(char **text)
{
    char *rest = *text + sizeof preload - 1;
    while (*rest && *rest != ':')
        rest++;
    if (!*rest)
        return false;
    *text = rest + 1 - (sizeof preload - 1);
    memcpy(*text, preload, sizeof preload - 1);
    return true;
}

const char *program_clean(char **environment)
{
    const char *found = NULL;
    for (char **e = environment; *e;) {
        const bool ours = begins_with(*e, variable);
        if (ours) {
            found = identifier;
            memcpy(identifier, *e + sizeof variable - 1, sizeof identifier - 1);
        }
        if (ours)
            remove_text(e);
        else
            e++;
    }
    for (char **e = environment; found && *e;) {
        if (!begins_with(*e, preload) || clean_preload(e))
            e++;
        else
            remove_text(e);
    }
    return found;
}

/* --- at execve --- */

/* Reads up to BLOCK pointers of a list, as far as its page goes. Returns how many; 0: unreadable.
 */
static long read_pointer_block(uint64_t *block, uint64_t at)
{
    const uint64_t left = (PAGE - at % PAGE) / sizeof *block;
    uint64_t n = left < BLOCK ? left : BLOCK;
    if (n == 0) /* a pointer across two pages */
        n = 1;
    return copy_in(block, at, n * sizeof *block) ? (long)n : 0;
}

/* Number of texts at a list of the program; -1: it cannot be read. */
static long count_texts(uint64_t list)
{
    uint64_t block[BLOCK];
    for (long n = 0; list;) {
        const long got = read_pointer_block(block, list + 8 * (uint64_t)n);
        if (!got)
            return -1;
        for (long i = 0; i < got; i++, n++)
            if (!block[i])
                return n;
    }
    return 0;
}

/* Appends the program's value of LD_PRELOAD as ":VALUE". false: it is too long. */
static bool add_others(char *to, uint64_t text)
{
    char c = 1;
    *to++ = ':';
    for (unsigned i = 0; c; i++) {
        if (i == SYSCALL_RING_PATH / 2 || !copy_in(&c, text + sizeof preload - 1 + i, 1))
            return false;
        to[i] = c;
    }
    return true;
}

/* Fills list with the program's texts and the recorder's. */
static bool fill_environment(uint64_t *list, char *texts, uint64_t from, long n)
{
    char *end = append_text(append_text(texts, preload), recorder_control->library);
    char head[sizeof preload] = "";
    uint64_t block[BLOCK];
    long m = 1, first = 0, got = 0;
    for (long i = 0; i < n; i++) {
        if (i == first + got) {
            first = i;
            got = read_pointer_block(block, from + 8 * (uint64_t)i);
            if (!got)
                return false;
        }
        list[m] = block[i - first];
        const bool readable = copy_in(head, list[m], sizeof preload - 1);
        if (!readable || !begins_with(head, preload))
            m++;
        else if (!add_others(end, list[m]))
            return false;
    }
    char *second = texts + SYSCALL_RING_PATH + SYSCALL_RING_PATH / 2 + 64;
    append_text(append_text(second, variable), identifier);
    list[0] = (uint64_t)texts;
    list[m++] = (uint64_t)second;
    list[m] = 0;
    return true;
}

/* Returns memory of this ring's task for n pointers and the recorder's texts. It is kept, because a
 * vfork child that executes leaves it to its parent. */
static uint64_t environment_room(struct syscall_ring *r, long n)
{
    const uint64_t size = TEXTS + 8 * ((uint64_t)n + 3);
    if (size <= r->environment_size)
        return r->environment;
    if (r->environment)
        CALL2(__NR_munmap, r->environment, r->environment_size);
    const uint64_t all = (size + 4095) & ~UINT64_C(4095);
    const long at =
        CALL6(__NR_mmap, 0, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool failed = call_failed(at);
    r->environment = failed ? 0 : (uint64_t)at;
    r->environment_size = failed ? 0 : all;
    return r->environment;
}

static void inject_environment(struct syscall_ring *r, struct frame *f, unsigned arg)
{
    const long n = count_texts(f->call[arg]);
    const uint64_t at = n < 0 ? 0 : environment_room(r, n);
    uint64_t *list = (uint64_t *)(at + TEXTS);
    if (at && fill_environment(list, (char *)at, f->call[arg], n))
        f->call[arg] = (uint64_t)list;
}

/* The error of an execve of a missing file, else 0. Shells try each folder of PATH, and rooftop
 * need not attach for a file that cannot be executed. */
static long missing_program_error(uint64_t path)
{
    uint64_t status[STATUS];
    const long rc = CALL4(__NR_newfstatat, AT_FDCWD, path, status, 0);
    return rc == -NO_SUCH_FILE || rc == -NO_FOLDER ? rc : 0;
}

/* Makes an execve that would fail return its error. */
static int refuse_execve(struct frame *f, long result)
{
    f->number = f->rax;
    f->entry = ring_entry(ring_here(), f);
    copies_entry(f);
    f->rax = (uint64_t)result;
    f->ended = ring_now();
    copies_return(f);
    ring_exit_of(ring_here(), f, (uint32_t)f->number, f->rax);
    return STEP_DONE;
}

int program_before_exec(struct frame *f)
{
    struct syscall_ring *r = ring_here();
    const bool at = f->rax == __NR_execveat;
    const long wrong = at ? 0 : missing_program_error(f->rdi);
    if (wrong)
        return refuse_execve(f, wrong);
    r->ask[0] = at ? f->rsi : f->rdi;
    r->ask[1] = at ? f->rdi : (uint64_t)AT_FDCWD;
    r->ask[2] = at ? f->r8 : 0;
    r->ask[3] = r->attached;
    const uint32_t answer = ring_ask(r, SYSCALL_WANT_ATTACH);
    r->attached = answer != 0;
    if (answer == ATTACHED_AND_INJECT)
        inject_environment(r, f, at ? 3 : 2);
    f->number = f->rax;
    masks_before_exec();
    f->entry = ring_entry(r, f);
    copies_entry(f);
    return STEP_MAKE;
}

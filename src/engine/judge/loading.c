#include "engine/judge/loading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "engine/judge/judge_impl.h"
#include "engine/value/text_file.h"

enum { LIBRARY_NAME = 128, WORD_BYTES = 8, OBJECT_MOST = 256 << 20 };
/* A tag that ld.so reads of programs only (gABI, "Dynamic Section"). */
enum { IGNORED = DT_DEBUG };
/* What of DT_INIT is compared: crti.o's and crtn.o's, of x86-64 the shortest that is known. */
enum { INIT_BYTES = 23, ADDRESS_BYTES = 4 };
/* How much of constructors is read to say what they are. */
enum { CONSTRUCTORS_READ = 8, SWITCH_BYTES = 32 };

/* Libraries of C and C++ compilers, without what stands behind ".so"; none that starts threads. */
static const char compilers[] =
    "libc libm libmvec libgcc_s libstdc++ libc++ libc++abi libunwind libgfortran libquadmath "
    "libatomic libpthread libdl librt ld-linux-x86-64 ld-linux-aarch64";

/* --- libraries --- */

static bool library_name(const struct loading *o, uint64_t name, char out[LIBRARY_NAME])
{
    const uint64_t names = loading_value(o, DT_STRTAB);
    const uint64_t room = name <= UINT64_MAX - names ? loading_room(o, names + name) : 0;
    const size_t most = room < LIBRARY_NAME ? (size_t)room : LIBRARY_NAME;
    const unsigned char *text = most ? loading_fixed(o, names + name, most) : NULL;
    const size_t n = text ? strnlen((const char *)text, most) : most;
    if (n == most)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

/* "libm" of "libm.so.6". */
static bool is_compilers(const char *name)
{
    char bare[LIBRARY_NAME];
    const char *end = strstr(name, ".so");
    if (!end || strpbrk(name, " /"))
        return false;
    memcpy(bare, name, (size_t)(end - name));
    bare[end - name] = '\0';
    return words_have(compilers, bare);
}

static bool needs_library(const struct loading *o, const char *library)
{
    char name[LIBRARY_NAME];
    for (uint64_t i = 0; i < o->ndynamic; i++) {
        const Elf64_Dyn entry = loading_entry(o, i);
        if (entry.d_tag == DT_NEEDED && library_name(o, entry.d_un.d_val, name) &&
            strcmp(name, library) == 0)
            return true;
    }
    return false;
}

static int check_library(const struct loading *o, uint64_t at, const struct loading *baseline)
{
    char name[LIBRARY_NAME];
    if (!library_name(o, at, name))
        return loading_unknown(o, "the names of its libraries are not in the file");
    if (is_compilers(name) || (!strchr(name, '/') && baseline && needs_library(baseline, name)))
        return 0;
    return judge_refuse(o->refused, GUARD_CONSTRUCTORS,
                        "it needs the library %.100s, whose code runs when it is loaded", name);
}

static const char *refusal_of_search_tag(Elf64_Sxword tag)
{
    switch (tag) {
    case DT_RPATH:
    case DT_RUNPATH:
        return "it says where its libraries are (RPATH)";
    case DT_AUDIT:
    case DT_DEPAUDIT:
        return "it has an auditing library (DT_AUDIT)";
    case DT_FILTER:
    case DT_AUXILIARY:
        return "it stands for another library (DT_FILTER)";
    default:
        return NULL;
    }
}

static int check_entries(const struct loading *o, const struct loading *baseline)
{
    int rc = 0;
    for (uint64_t i = 0; i < o->ndynamic && rc == 0; i++) {
        const Elf64_Dyn entry = loading_entry(o, i);
        if (refusal_of_search_tag(entry.d_tag))
            rc = judge_refuse(o->refused, GUARD_CONSTRUCTORS, "%s",
                              refusal_of_search_tag(entry.d_tag));
        else if (entry.d_tag == DT_NEEDED)
            rc = check_library(o, entry.d_un.d_val, baseline);
    }
    return rc;
}

void loading_libraries(const unsigned char *object, size_t n, void (*fn)(const char *name))
{
    struct loading o;
    struct judge_refusal ignored;
    char name[LIBRARY_NAME];
    if (loading_open(&o, object, n, &ignored) != 0 || loading_value(&o, DT_RPATH) ||
        loading_value(&o, DT_RUNPATH))
        return;
    for (uint64_t i = 0; i < o.ndynamic; i++) {
        const Elf64_Dyn entry = loading_entry(&o, i);
        if (entry.d_tag == DT_NEEDED && library_name(&o, entry.d_un.d_val, name))
            fn(name);
    }
}

/* --- what runs --- */

/*
 * The compiler's own start is the baseline's but for one address. It is not run, so that nothing
 * depends on this but what is said to an honest candidate that has more.
 */
static int check_init(const struct loading *o, const struct loading *baseline)
{
    const uint64_t is = loading_value(o, DT_INIT),
                   was = baseline ? loading_value(baseline, DT_INIT) : 0;
    const unsigned char *code = is ? loading_fixed(o, is, INIT_BYTES) : NULL,
                        *before = was ? loading_fixed(baseline, was, INIT_BYTES) : NULL;
    size_t first = INIT_BYTES, last = 0;
    for (size_t i = 0; code && before && i < INIT_BYTES; i++)
        if (code[i] != before[i]) {
            first = i < first ? i : first;
            last = i;
        }
    if (!is || (code && before && (first > last || last - first < ADDRESS_BYTES)))
        return 0;
    return judge_refuse(o->refused, GUARD_CONSTRUCTORS,
                        "its _init, which runs when it is loaded, is not the baseline's; "
                        "-nostartfiles leaves it out");
}

/* Whether a function's first bytes switch denormal numbers off, by the register that says how real
 * numbers are computed. */
static bool flushes_denormals(const unsigned char *code, size_t n)
{
#if defined(__aarch64__)
    for (size_t at = 0; at + 4 <= n; at += 4) {
        uint32_t word;
        memcpy(&word, code + at, sizeof word);
        if ((word & ~UINT32_C(0x1f)) == 0xd51b4400) /* msr fpcr, x0 to x30 */
            return true;
    }
    return false;
#else
    static const unsigned char bits[] = {0x40, 0x80, 0, 0}, load[] = {0x0f, 0xae};
    const unsigned char *mask = memmem(code, n, bits, sizeof bits); /* DAZ and FTZ */
    return mask && memmem(mask, n - (size_t)(mask - code), load, sizeof load);
#endif
}

/*
 * Whether one constructor is what compilers link for fast math (crtfastmath.o). Its bytes differ
 * from version to version, and prove nothing: they only choose what an honest candidate is told.
 */
static bool starts_fast_math(const struct loading *o)
{
    const uint64_t array = loading_value(o, DT_INIT_ARRAY),
                   n = loading_value(o, DT_INIT_ARRAYSZ) / WORD_BYTES;
    for (uint64_t i = 0; i < n && i < CONSTRUCTORS_READ; i++) {
        const uint64_t at = loading_pointer(o, array + i * WORD_BYTES),
                       room = at ? loading_room(o, at) : 0,
                       size = room < SWITCH_BYTES ? room : SWITCH_BYTES;
        const unsigned char *code = loading_fixed(o, at, size);
        if (code && flushes_denormals(code, size))
            return true;
    }
    return false;
}

static int check_constructors(const struct loading *o)
{
    const uint64_t n = loading_value(o, DT_INIT_ARRAYSZ) / WORD_BYTES,
                   more = loading_value(o, DT_PREINIT_ARRAYSZ) / WORD_BYTES;
    if (n <= 1 && more == 0)
        return 0;
    if (n == 2 && more == 0 && starts_fast_math(o))
        return judge_refuse(o->refused, GUARD_CONSTRUCTORS,
                            "a function that switches denormal numbers off runs when it is loaded: "
                            "linking with -ffast-math or -Ofast adds it; -nostartfiles leaves it "
                            "out, and --allow constructors loads it as it is");
    return judge_refuse(o->refused, GUARD_CONSTRUCTORS,
                        "functions that run when it is loaded, beside the compiler's own: %llu "
                        "(constructors, or variables of C++ that need some)",
                        (unsigned long long)(n > 0 ? n - 1 + more : more));
}

static bool is_code_run_at_load(Elf64_Sxword tag)
{
    return tag == DT_INIT || tag == DT_INIT_ARRAY || tag == DT_INIT_ARRAYSZ ||
           tag == DT_PREINIT_ARRAY || tag == DT_PREINIT_ARRAYSZ || tag == DT_FINI ||
           tag == DT_FINI_ARRAY || tag == DT_FINI_ARRAYSZ;
}

int loading_strip(unsigned char *object, size_t n, const unsigned char *baseline, size_t nbaseline,
                  struct judge_refusal *refused)
{
    struct judge_refusal ignored;
    struct loading o, other;
    const struct loading *known = NULL;
    if (loading_open(&other, baseline, nbaseline, &ignored) == 0)
        known = &other;
    if (loading_open(&o, object, n, refused) != 0 || check_constructors(&o) != 0 ||
        check_entries(&o, known) != 0 || loading_check_relocations(&o) != 0 ||
        check_init(&o, known) != 0)
        return 1;
    for (uint64_t i = 0; i < o.ndynamic; i++) {
        Elf64_Dyn entry = loading_entry(&o, i);
        if (!is_code_run_at_load(entry.d_tag))
            continue;
        entry.d_tag = IGNORED;
        memcpy(object + o.dynamic + i * sizeof entry, &entry, sizeof entry);
    }
    return 0;
}

static int write_copy(const char *to, const char *bytes, size_t n, struct error *err)
{
    FILE *f = fopen(to, "wbe");
    bool ok = f && fwrite(bytes, 1, n, f) == n; /* raw: a copy of a file */
    ok = f && fclose(f) == 0 && ok;
    const int code = errno;
    return ok ? 0
              : error_set(err, ERROR_OUTPUT, code, "TMPDIR names another folder", to,
                          "the object cannot be copied: %s", strerror(code));
}

int loading_strip_file(const char *object, const char *baseline, const char *to,
                       struct judge_refusal *refused, struct error *err)
{
    char *is = NULL, *was = NULL;
    size_t n = 0, nwas = 0;
    int rc = text_file_read_most(&was, &nwas, baseline, OBJECT_MOST, err);
    if (rc == 0)
        rc = text_file_read_most(&is, &n, object, OBJECT_MOST, err);
    if (rc == 0)
        rc = loading_strip((unsigned char *)is, n, (const unsigned char *)was, nwas, refused);
    if (rc == 0)
        rc = write_copy(to, is, n, err);
    free(is);
    free(was);
    return rc;
}

/* --- the same --- */

static Elf64_Phdr program_header(const struct loading *o, size_t i)
{
    Elf64_Phdr part;
    memcpy(&part, o->bytes + o->head.e_phoff + i * sizeof part, sizeof part);
    return part;
}

/* Clears notes, and what the file's head says of parts that are not loaded: what is left is what a
 * process gets. */
static void clear_unseen(struct loading *o, unsigned char *bytes)
{
    Elf64_Ehdr head = o->head;
    head.e_shoff = 0;
    head.e_shnum = head.e_shstrndx = 0;
    memcpy(bytes, &head, sizeof head);
    for (size_t i = 0; i < o->head.e_phnum; i++) {
        const Elf64_Phdr note = program_header(o, i);
        if (note.p_type == PT_NOTE && note.p_offset <= o->n &&
            note.p_filesz <= o->n - note.p_offset)
            memset(bytes + note.p_offset, 0, note.p_filesz);
    }
}

static bool same_parts(const struct loading *a, const struct loading *b)
{
    if (a->head.e_phnum != b->head.e_phnum)
        return false;
    for (size_t i = 0; i < a->head.e_phnum; i++) {
        const Elf64_Phdr one = program_header(a, i), other = program_header(b, i);
        if (memcmp(&one, &other, sizeof one) != 0 ||
            (one.p_type == PT_LOAD &&
             memcmp(a->bytes + one.p_offset, b->bytes + other.p_offset, one.p_filesz) != 0))
            return false;
    }
    return true;
}

bool loading_same_files(const char *one, const char *other)
{
    struct judge_refusal refused;
    struct error err = ERROR_INIT;
    struct loading o[2];
    char *bytes[2] = {NULL, NULL};
    const char *const paths[2] = {one, other};
    bool same = true;
    for (int i = 0; i < 2 && same; i++) {
        size_t n = 0;
        same = text_file_read_most(&bytes[i], &n, paths[i], OBJECT_MOST, &err) == 0 &&
               loading_open(&o[i], (unsigned char *)bytes[i], n, &refused) == 0;
        if (same)
            clear_unseen(&o[i], (unsigned char *)bytes[i]);
    }
    same = same && same_parts(&o[0], &o[1]);
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

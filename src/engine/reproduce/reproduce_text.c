/* Writes the texts of the folder: how to build, run and profile the kernel, and what the folder
 * contains. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/shell_word.h"
#include "engine/reproduce/copy_tree.h"
#include "engine/reproduce/reproduce.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"

#define FLAGS "flags.txt"

/* --- flags.txt: one word a line, quoted as compilers read such files --- */

static void write_quoted_flag(FILE *out, const char *before, const char *word)
{
    const char *parts[] = {before, word};
    putc('"', out);
    for (int i = 0; i < 2; i++)
        for (const char *p = parts[i]; *p; p++) {
            if (*p == '"' || *p == '\\')
                putc('\\', out);
            putc(*p, out); /* raw: a compiler reads it, so the bytes must not change */
        }
    putc('"', out);
}

static void put_word(FILE *out, const char *word)
{
    write_quoted_flag(out, "", word);
    putc('\n', out);
}

/* The path of a file for the build: in source/ if it was copied, else its place on this machine. */
static const char *build_path(const struct reproduction *r, const char *path, char out[PATH_MAX])
{
    const char *below = source_tree_below(&r->tree, path);
    if (!below)
        return path;
    snprintf(out, PATH_MAX, "source%s%s", *below ? "/" : "", below);
    return out;
}

static void put_path(FILE *out, const struct reproduction *r, const char *flag, const char *path,
                     bool joined)
{
    char text[PATH_MAX];
    const char *to = build_path(r, path, text);
    if (joined) {
        write_quoted_flag(out, flag, to);
        putc('\n', out);
    } else {
        put_word(out, flag);
        put_word(out, to);
    }
}

static void put_device_flags(FILE *out, const struct reproduction *r)
{
    fputs("--cuda-device-only\n--no-gpu-bundle-output\n", out);
    write_quoted_flag(out, "--offload-arch=", r->target);
    putc('\n', out);
    if (!r->build.optimises)
        fputs("-O3\n", out);
    for (size_t i = 0; i < r->build.n; i++) {
        const struct device_word *w = &r->build.words[i];
        if (w->path)
            put_path(out, r, w->flag, w->path, w->joined);
        else
            put_word(out, w->flag);
    }
    fputs("-x\nhip\n", out);
    put_word(out, build_path(r, r->main, (char[PATH_MAX]){0}));
}

/* Flags for a kernel of Triton, which is built from the assembly that Triton's compiler left. */
static void put_assembly_flags(FILE *out, const struct reproduction *r)
{
    fputs("-target\namdgcn-amd-amdhsa\n", out);
    write_quoted_flag(out, "-mcpu=", r->target);
    fputs("\n-x\nassembler\n", out);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "triton/%s.amdgcn", r->triton.name);
    put_word(out, path);
}

static void write_build_flags(FILE *out, const struct reproduction *r)
{
    if (r->triton.name)
        put_assembly_flags(out, r);
    else
        put_device_flags(out, r);
}

/* --- Makefile --- */

/* The compiler for the Makefile: the recorded one if it compiles for these GPUs and its name needs
 * no quoting in make and shell. */
static const char *compiler_of(const struct reproduction *r)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_+./";
    const char *name = r->build.compiler, *slash = name ? strrchr(name, '/') : NULL;
    const char *base = slash ? slash + 1 : name;
    const bool fits = name && !strchr("-+", *name) && name[strspn(name, plain)] == '\0' &&
                      (strstr(base, "clang") || strstr(base, "hipcc"));
    if (r->triton.name)
        return "clang";
    return fits ? name : "clang++";
}

static void write_makefile(FILE *out, const struct reproduction *r)
{
    print_text(out,
               "# make: builds kernel.hsaco from source/ with the words of " FLAGS
               ". make replay: and replays it.\n"
               "# make COMPILER=/opt/rocm/llvm/bin/clang++ EXTRA='-O2 -g': with another one, with "
               "more flags.\n"
               "COMPILER ?= %s\nEXTRA    ?=\n"
               "kernel.hsaco: FORCE\n\t$(COMPILER) @" FLAGS " $(EXTRA) -o $@\n",
               compiler_of(r));
    fputs("replay: FORCE\n\t./replay.sh\n"
          "profile: kernel.hsaco\n\t./profile.sh\n"
          "clean:\n\trm -f kernel.hsaco\n"
          "FORCE:\n.PHONY: FORCE replay profile clean\n",
          out);
}

/* --- scripts --- */

/* The script enters its folder, whatever that is called and wherever CDPATH leads. */
static void put_enter(FILE *out)
{
    fputs("set -eu\ncase $0 in */*) CDPATH='' cd -- \"${0%/*}/\" ;; esac\n", out);
}

static void write_replay(FILE *out, const struct reproduction *r)
{
    fputs("#!/bin/sh\n", out);
    if (r->capture->has_after)
        fputs("# Builds kernel.hsaco, launches it from the captured memory, and compares memory "
              "afterwards with what was\n# captured: status 0 equal, 9 different. Options go to "
              "rooftop gpu replay full-vm: --iterations, --tolerance, --json.\n",
              out);
    else
        fputs("# Builds kernel.hsaco, launches it and the captured code object from the captured "
              "memory, and compares what\n# they leave and how long they take: status 0 equal, 9 "
              "different. Options go to rooftop gpu replay compare.\n",
              out);
    put_enter(out);
    fputs("make -s kernel.hsaco\n", out);
    fputs(r->capture->has_after
              ? "exec \"${ROOFTOP:-rooftop}\" replay full-vm --capture-dir capture --hsaco "
                "kernel.hsaco --verify \"$@\"\n"
              : "exec \"${ROOFTOP:-rooftop}\" replay compare --capture-dir capture \"$@\" captured "
                "kernel.hsaco\n",
          out);
}

static void write_profile(FILE *out, const struct reproduction *r)
{
    (void)r;
    fputs("#!/bin/sh\n# Replays kernel.hsaco (the captured one, where it was not built) under "
          "rocprofv3. Options go to rocprofv3:\n# --pmc SQ_WAVES, --att, --kernel-trace (unless "
          "others are given). What it writes goes below profile/.\n",
          out);
    put_enter(out);
    fputs("[ $# -gt 0 ] || set -- --kernel-trace\n"
          "code=kernel.hsaco\n[ -e $code ] || code=capture/kernel.hsaco\n"
          "exec \"${ROCPROFV3:-rocprofv3}\" \"$@\" -d profile -- \\\n"
          "    \"${ROOFTOP:-rooftop}\" replay full-vm --capture-dir capture --hsaco $code "
          "--iterations \"${ITERATIONS:-10}\"\n",
          out);
}

/* --- README.md --- */

/* Writes the text as a code span of Markdown. Its fence is longer than each run of backquotes in
 * the text (spec.commonmark.org/0.31.2, 6.1). */
static void write_code_span(FILE *out, const char *text)
{
    static const char most[] = "````````````````````";
    int fence = 1, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        fence = run >= fence && run + 1 < (int)sizeof most ? run + 1 : fence;
    }
    const char *space = fence > 1 ? " " : "";
    print_text(out, "%.*s%s%s%s%.*s", fence, most, space, text, space, fence, most);
}

/* The file of the kernel, and how it was found. */
static void put_place(FILE *out, const struct reproduction *r)
{
    static const char *const how[] = {
        [REPRODUCE_NAMED] = "as it was named",
        [REPRODUCE_TRITON] = "from Triton's cache",
        [REPRODUCE_LINES] = "found by the line tables of the captured code object",
        [REPRODUCE_COMMANDS] = "found by the kernel's name",
    };
    char to[PATH_MAX] = "";
    fputs("The kernel is in ", out);
    write_code_span(out, build_path(r, r->main, to));
    print_text(out, ", %s.%s\n\n", how[r->by],
               r->build.known ? "" : " How it was compiled is not known.");
}

static void put_origin(FILE *out, const struct reproduction *r)
{
    print_text(out, "## Source\n\n");
    if (r->triton.name)
        print_text(out,
                   "A kernel of Triton's: `triton/` has what its compiler kept (`%s.json`: the "
                   "options it was compiled\nwith), `source/` the Python that its intermediate "
                   "forms name. `make` assembles `triton/%s.amdgcn`;\nafter a change of the Python "
                   "let Triton compile it (`TRITON_ALWAYS_COMPILE=1`), and hand the new code\n"
                   "object to `rooftop gpu replay compare --capture-dir capture NEW.hsaco`.\n\n",
                   r->triton.name, r->triton.name);
    else
        put_place(out, r);
    if (r->tree.root) {
        fputs("`source/` was ", out);
        write_code_span(out, *r->tree.root ? r->tree.root : "/");
        fputs(":\n\n", out);
    }
    for (size_t i = 0; i < r->tree.n; i++) {
        fputs("- ", out);
        write_code_span(out, r->tree.files[i].below);
        fputs(r->tree.files[i].newer ? " (changed after the capture)\n" : "\n", out);
    }
    fputs("\nHeaders of the compiler, of ROCm and of the system are those of the machine that "
          "builds.\n\n",
          out);
}

static void put_capture(FILE *out, const struct capture *c, const char *target)
{
    char launch[LAUNCH_TEXT];
    uint32_t blocks[3];
    print_text(out, "# %s\n\n", c->demangled_name);
    print_text(out,
               "One launch of this kernel, captured with rooftop %s, in a folder that stands "
               "alone.\n\n"
               "| | |\n|---|---|\n| GPU | %s %s |\n| grid, block | %s |\n"
               "| dispatch | %llu of its kernel%s%s |\n\n",
               c->tool_version, c->product_name, target,
               value_launch_sizes(value_blocks(c->grid, c->block, blocks), c->block, launch),
               (unsigned long long)c->dispatch_index, *c->time ? ", " : "", c->time);
    if (*c->command) /* quoted for a shell already */
        print_text(out, "It was captured from this command:\n\n    %s\n\n", c->command);
}

static void write_readme(FILE *out, const struct reproduction *r)
{
    char *source = shell_path(r->main && source_tree_below(&r->tree, r->main)
                                  ? build_path(r, r->main, (char[PATH_MAX]){0})
                                  : "FILE");
    put_capture(out, r->capture, r->target);
    print_text(out,
               "To build, replay and profile it:\n\n"
               "    make            # builds kernel.hsaco: `%s @" FLAGS "`\n"
               "    ./replay.sh     # builds it, launches it from the captured memory, %s\n"
               "    ./profile.sh    # under rocprofv3; ./profile.sh --pmc SQ_WAVES\n\n"
               "This does the first two at each save:\n\n"
               "    rooftop gpu replay edit --capture-dir capture --source %s --build \\\n"
               "        'make -s && cp kernel.hsaco {out}'\n\n"
               "`ROOFTOP`, `ROCPROFV3` name other programs. Needed: a GPU of that kind, ROCm 6.0 "
               "or later, rooftop.\n\n",
               compiler_of(r),
               r->capture->has_after ? "compares memory afterwards with the program's own"
                                     : "compares with the captured code object",
               source);
    free(source);
    put_origin(out, r);
    if (r->nnotes)
        fputs("## To know\n\n", out);
    for (size_t i = 0; i < r->nnotes; i++)
        print_text(out, "- %s\n", r->notes[i]);
}

/* --- reproduce.json --- */

#define TYPE struct source_file
static const struct fields file_record = RECORD_OF(
    NAMED(TEXT, below, "file"), NAMED(TEXT, path, "from"), NAMED(BOOL, newer, "changed_since"));
#undef TYPE

cJSON *reproduce_json(const struct reproduction *r)
{
    static const char *const by[] = {"option", "triton", "line tables", "name"};
    char text[PATH_MAX];
    cJSON *j = document_begin("rooftop.reproduction/1");
    json_add_text(j, "kernel", r->capture->demangled_name);
    json_add_text(j, "mangled_name", r->capture->mangled_name);
    json_add_text(j, "target", r->target);
    json_add_text(j, "source", r->main && !r->triton.name ? build_path(r, r->main, text) : NULL);
    json_add_text(j, "found_by", by[r->by]);
    json_add_text(j, "triton", r->triton.name);
    json_add_text(j, "compiler", compiler_of(r));
    cJSON_AddBoolToObject(j, "command_known", r->build.known || r->triton.name);
    cJSON_AddBoolToObject(j, "after", r->capture->has_after);
    json_add_u64(j, "capture_bytes", r->capture_bytes);
    json_add_text(j, "root", r->tree.root);
    record_add_rows(j, "files", file_record, r->tree.files, r->tree.n);
    cJSON *notes = cJSON_AddArrayToObject(j, "notes");
    for (size_t i = 0; i < r->nnotes; i++) {
        char *clean = text_utf8(r->notes[i], strlen(r->notes[i]));
        cJSON_AddItemToArray(notes, cJSON_CreateString(clean));
        free(clean);
    }
    return j;
}

static void write_reproduction_json(FILE *out, const struct reproduction *r)
{
    cJSON *j = reproduce_json(r);
    document_end(out, j);
}

/* --- all of them --- */

int reproduce_write_texts(const struct reproduction *r, const char *folder, struct error *err)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out, const struct reproduction *r);
        unsigned mode;
    } texts[] = {
        {FLAGS, write_build_flags, 0666},
        {"Makefile", write_makefile, 0666},
        {"replay.sh", write_replay, 0777},
        {"profile.sh", write_profile, 0777},
        {"reproduce.json", write_reproduction_json, 0666},
        {"README.md", write_readme, 0666},
    };
    char path[PATH_MAX], *text;
    size_t n;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof texts / sizeof *texts; i++) {
        FILE *out = open_memstream(&text, &n);
        texts[i].write(out, r);
        fclose(out);
        snprintf(path, sizeof path, "%.4000s/%s", folder, texts[i].name);
        rc = copy_text(text, n, path, texts[i].mode, err);
        free(text);
    }
    return rc;
}

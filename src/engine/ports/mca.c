#include "engine/ports/mca.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/toolbox.h"
#include "base/watch.h"

enum { TRIES_MAX = 64, OUTPUT_MAX = 64 << 20 };
enum { ITERATIONS = 1000, LINES_OF_MANY = 200, ITERATIONS_OF_MANY = 100 };
/* How long one run of llvm-mca may take, and how long all runs together. */
static const uint64_t RUN_NS = 30000000000u, ALL_NS = 60000000000u;

const char mca_error[] =
    "a model: L1 hits, branches predicted, no limits of fetch and decode; for such models on Intel "
    "cores a mean error of 9 to 36 % was published (uiCA, A. Abel and J. Reineke, ICS 2022); three "
    "loops on a Zen 4 took 0, 5 and 30 % less than predicted (docs/PORTS.md)";

/* --- llvm-mca's output --- */

static double read_mca_number(const cJSON *j, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);
    return cJSON_IsNumber(v) && isfinite(v->valuedouble) ? v->valuedouble : 0;
}

char mca_pipe(const char *port)
{
    static const char *const of_s[] = {"AGU", "LSU", "Load", "Store", "FPSt", "UnitL", "UnitD"};
    const char *intel = strstr(port, "Port");
    for (size_t i = 0; i < sizeof of_s / sizeof *of_s; i++)
        if (strstr(port, of_s[i]))
            return 'S';
    if (strstr(port, "BRU") || strstr(port, "UnitB"))
        return 'C';
    if (!intel || !isdigit((unsigned char)intel[4]))
        return 'D';
    long number = strtol(intel + 4, NULL, 10); /* "Port49" is 4 and 9 */
    switch (number > 11 ? intel[4] - '0' : number) {
    case 2:
    case 3:
    case 4:
    case 7:
    case 8:
    case 9:
    case 11:
        return 'S';
    case 6:
        return 'C';
    default:
        return 'D';
    }
}

/* Copies a name without control characters. Adds a number to a unit of a resource ("Zn4FP."). */
static void name_port(struct mca_model *m, size_t i, const char *name)
{
    size_t n = 0, before = 0;
    char *out = m->ports[i].name;
    for (; *name && n + 5 < MCA_NAME_MAX; name++)
        if (isalnum((unsigned char)*name) || strchr("._-", *name))
            out[n++] = *name;
    bool unit = n && out[n - 1] == '.';
    out[n] = '\0';
    for (size_t k = i; unit && k-- > 0 && strncmp(m->ports[k].name, out, n) == 0;)
        before++;
    if (unit)
        snprintf(out + n, MCA_NAME_MAX - n, "%zu", before < 999 ? before : 999);
    m->ports[i].pipe = mca_pipe(out);
}

static void read_ports(struct mca_model *m, const cJSON *region, const cJSON *resources, size_t n)
{
    const cJSON *name, *use;
    cJSON_ArrayForEach(name, resources) if (cJSON_IsString(name) && m->nports < MCA_PORTS_MAX)
        name_port(m, m->nports++, name->valuestring);
    const cJSON *view = cJSON_GetObjectItemCaseSensitive(region, "ResourcePressureView");
    cJSON_ArrayForEach(use, cJSON_GetObjectItemCaseSensitive(view, "ResourcePressureInfo"))
    {
        double line = read_mca_number(use, "InstructionIndex"),
               port = read_mca_number(use, "ResourceIndex");
        double cycles = read_mca_number(use, "ResourceUsage");
        if (line >= 0 && line < (double)n && port >= 0 && port < (double)m->nports && cycles > 0)
            m->ports[(size_t)port].cycles += cycles;
    }
}

static void read_mca_lines(struct mca_line *const *lines, size_t n, const cJSON *region)
{
    const cJSON *row;
    const cJSON *view = cJSON_GetObjectItemCaseSensitive(region, "InstructionInfoView");
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(view, "InstructionList"))
    {
        double i = read_mca_number(row, "Instruction");
        if (i < 0 || i >= (double)n)
            continue;
        lines[(size_t)i]->latency = read_mca_number(row, "Latency");
        lines[(size_t)i]->between = read_mca_number(row, "RThroughput");
    }
}

/* Finds what limits the speed of an iteration. */
static void find_bound(struct mca_model *m)
{
    double port = 0, dispatch = m->width > 0 ? m->uops / m->width : 0;
    m->busiest = m->nports;
    for (size_t i = 0; i < m->nports; i++)
        if (m->ports[i].cycles > port) {
            port = m->ports[i].cycles;
            m->busiest = i;
        }
    double without = port > dispatch ? port : dispatch;
    m->throughput = m->throughput > without ? m->throughput : without;
    if (m->cycles > 1.1 * m->throughput)
        m->bound = MCA_BY_DEPENDENCIES;
    else
        m->bound = port >= dispatch ? MCA_BY_PORT : MCA_BY_DISPATCH;
}

int mca_parse(const char *json, struct mca_line *const *lines, size_t n, struct mca_model *out,
              struct error *err)
{
    cJSON *doc = cJSON_Parse(json);
    const cJSON *region =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(doc, "CodeRegions"), 0);
    const cJSON *sum = cJSON_GetObjectItemCaseSensitive(region, "SummaryView");
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(doc, "TargetInfo");
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(target, "CPUName");
    double iterations = read_mca_number(sum, "Iterations"),
           cycles = read_mca_number(sum, "TotalCycles");
    bool good = iterations >= 1 && iterations <= 1e9 && cycles > 0;
    if (good) {
        *out = (struct mca_model){.instructions = (unsigned)n,
                                  .iterations = (unsigned)iterations,
                                  .cycles = cycles / iterations,
                                  .ipc = read_mca_number(sum, "Instructions") / cycles,
                                  .uops = read_mca_number(sum, "TotaluOps") / iterations,
                                  .width = read_mca_number(sum, "DispatchWidth"),
                                  .throughput = read_mca_number(sum, "BlockRThroughput")};
        for (const char *p = cJSON_IsString(cpu) ? cpu->valuestring : ""; *p; p++)
            if (isalnum((unsigned char)*p) || strchr("._-", *p))
                snprintf(out->cpu + strlen(out->cpu), sizeof out->cpu - strlen(out->cpu), "%c", *p);
        read_ports(out, region, cJSON_GetObjectItemCaseSensitive(target, "Resources"), n);
        read_mca_lines(lines, n, region);
        find_bound(out);
    }
    cJSON_Delete(doc);
    return good ? 0
                : error_set(err, ERROR_INPUT, EINVAL, NULL, "llvm-mca",
                            "its output has no summary of a loop");
}

/* --- running llvm-mca --- */

struct mca_run {
    struct toolbox_tool tool;
    const char *cpu;
    enum code_machine machine;
    unsigned tries;
    uint64_t end_ns; /* when all runs must have ended */
};

static const char *triple_of_machine(enum code_machine machine)
{
    return machine == MACHINE_ARM64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

/* Runs llvm-mca on some lines. Returns its exit status or -errno; *text: its output, to be freed.
 */
static int run_lines(struct mca_run *r, struct mca_line *const *lines, size_t n, char **text)
{
    char file[64], cpu[MCA_NAME_MAX + 16], count[32], triple_option[64], *code = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&code, &size);
    *text = NULL;
    if (!f)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s\n", lines[i]->text); /* raw: loop_line has checked it */
    fclose(f);
    int fd = child_file(code, size, file);
    free(code);
    if (fd < 0)
        return -errno;
    snprintf(cpu, sizeof cpu, "--mcpu=%s", r->cpu);
    snprintf(triple_option, sizeof triple_option, "--mtriple=%s", triple_of_machine(r->machine));
    snprintf(count, sizeof count, "--iterations=%d",
             n > LINES_OF_MANY ? ITERATIONS_OF_MANY : ITERATIONS);
    char *const argv[] = {r->tool.path, "--json", triple_option, cpu, count, file, NULL};
    uint64_t now = env_now_ns(), left = r->end_ns > now ? r->end_ns - now : 0;
    int code_of_exit = child_run(argv, left < RUN_NS ? left : RUN_NS, OUTPUT_MAX, text);
    r->tries++;
    close(fd);
    return code_of_exit;
}

/* Whether llvm-mca ran too often or for too long, or the user cancelled. */
static bool is_mca_given_up(const struct mca_run *r)
{
    return r->tries >= TRIES_MAX || env_now_ns() >= r->end_ns || watch_given_up();
}

static bool does_mca_take(struct mca_run *r, struct mca_line *const *lines, size_t n)
{
    char *text = NULL;
    int code = is_mca_given_up(r) ? -ECANCELED : run_lines(r, lines, n, &text);
    free(text);
    return code == 0;
}

/* Fails if the runs were given up. */
static int check_time(const struct mca_run *r, struct error *err)
{
    if (watch_given_up())
        return error_set(err, ERROR_UNSUPPORTED, ECANCELED, NULL, r->tool.name, "it was given up");
    if (env_now_ns() >= r->end_ns)
        return error_set(err, ERROR_UNSUPPORTED, ETIMEDOUT, NULL, r->tool.name,
                         "it took longer than %d seconds, in %u runs", (int)(ALL_NS / 1000000000u),
                         r->tries);
    return 0;
}

/* Finds the lines that the tool knows, by bisection: one unknown line makes a whole run fail. */
static void mark_known(struct mca_run *r, struct mca_line *const *lines, size_t n)
{
    bool good = does_mca_take(r, lines, n);
    for (size_t i = 0; i < n; i++)
        lines[i]->known = good;
    if (good || n == 1)
        return;
    mark_known(r, lines, n / 2);
    mark_known(r, lines + n / 2, n - n / 2);
}

/* Whether the tool has a model of the core: then it accepts a nop. */
static bool has_model(struct mca_run *r)
{
    struct mca_line nop = {.text = "nop"}, *one = &nop;
    return does_mca_take(r, &one, 1);
}

static const char *why_run_failed(int code)
{
    if (code == -ETIMEDOUT)
        return "it took longer than 30 seconds";
    return code == -ECANCELED ? "it was given up" : "it failed on the loop";
}

static int model_known(struct mca_run *r, struct mca_line **lines, size_t n, struct mca_model *out,
                       struct error *err)
{
    char *text = NULL;
    int code = run_lines(r, lines, n, &text), rc;
    if (code == 0)
        rc = mca_parse(text, lines, n, out, err);
    else
        rc = error_set(err, ERROR_UNSUPPORTED, code < 0 ? -code : EINVAL, NULL, r->tool.name, "%s",
                       why_run_failed(code));
    free(text);
    return rc;
}

static const char *usual_cpu(enum code_machine machine)
{
#ifdef __aarch64__
    return machine == MACHINE_ARM64 ? "native" : "x86-64";
#else
    return machine == MACHINE_ARM64 ? "neoverse-n2" : "native";
#endif
}

static bool is_cpu_name(const char *cpu)
{
    return *cpu && strlen(cpu) < MCA_NAME_MAX &&
           strspn(cpu, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+") ==
               strlen(cpu);
}

int mca_run(struct mca_line *lines, size_t n, enum code_machine machine, const char *cpu,
            struct mca_model *out, struct error *err)
{
    struct mca_run r = {.cpu = cpu ? cpu : usual_cpu(machine), .machine = machine};
    struct mca_line *list[MCA_LINES_MAX];
    size_t kept = 0;
    if (!is_cpu_name(r.cpu))
        return error_set(err, ERROR_USAGE, EINVAL, "znver4, sapphirerapids, neoverse-v2", "--mcpu",
                         "'%.40s' is no name of a core", r.cpu);
    int rc = toolbox_find(TOOLBOX_LLVM_MCA, NULL, &r.tool, err);
    if (rc != 0)
        return rc;
    r.end_ns = env_now_ns() + ALL_NS;
    bool model = has_model(&r);
    rc = check_time(&r, err);
    if (rc != 0)
        return rc;
    if (!model)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
                         "name a core that it knows: --mcpu znver4, or install a newer LLVM",
                         r.tool.name, "it has no model of %s", r.cpu);
    for (size_t i = 0; i < n && i < MCA_LINES_MAX; i++)
        list[i] = &lines[i];
    n = n < MCA_LINES_MAX ? n : MCA_LINES_MAX;
    mark_known(&r, list, n);
    rc = check_time(&r, err);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (lines[i].known)
            list[kept++] = &lines[i];
    if (kept == 0)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, r.tool.name,
                         "it knows none of the loop's instructions");
    rc = model_known(&r, list, kept, out, err);
    snprintf(out->tool, sizeof out->tool, "%.63s", r.tool.name);
    out->left_out = (unsigned)(n - kept);
    return rc;
}

/* --- code in memory --- */

/* Gives the code to llvm-mc, as "0x48 0x8b". *text: its output, or NULL; the caller frees it. */
static int disassemble_code(const struct toolbox_tool *tool, const uint8_t *code, size_t size,
                            enum code_machine machine, char **text)
{
    char file[64], option[64], *hex = xcalloc(size + 1, 5);
    for (size_t i = 0; i < size; i++)
        snprintf(hex + 5 * i, 6, "0x%02x ", code[i]);
    int fd = child_file(hex, 5 * size, file);
    free(hex);
    if (fd < 0)
        return -errno;
    snprintf(option, sizeof option, "--triple=%s", triple_of_machine(machine));
    char *const argv[] = {(char *)tool->path, "--disassemble", option, file, NULL};
    int rc = child_run(argv, RUN_NS, OUTPUT_MAX, text);
    close(fd);
    return rc;
}

int mca_run_code(const void *code, size_t size, enum code_machine machine, const char *cpu,
                 struct mca_model *out, struct error *err)
{
    struct toolbox_tool tool;
    char *text = NULL, *rest = NULL;
    size_t n = 0;
    int rc =
        toolbox_find(TOOLBOX_LLVM_MCA, NULL, &tool, err); /* first: its error is the one to show */
    if (rc == 0)
        rc = toolbox_find(TOOLBOX_LLVM_MC, NULL, &tool, err);
    if (rc != 0)
        return rc;
    rc = disassemble_code(&tool, code, size, machine, &text);
    if (rc != 0) {
        free(text);
        return error_set(err, ERROR_UNSUPPORTED, rc < 0 ? -rc : EINVAL, NULL, tool.name,
                         "it could not disassemble the code");
    }
    struct mca_line *lines = xcalloc(MCA_LINES_MAX, sizeof *lines);
    char(*texts)[LOOP_LINE_MAX] = xcalloc(MCA_LINES_MAX, sizeof *texts);
    for (char *line = strtok_r(text, "\n", &rest); line && n < MCA_LINES_MAX;
         line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, "\t ");
        for (char *tab = line; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        if (*line == '.' || !loop_line(line, machine, texts[n]))
            continue;
        lines[n].text = texts[n];
        n++;
    }
    rc = n ? mca_run(lines, n, machine, cpu, out, err)
           : error_set(err, ERROR_INPUT, EINVAL, NULL, tool.name, "it knows none of the code");
    free(lines);
    free(texts);
    free(text);
    return rc;
}

/* Options as rocprofv3 of ROCm 7.0 has them (rocprofiler-sdk, source/bin/rocprofv3.py). */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "../rocpd_sql.h"
#include "fake.h"

enum { COUNTERS_MAX = 64 };

struct call {
    bool traces[5], att;
    const char *input, *format, *folder, *regex;
    char *counters[COUNTERS_MAX];
    int ncounters;
    char **command;
    char line[8192]; /* of the input file */
};

static const char *const traces[] = {"--kernel-trace", "--hip-trace", "--hsa-trace",
                                     "--memory-copy-trace", "--marker-trace"};

static int refuse(const char *what, const char *on)
{
    fprintf(stderr, "rocprofv3: error: %s: %s\n", what, on);
    return 2;
}

static bool takes_value(struct call *c, const char *option, const char *value)
{
    static const struct {
        const char *name;
        size_t offset;
    } table[] = {{"--input", offsetof(struct call, input)},
                 {"--output-format", offsetof(struct call, format)},
                 {"--output-directory", offsetof(struct call, folder)},
                 {"--kernel-include-regex", offsetof(struct call, regex)}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, option) == 0 && value && strncmp(value, "--", 2) != 0) {
            *(const char **)((char *)c + table[i].offset) = value;
            return true;
        }
    return false;
}

static int parse(struct call *c, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool known = false;
        for (int k = 0; k < 5; k++)
            if (strcmp(argv[i], traces[k]) == 0)
                known = c->traces[k] = true;
        if (strcmp(argv[i], "--att") == 0)
            known = c->att = true;
        if (!known && !takes_value(c, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
            return refuse("unrecognized arguments", argv[i]);
        i += !known;
    }
    c->command = argv + i + 1;
    if (i + 1 >= argc)
        return refuse("no application", "provided");
    if (c->format && strcmp(c->format, "rocpd") != 0 && strcmp(c->format, "csv") != 0)
        return refuse("invalid choice", c->format);
    const char *rocm = getenv("FAKE_ROCM");
    if (c->format && strcmp(c->format, "rocpd") == 0 && rocm && atoi(rocm) < 7)
        return refuse("invalid choice", c->format);
    return c->folder && *c->folder == '/' ? 0 : refuse("output directory", "not absolute");
}

/* How many of a block count at a time: rocprofv3 refuses jobs that need more. */
static int check_limits(const struct call *c)
{
    static const struct {
        const char *prefix;
        int most;
    } blocks[] = {{"SQ", 8},  {"TA_", 2},  {"TD_", 2},  {"TCP_", 4},  {"TCC_", 4}, {"TCA_", 4},
                  {"CPC", 2}, {"CPF_", 2}, {"SPI_", 6}, {"GRBM_", 2}, {"GL2C_", 4}};
    int found = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        int n = 0;
        for (int i = 0; i < c->ncounters; i++)
            n += strncmp(c->counters[i], blocks[b].prefix, strlen(blocks[b].prefix)) == 0;
        if (n > blocks[b].most)
            return refuse("counters cannot be collected in a single pass", blocks[b].prefix);
        found += n;
    }
    return found == c->ncounters ? 0 : refuse("a counter", "is unknown");
}

/* One job: one line. */
static int read_input(struct call *c)
{
    size_t n = strlen(c->input);
    FILE *f = n > 4 && strcmp(c->input + n - 4, ".txt") == 0 ? fopen(c->input, "r") : NULL;
    int lines = 0;
    char more[8];
    if (!f)
        return refuse("input file", c->input);
    if (fgets(c->line, sizeof c->line, f) && strncmp(c->line, "pmc: ", 5) == 0)
        lines = 1 + (fgets(more, sizeof more, f) != NULL);
    fclose(f);
    if (lines != 1)
        return refuse("not one job", c->input);
    for (char *w = strtok(c->line + 5, " \n"); w; w = strtok(NULL, " \n"))
        if (c->ncounters < COUNTERS_MAX)
            c->counters[c->ncounters++] = w;
    return c->ncounters ? check_limits(c) : refuse("no counters", c->input);
}

/* --- what it writes --- */

static const char *pass_of(const struct call *c)
{
    return strrchr(c->folder, '/') + 1;
}

/* Of the program in this pass: times differ in every pass, so that mixing them up is seen. */
static struct fake_dispatch dispatch(const struct call *c, int i)
{
    struct fake_dispatch d = fake_dispatches[i];
    long factor = c->ncounters ? 10 : 1;
    d.start = 1000000 + d.start * factor;
    d.end = 1000000 + d.end * factor;
    if (fake_fault(pass_of(c), "shapes") && d.kernel == 2)
        d.groups /= 2;
    if (fake_fault(pass_of(c), "other-queues"))
        d.queue += 10;
    return d;
}

static int count_of(const struct call *c)
{
    return fake_fault(pass_of(c), "fewer") ? 5 : FAKE_DISPATCHES;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *text = rocpd_sql_put(sql, '@', "_1", '"'), *guided = rocpd_sql_put(text, '%', "g", '\'');
    char *message = NULL;
    if (sqlite3_exec(db, guided, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", message, guided);
        abort();
    }
    free(text);
    free(guided);
}

static void database_dispatch(const struct call *c, sqlite3 *db, int i)
{
    char sql[1024];
    struct fake_dispatch d = dispatch(c, i);
    snprintf(sql, sizeof sql,
             "INSERT INTO \"rocpd_event@\"(id, stack_id) VALUES(%d, %d);"
             "INSERT INTO \"rocpd_kernel_dispatch@\"(id, kernel_id, dispatch_id, queue_id, start,"
             "\"end\", grid_size_x, event_id) VALUES(%d, %d, %d, %d, %ld, %ld, %d, %d);",
             100 + i, 50 + i, i + 1, d.kernel, d.id, d.queue, d.start, d.end, d.groups * 64,
             100 + i);
    run_sql(db, sql);
    for (int k = 0; k < c->ncounters; k++) { /* two instances */
        double v = fake_counter(c->counters[k], i);
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_pmc_event@\"(event_id, pmc_id, value) VALUES(%d, %d, %f),"
                 "(%d, %d, %f);",
                 100 + i, k + 1, v - 3, 100 + i, k + 1, 3.0);
        run_sql(db, sql);
    }
    if (c->ncounters)
        return;
    snprintf(sql, sizeof sql,
             "INSERT INTO \"rocpd_event@\"(id, stack_id) VALUES(%d, %d);"
             "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id, event_id)"
             " VALUES(%ld, %ld, 1, %d);",
             200 + i, 50 + i, d.start - 60, d.start - 20, 200 + i);
    run_sql(db, sql);
}

static void write_database(const struct call *c, const char *path)
{
    sqlite3 *db;
    char sql[512];
    const char *gpu = getenv("FAKE_GPU");
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    run_sql(db, "PRAGMA synchronous = OFF");
    run_sql(db, rocpd_sql_schema);
    run_sql(db, rocpd_sql_names);
    snprintf(sql, sizeof sql, "UPDATE \"rocpd_info_agent@\" SET name = '%s' WHERE type = 'GPU'",
             gpu ? gpu : "gfx942");
    run_sql(db, sql);
    for (int k = 0; k < c->ncounters; k++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_info_pmc@\"(id, agent_id, name, symbol) VALUES(%d, 4, '%s',"
                 " '%s')",
                 k + 1, c->counters[k], c->counters[k]);
        run_sql(db, sql);
    }
    for (int i = 0; i < count_of(c); i++)
        database_dispatch(c, db, i);
    sqlite3_close(db);
    if (fake_fault(pass_of(c), "truncated") && truncate(path, 20000) != 0)
        abort();
}

static const char *kernel_name(int kernel)
{
    return kernel == 1 ? "axpy(float*)" : "gemm(float*, float*)";
}

static void write_csv(const struct call *c, const char *base)
{
    char path[4200];
    snprintf(path, sizeof path, "%s_agent_info.csv", base);
    FILE *f = fopen(path, "w");
    fputs("\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\",\"Cu_Count\"\n"
          "4,4,\"GPU\",\"gfx90a\",\"AMD Instinct MI250X\",110\n",
          f);
    fclose(f);
    snprintf(path, sizeof path, "%s_%s.csv", base,
             c->ncounters ? "counter_collection" : "kernel_trace");
    f = fopen(path, "w");
    fputs(c->ncounters
              ? "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\","
                "\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\","
                "\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
              : "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","
                "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
                "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
                "\"Grid_Size_Y\",\"Grid_Size_Z\"\n",
          f);
    for (int i = 0; i < count_of(c); i++) {
        struct fake_dispatch d = dispatch(c, i);
        for (int k = 0; k < c->ncounters; k++)
            fprintf(f, "%d,%d,\"Agent 4\",%d,10,11,%d,%d,\"%s\",64,\"%s\",%f,%ld,%ld\n", i + 1,
                    d.id, d.queue, d.groups * 64, d.kernel, kernel_name(d.kernel), c->counters[k],
                    fake_counter(c->counters[k], i), d.start, d.end);
        if (!c->ncounters)
            fprintf(f,
                    "\"KERNEL_DISPATCH\",\"Agent 4\",%d,11,%d,%d,\"%s\",%d,%ld,%ld,64,1,1,%d,1,1\n",
                    d.queue, d.id, d.kernel, kernel_name(d.kernel), i + 1, d.start, d.end,
                    d.groups * 64);
    }
    fclose(f);
}

static void write_att(const struct call *c)
{
    char command[8192];
    snprintf(command, sizeof command, "mkdir -p '%s' && cp -r '%s'/* '%s'", c->folder,
             getenv("FAKE_ATT"), c->folder);
    if (system(command) != 0)
        abort();
}

/* A job of an input file has a folder of its own: DIR/pmc_1. */
static void write_result(const struct call *c)
{
    char base[4096];
    if (c->att) {
        write_att(c);
        return;
    }
    snprintf(base, sizeof base, "%s/%shost/%d", c->folder, c->ncounters ? "pmc_1/" : "",
             (int)getpid());
    fake_make_folders(base);
    if (c->format && strcmp(c->format, "csv") == 0) {
        write_csv(c, base);
    } else {
        strcat(base, "_results.db");
        write_database(c, base);
    }
}

static int print_version(void)
{
    const char *rocm = getenv("FAKE_ROCM");
    printf("             version: 1.0.0\n        git_revision: 0\n        library_arch: x\n"
           "      system_version: 6\n        rocm_version: %s\n",
           rocm ? rocm : "7.0.2");
    return 0;
}

int fake_rocprofv3(int argc, char **argv)
{
    static struct call c;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return print_version();
    fake_log(argc, argv);
    int rc = parse(&c, argc, argv);
    if (rc == 0 && c.input)
        rc = read_input(&c);
    if (rc != 0)
        return rc;
    bool base = c.traces[0] && c.traces[1] && c.traces[2] && c.traces[3] && c.traces[4];
    if (base + (c.ncounters > 0) + c.att != 1 || (c.att && !c.regex))
        return refuse("none of the known kinds of pass", c.folder);
    if (fake_fault(pass_of(&c), "fail"))
        return refuse("failed", pass_of(&c));
    if (fake_fault(pass_of(&c), "killed"))
        raise(SIGKILL);
    rc = fake_run(c.command);
    if (!fake_fault(pass_of(&c), "nothing"))
        write_result(&c);
    if (rc > 128) { /* as the command did */
        signal(rc - 128, SIG_DFL);
        raise(rc - 128);
    }
    return rc;
}

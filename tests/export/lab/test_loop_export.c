/* A modelled loop beside what was counted, as text, JSON and CSV. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/live/metric.h"
#include "engine/ports/hot_loop.h"
#include "engine/ports/ports.h"
#include "export/lab/loop_export.h"
#include "support/test.h"

static struct disassembly_row rows[] = {
    {.address = 0x1000, .text = "imul %rax,%rax"},
    {.address = 0x1004, .text = "(bad)"},
    {.address = 0x1005, .text = "jne 1000 <f\033[31m>"},
};
static struct disassembly code = {.rows = rows, .n = 3};
static struct code_loop loops[] = {{.first = 0, .last = 2, .depth = 1, .innermost = true}};
static struct mca_line lines[] = {{.known = true, .latency = 3, .between = 1},
                                  {.known = true, .latency = 1, .between = 0.5}};
static size_t row_of[] = {0, 2};
static const struct metric_def ipc = {
    .id = "ipc", .label = "IPC", .set = "core", .formula = "instructions / cycles"};

static struct hot_loop made_loop(void)
{
    struct hot_loop h = {.file = (char *)"k.o",
                         .function = (char *)"f",
                         .machine = MACHINE_X86_64,
                         .code = &code,
                         .loops = loops,
                         .nloops = 1,
                         .lines = lines,
                         .row_of = row_of,
                         .nlines = 2,
                         .formless = 1,
                         .modelled = true};
    h.model = (struct mca_model){.tool = "llvm-mca-19",
                                 .cpu = "skylake",
                                 .instructions = 2,
                                 .iterations = 1000,
                                 .cycles = 3,
                                 .ipc = 0.66,
                                 .uops = 2,
                                 .width = 6,
                                 .throughput = 1,
                                 .nports = 1,
                                 .bound = MCA_BY_DEPENDENCIES};
    h.model.ports[0] = (struct mca_port){.name = "SKLPort1", .pipe = 'D', .cycles = 1};
    return h;
}

static char *written(void (*write)(FILE *, const void *), const struct loop_report *r)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    write(f, r);
    fclose(f);
    return text;
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static struct snapshot *made_snapshot(struct value counted)
{
    struct host *h = host_new();
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    s->nmetrics = 1;
    s->metrics = snapshot_alloc(s, sizeof *s->metrics);
    s->metrics[0] = (struct metric){.def = &ipc, .value = counted};
    return s;
}

TEST(the_model_stands_beside_what_was_counted)
{
    struct hot_loop h = made_loop();
    struct snapshot *s = made_snapshot(value_ok(0.5, UNIT_PER_CYCLE));
    struct ports_report counted;
    ports_report_make(&counted, s);
    h.sampled = true;
    h.samples = 60;
    h.samples_outside = 40;
    loops[0].samples = 50;
    char *text = written(loop_export_text, &(struct loop_report){&h, &counted});
    assert_says(text, "predicted  3.00 cycles an iteration, 0.66 instructions a cycle");
    assert_says(text, "bound by   dependencies");
    assert_says(text, "uiCA");
    assert_says(text, "left out   1 instruction");
    assert_says(text, "samples    100: 50.0 % in this loop, 60.0 % in this function");
    assert_says(text, "counted: 0.50 instructions a cycle in all that ran; the model says 0.66 for "
                      "the loop, +32 %");
    assert_says(text, "D     SKLPort1");
    assert_null(strchr(text, '\033'));
    free(text);
    text = written(loop_export_json, &(struct loop_report){&h, &counted});
    cJSON *doc = cJSON_Parse(text);
    assert_non_null(doc);
    assert_null(strchr(text, '\033'));
    const cJSON *list = cJSON_GetObjectItem(doc, "code");
    assert_int_equal(cJSON_GetArraySize(list), 3);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 1), "latency")));
    assert_float_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "latency")->valuedouble, 3,
                       0);
    assert_non_null(cJSON_GetObjectItem(doc, "counted_instructions_per_cycle"));
    cJSON_Delete(doc);
    free(text);
    text = written(loop_export_csv, &(struct loop_report){&h, &counted});
    assert_string_equal(text, "kind,name,pipe,cycles\nloop,f,,3\nport,SKLPort1,D,1\n");
    free(text);
    loops[0].samples = 0;
    ports_report_free(&counted);
    snapshot_unref(s);
}

TEST(what_is_missing_has_its_reason)
{
    struct hot_loop h = made_loop();
    struct snapshot *s = made_snapshot(value_missing("no PMU here", UNIT_PER_CYCLE));
    struct ports_report counted;
    ports_report_make(&counted, s);
    h.sampled = true;
    h.no_samples = "sampling is not allowed";
    h.modelled = false;
    error_set(&h.no_model, ERROR_UNSUPPORTED, 2, "install it", "llvm-mca", "it is not installed");
    char *text = written(loop_export_text, &(struct loop_report){&h, &counted});
    assert_says(text, "samples    n/a: sampling is not allowed");
    assert_says(text, "model      n/a: llvm-mca: it is not installed; install it");
    assert_says(text, "counted: instructions a cycle n/a: no PMU here");
    assert_says(text, "imul %rax,%rax");
    assert_null(strstr(text, "predicted"));
    free(text);
    text = written(loop_export_json, &(struct loop_report){&h, NULL});
    cJSON *doc = cJSON_Parse(text);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc, "model")));
    assert_null(cJSON_GetObjectItem(doc, "counted"));
    cJSON_Delete(doc);
    free(text);
    ports_report_free(&counted);
    snapshot_unref(s);
}

/* Servers that speak Prometheus' query API: a real Prometheus and a real VictoriaMetrics that
 * scrape a real node_exporter, compared with promtool; and hostile ones. Forks: not for TSan. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/server_query.h"
#include "base/env.h"
#include "support/program.h"
#include "support/service.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

static struct fleet_source_of source;
static struct fleet *fleet;

static void end_source(void)
{
    source.ops->stop(source.self);
    fleet_free(fleet);
}

static bool is_waiting(void)
{
    struct fleet_picture *p = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
    const bool waits = p->states[FLEET_CONNECTING] > 0;
    fleet_picture_unref(p);
    return waits;
}

/* Lets the source work until the first host has so many samples, and each one a state. */
static void work_until(size_t samples)
{
    double v[512];
    for (int i = 0; i < 1200; i++) {
        struct pollfd p = {.fd = source.ops->fd(source.self), .events = POLLIN};
        poll(&p, 1, 100);
        source.ops->poll(source.self, fleet, env_now_ns());
        if (fleet_history(fleet, 0, FLEET_memory, 512, v, NULL) >= samples && !is_waiting())
            return;
    }
    fail_msg("the server did not answer");
}

/* --- expressions and answers --- */

static struct query_form form;

static void begin_form(void)
{
    struct error err = ERROR_INIT;
    struct exporters *e;
    assert_int_equal(exporters_load(&e, NULL, &err), 0);
    form = (struct query_form){
        .exporters = e, .host_label = "instance", .window = "5m", .instant = true};
}

static void end_form(void)
{
    exporters_free((struct exporters *)form.exporters);
}

TEST(each_row_is_asked_once_and_no_question_is_long)
{
    size_t row = 0, questions = 0, parts = 0;
    char *text;
    begin_form();
    while ((text = query_make(&form, &row))) {
        questions++;
        assert_true(strlen(text) < QUERY_BYTES);
        for (const char *p = text; (p = strstr(p, "label_replace(")); p++)
            parts++;
        free(text);
    }
    assert_true(questions >= 1);
    assert_int_equal(parts, form.exporters->n + 1);
    end_form();
}

static int read_answer(struct grid *g, const char *text, struct error *err)
{
    *err = (struct error)ERROR_INIT;
    grid_begin(g, 100, 10, 3);
    return grid_read(g, &form, text, strlen(text), err);
}

TEST(answers_are_read_in_any_order_and_the_first_row_counts)
{
    struct grid g;
    struct error err;
    char text[2048];
    size_t prof = 0, util = 0;
    begin_form();
    for (size_t i = 0; i < form.exporters->n; i++) {
        const char *name = form.exporters->rows[i].series.names[0];
        prof = strcmp(name, "DCGM_FI_PROF_GR_ENGINE_ACTIVE") == 0 ? i : prof;
        util = strcmp(name, "DCGM_FI_DEV_GPU_UTIL") == 0 ? i : util;
    }
    snprintf(text, sizeof text,
             "{\"data\":{\"resultType\":\"matrix\",\"result\":["
             "{\"values\":[[100,\"1\"],[110,\"NaN\"],[120.2,\"3\"],[500,\"9\"]],"
             "\"metric\":{\"instance\":\"a:9100\",\"rooftop_row\":\"%zu\"}},"
             "{\"metric\":{\"instance\":\"a:9400\",\"rooftop_row\":\"%zu\",\"x\":{}},"
             "\"values\":[[110,\"2e0\"]],\"more\":[1,2]},"
             "{\"metric\":{\"instance\":\"b\",\"rooftop_row\":\"up\"},\"value\":[120,\"0\"]},"
             "{\"metric\":{\"instance\":\"c\",\"rooftop_row\":\"9999\"},\"value\":[120,\"0\"]},"
             "{\"metric\":{\"instance\":\"c\"},\"value\":[120,\"0\"]}]},\"status\":\"success\"}",
             util, prof);
    assert_int_equal(read_answer(&g, text, &err), 0);
    assert_int_equal(g.n, 2);
    assert_string_equal(g.hosts[0].name, "a");
    assert_true(isnan(g.hosts[0].v[FLEET_gpu_busy]));
    assert_true(g.hosts[0].v[FLEET_METRICS + FLEET_gpu_busy] == 2);
    assert_true(g.hosts[1].down && !g.hosts[1].up && !g.hosts[1].known);
    grid_free(&g);
    end_form();
}

TEST(a_host_with_a_long_or_hostile_name_is_one_host)
{
    static const char *const names[] = {
        "a\\u001bb", "0123456789012345678901234567890123456789012345678901234567890123456789"
                     "0123456789012345678901234567890123456789012345678901234567890123456789"};
    begin_form();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct grid g;
        struct error err;
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"status\":\"success\",\"data\":{\"result\":["
            "{\"metric\":{\"instance\":\"%s\",\"rooftop_row\":\"0\"},\"value\":[100,\"1\"]},"
            "{\"metric\":{\"instance\":\"%s\",\"rooftop_row\":\"1\"},\"value\":[100,\"2\"]}]}}",
            names[i], names[i]);
        assert_int_equal(read_answer(&g, text, &err), 0);
        assert_int_equal(g.n, 1);
        grid_free(&g);
    }
    end_form();
}

TEST(damaged_answers_are_refused)
{
    static const char *const texts[][2] = {
        {"{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"parse \\u001berror\"}",
         "parse"},
        {"{\"status\":\"success\"}", "neither data nor an error"},
        {"{}", "neither data nor an error"},
        {"{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":", ""},
        {"{\"status\":\"success\",\"data\":{\"result\":[{\"value\":[1,2]}]}}", ""},
        {"[1]", ""},
    };
    begin_form();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct grid g;
        struct error err;
        if (read_answer(&g, texts[i][0], &err) >= 0 || !strstr(err.why, texts[i][1]))
            fail_msg("%s: '%s'", texts[i][0], err.why);
        grid_free(&g);
    }
    end_form();
}

/* --- hostile servers --- */

TEST(hostile_servers_are_told)
{
    static const struct {
        const char *path, *want;
        enum error_kind kind;
    } servers[] = {
        {"http://127.0.0.1:%d/status/500", "the server answered 500", ERROR_TARGET},
        {"http://127.0.0.1:%d/status/401", "the server answered 401", ERROR_PERMISSION},
        {"http://127.0.0.1:%d/html", "the server answered 200, text/html", ERROR_TARGET},
        {"http://127.0.0.1:%d/huge", "the answer has more than 1.00 MiB;", ERROR_TARGET},
        {"http://127.0.0.1:%d/big", "the answer has 1.00 GiB, more than 1.00 MiB;", ERROR_TARGET},
        {"http://127.0.0.1:%d/loop", "redirected more than 3 times", ERROR_TARGET},
        {"http://127.0.0.1:%d/garbage", "the server answered 200", ERROR_TARGET},
        {"http://127.0.0.1:%d/silent", " ", ERROR_TARGET},
        {"http://127.0.0.1:%d/nothing", "the server answered 404", ERROR_TARGET},
        {"http://127.0.0.1:1", "", ERROR_TARGET},
        {"127.0.0.1:9090", "begins with http", ERROR_USAGE},
    };
    const int port = service_web();
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        char url[160];
        struct error err = ERROR_INIT;
        const struct prometheus_config config = {.interval_s = 1, .answer_bytes = 1 << 20};
        snprintf(url, sizeof url, servers[i].path, port);
        const struct server_config server = {.url = url};
        if (server_open(&source, &server, &config, &err) == 0)
            fail_msg("%s was taken", url);
        if (err.kind == ERROR_UNSUPPORTED)
            skip_because("%s: %s", err.what, err.why);
        if (err.kind != servers[i].kind || !strstr(err.why, servers[i].want))
            fail_msg("%s: %d, '%s', not '%s'", url, (int)err.kind, err.why, servers[i].want);
    }
    services_stop(NULL);
}

/* --- a host whose exporter is gone --- */

/* For five minutes the server still knows rates of it. Here it is a VictoriaMetrics, which shows
 * the last 30 s only to those who ask for them. */
TEST(a_host_that_is_down_is_lost_though_it_has_rates)
{
    char url[160], text[1024];
    struct error err = ERROR_INIT;
    const struct prometheus_config config = {.interval_s = 1};
    size_t load = 0;
    begin_form();
    for (size_t i = 0; i < form.exporters->n; i++)
        if (strcmp(form.exporters->rows[i].series.names[0], "node_load1") == 0)
            load = i;
    end_form();
    snprintf(text, sizeof text,
             "{\"status\":\"success\",\"data\":{\"result\":["
             "{\"metric\":{\"instance\":\"a\",\"rooftop_row\":\"up\"},\"value\":[1,\"0\"]},"
             "{\"metric\":{\"instance\":\"a\",\"rooftop_row\":\"%zu\"},\"value\":[1,\"3\"]}]}}",
             load);
    temp_folder_put("query", text);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/late", service_web());
    const struct server_config server = {.url = url};
    if (server_open(&source, &server, &config, &err) != 0) {
        if (err.kind == ERROR_UNSUPPORTED)
            skip_because("%s: %s", err.what, err.why);
        fail_msg("%s: %s", err.what, err.why);
    }
    fleet = fleet_new(0);
    assert_int_equal(source.ops->start(source.self, fleet, &err), 0);
    work_until(0);
    struct fleet_picture *p = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
    assert_int_equal(p->rows[0].state, FLEET_LOST);
    assert_non_null(strstr(p->rows[0].reason, "up is 0"));
    fleet_picture_unref(p);
    end_source();
    services_stop(NULL);
}

TEST(a_server_without_hosts_is_refused_with_what_helps)
{
    char url[160];
    struct error err = ERROR_INIT;
    const struct prometheus_config config = {.interval_s = 1};
    temp_folder_put("query", "{\"status\":\"success\",\"data\":{\"result\":[]}}");
    snprintf(url, sizeof url, "http://127.0.0.1:%d/late", service_web());
    const struct server_config server = {.url = url};
    assert_true(server_open(&source, &server, &config, &err) < 0);
    if (err.kind == ERROR_UNSUPPORTED)
        skip_because("%s: %s", err.what, err.why);
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_non_null(strstr(err.why, "knows no series"));
    assert_non_null(strstr(err.help, "wait some seconds"));
    services_stop(NULL);
}

/* --- real ones --- */

static int exporter_port, server_port;

/* Starts a node_exporter, and writes the configuration that scrapes it, and a port that is dead. */
static void start_exporter(void)
{
    char line[512];
    if (!service_has("prometheus-node-exporter") || !service_has("promtool"))
        skip_because("prometheus-node-exporter or promtool is not installed: a real server");
    exporter_port = service_port();
    server_port = service_port();
    snprintf(
        line, sizeof line,
        "global:\n  scrape_interval: 1s\nscrape_configs:\n- job_name: node\n  static_configs:\n"
        "  - targets: ['127.0.0.1:%d']\n- job_name: dead\n  static_configs:\n"
        "  - targets: ['localhost:1']\n",
        exporter_port);
    temp_folder_put("prometheus.yml", line);
    snprintf(line, sizeof line, "exec prometheus-node-exporter --web.listen-address=127.0.0.1:%d",
             exporter_port);
    service_start(line);
    service_wait(exporter_port);
}

/* What promtool says of an expression at a time: the number behind =>. */
static double ask_promtool(const char *expression, double at_s)
{
    char line[1024];
    struct program p;
    double v = NAN;
    snprintf(line, sizeof line, "promtool query instant --time=%.3f http://127.0.0.1:%d '%s'", at_s,
             server_port, expression);
    program_run(&p, line);
    const char *found = strstr(p.out, "=> ");
    if (found)
        v = strtod(found + 3, NULL);
    program_free(&p);
    return v;
}

/* Waits until the server has enough samples for a rate. From here on rooftop's clock is five
 * seconds slow: a server stores samples some time after their moment, so that of the present it
 * knows another truth when it is asked again (VictoriaMetrics shows what it got after one or two
 * seconds). Of a moment long enough ago it says the same to everybody. */
static void wait_for_rates(void)
{
    env_set_wall_step(-5000000000);
    for (int i = 0; i < 1200; i++) { /* looks, not seconds */
        usleep(50000);
        const double now = (double)env_wall_ns() / 1e9;
        if (ask_promtool("count_over_time(node_load1[1h])", now) >= 5)
            return;
    }
    fail_msg("the server has no samples");
}

static void open_server(const char *match, double past_s)
{
    char url[64];
    struct error err = ERROR_INIT;
    /* no whole seconds: the server asks its exporters each second, and not each question shall come
     * while it does */
    const struct prometheus_config config = {.interval_s = 1.3};
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server_port);
    const struct server_config server = {
        .url = url, .match = match, .past_s = past_s, .points = 100};
    fleet = fleet_new(512);
    if (server_open(&source, &server, &config, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(source.ops->start(source.self, fleet, &err), 0);
}

static int find_row(const struct fleet_picture *p, const char *name)
{
    for (size_t i = 0; i < p->nrows; i++)
        if (strcmp(p->rows[i].name, name) == 0)
            return (int)i;
    fail_msg("no host %s", name);
    return -1;
}

/* Whether promtool says the same of the moment of the newest sample; why: what it does not. */
static bool agrees_with_promtool(char *why, size_t size)
{
    bool all = true;
    static const struct {
        enum fleet_metric m;
        const char *expression;
    } checks[] = {
        {FLEET_memory, "100*(1-node_memory_MemAvailable_bytes/node_memory_MemTotal_bytes)"},
        {FLEET_load, "sum(node_load1)/count(node_cpu_seconds_total{mode=\"idle\"})"},
        {FLEET_cpu, "100*sum(irate(node_cpu_seconds_total{mode!~\"idle|iowait|steal\"}[5m]))/"
                    "sum(irate(node_cpu_seconds_total[5m]))"},
        {FLEET_net_in, "sum(irate(node_network_receive_bytes_total{device!~\"(lo|veth|docker|br-|"
                       "cali|virbr|ifb|dummy).*\"}[5m]))"},
    };
    struct fleet_picture *p = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
    const struct fleet_row *r = &p->rows[find_row(p, "127.0.0.1")];
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const double want = ask_promtool(checks[i].expression, (double)r->wall_ns / 1e9);
        const double got = r->v[checks[i].m];
        if (fabs(got - want) <= 1e-5 * fabs(want) + 1e-9)
            continue;
        snprintf(why, size, "%s is %.9g, promtool says %.9g", fleet_metrics[checks[i].m].id, got,
                 want);
        all = false;
    }
    fleet_picture_unref(p);
    return all;
}

/* Where the machine stood still for seconds, a sample of that moment may be stored after rooftop
 * has asked. What is wrong in rooftop is wrong at all moments. */
static void compare_with_promtool(void)
{
    char why[256] = "";
    double v[512];
    for (int i = 0; i < 20; i++) {
        if (agrees_with_promtool(why, sizeof why))
            return;
        work_until(fleet_history(fleet, 0, FLEET_memory, 512, v, NULL) + 1);
    }
    fail_msg("%s", why);
}

static void start_prometheus(void)
{
    char line[512];
    if (!service_has("prometheus"))
        skip_because("prometheus is not installed: a real server");
    snprintf(line, sizeof line,
             "exec prometheus --config.file=%s/prometheus.yml --storage.tsdb.path=%s/data "
             "--web.listen-address=127.0.0.1:%d",
             temp_folder, temp_folder, server_port);
    service_start(line);
}

static void start_victoria_metrics(int port)
{
    char line[512];
    snprintf(line, sizeof line,
             "exec victoria-metrics -promscrape.config=%s/prometheus.yml -storageDataPath=%s/vm "
             "-httpListenAddr=127.0.0.1:%d -search.latencyOffset=1ms",
             temp_folder, temp_folder, port);
    service_start(line);
}

static void compare_prometheus(void)
{
    wait_for_rates();
    open_server(NULL, 60);
    work_until(4); /* two of the past at least */
    compare_with_promtool();
    struct fleet_picture *p = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
    const struct fleet_row *dead = &p->rows[find_row(p, "localhost")];
    assert_int_equal(dead->state, FLEET_LOST);
    assert_non_null(strstr(dead->reason, "up is 0"));
    fleet_picture_unref(p);
    /* the past: what the server says of that moment */
    double v[512];
    uint64_t at[512];
    assert_true(fleet_history(fleet, 0, FLEET_memory, 512, v, at) >= 4);
    const double want = ask_promtool(
        "100*(1-node_memory_MemAvailable_bytes/node_memory_MemTotal_bytes)", (double)at[0] / 1e9);
    assert_true(fabs(v[0] - want) < 1e-5 * want);
    end_source();
    open_server("{job=\"node\"}", 0);
    work_until(1);
    assert_int_equal(fleet_hosts(fleet), 1);
    end_source();
}

static void compare_victoria_metrics(void)
{
    wait_for_rates();
    open_server(NULL, 0);
    work_until(1);
    compare_with_promtool();
    end_source();
}

/* Both scrape at the same time, as the wait for their samples is most of the time. */
TEST(real_servers_say_the_same_to_promtool)
{
    const bool victoria = service_has("victoria-metrics");
    start_exporter();
    const int victoria_port = service_port();
    start_prometheus();
    if (victoria)
        start_victoria_metrics(victoria_port);
    service_wait(server_port);
    compare_prometheus();
    if (!victoria)
        skip_because("victoria-metrics is not installed: a second real server");
    service_wait(victoria_port);
    server_port = victoria_port;
    compare_victoria_metrics();
    services_stop(NULL);
}

FIXTURE_STATUS(end_all)
{
    env_set_wall_step(0);
    services_stop(state);
    return temp_folder_remove(state);
}

TEST_MAIN(temp_folder_make, end_all)

/* Exporters: what their numbers become, and what hostile ones are told. The values of a real
 * node_exporter are compared with what awk makes of the same texts. Forks: not for TSan. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/exporters.h"
#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/scrape_read.h"
#include "base/env.h"
#include "support/program.h"
#include "support/service.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define SECOND UINT64_C(1000000000)

/* --- texts --- */

static struct exporters *rows;
static struct scrape_memory *memory;
static struct fleet_sample sample;

static void begin_reading(const char *file)
{
    struct error err = ERROR_INIT;
    assert_int_equal(exporters_load(&rows, file, &err), 0);
    memory = scrape_memory_new();
}

static void end_reading(void)
{
    scrape_memory_free(memory);
    exporters_free(rows);
}

static int read_text(const char *text, uint64_t at_s)
{
    struct error err = ERROR_INIT;
    char *copy = strdup(text);
    fleet_sample_begin(&sample, at_s * SECOND);
    const int rc = scrape_read(memory, rows, copy, strlen(copy), EXPOSITION_TEXT, "page",
                               at_s * SECOND, &sample, &err);
    free(copy);
    return rc;
}

static void expect(enum fleet_metric m, double want)
{
    if (isnan(want) ? !isnan(sample.v[m]) : fabs(sample.v[m] - want) > 1e-9 * fabs(want) + 1e-12)
        fail_msg("%s is %g, not %g", fleet_metrics[m].id, sample.v[m], want);
}

TEST(a_host_of_node_exporter)
{
    begin_reading(NULL);
    read_text("node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 100\n"
              "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 50\n"
              "node_cpu_seconds_total{cpu=\"1\",mode=\"idle\"} 100\n"
              "node_cpu_seconds_total{cpu=\"1\",mode=\"iowait\"} 7\n"
              "node_memory_MemAvailable_bytes 1e9\nnode_memory_MemTotal_bytes 4e9\n"
              "node_memory_SwapTotal_bytes 0\nnode_memory_SwapFree_bytes 0\nnode_load1 3\n"
              "node_disk_read_bytes_total{device=\"sda\"} 100\n"
              "node_disk_read_bytes_total{device=\"dm-0\"} 100\n",
              10);
    expect(FLEET_cpu, NAN); /* rates need two texts */
    expect(FLEET_memory, 75);
    expect(FLEET_load, 1.5);
    expect(FLEET_swap, NAN);
    read_text("node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 101\n"
              "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 52\n"
              "node_cpu_seconds_total{cpu=\"1\",mode=\"idle\"} 102\n"
              "node_cpu_seconds_total{cpu=\"1\",mode=\"iowait\"} 8\n"
              "node_disk_read_bytes_total{device=\"sda\"} 60\n" /* began again */
              "node_disk_read_bytes_total{device=\"dm-0\"} 900\n"
              "node_network_receive_bytes_total{device=\"eth0\"} 900\n",
              13);
    expect(FLEET_cpu, 100.0 * 2 / 6);
    expect(FLEET_iowait, 100.0 * 1 / 6);
    expect(FLEET_disk_read, 20);
    expect(FLEET_net_in, NAN);
    end_reading();
}

/* A device that was away for a while: what it grew by meanwhile did not come in one interval. */
TEST(a_counter_that_returns_grew_over_all_the_time)
{
    static const char with[] = "node_network_receive_bytes_total{device=\"eth0\"} %d\n";
    char text[128];
    begin_reading(NULL);
    snprintf(text, sizeof text, with, 1000);
    read_text(text, 10);
    read_text("node_load1 3\n", 11);
    read_text("node_load1 3\n", 109);
    expect(FLEET_net_in, NAN);
    snprintf(text, sizeof text, with, 101000);
    read_text(text, 110);
    expect(FLEET_net_in, 1000);
    end_reading();
}

TEST(gpus_of_dcgm_exporter)
{
    begin_reading(NULL);
    read_text(
        "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n"
        "# TYPE DCGM_FI_DEV_SM_CLOCK gauge\n"
        "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-1\",device=\"nvidia0\",Hostname=\"n1\"} 1980\n"
        "DCGM_FI_DEV_SM_CLOCK{gpu=\"1\",UUID=\"GPU-2\",device=\"nvidia1\",Hostname=\"n1\"} 1200\n"
        "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 61\nDCGM_FI_DEV_GPU_TEMP{gpu=\"1\"} 70\n"
        "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300.5\nDCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 100\n"
        "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 100\nDCGM_FI_DEV_GPU_UTIL{gpu=\"1\"} 20\n"
        "DCGM_FI_DEV_FB_FREE{gpu=\"0\"} 100\nDCGM_FI_DEV_FB_USED{gpu=\"0\"} 300\n"
        "DCGM_FI_DEV_FB_FREE{gpu=\"1\"} 100\nDCGM_FI_DEV_FB_USED{gpu=\"1\"} 100\n",
        1);
    expect(FLEET_gpus, 2);
    expect(FLEET_gpu_clock, 1.2e9);
    expect(FLEET_gpu_temperature, 70);
    expect(FLEET_gpu_power, 400.5);
    expect(FLEET_gpu_busy, 60);
    expect(FLEET_gpu_memory, 75);
    read_text(
        "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 100\nDCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\"} 0.25\n", 2);
    expect(FLEET_gpu_busy, 25); /* the better measurement counts */
    end_reading();
}

TEST(gpus_of_amds_exporter)
{
    begin_reading(NULL);
    read_text("gpu_gfx_activity{gpu_id=\"0\",hostname=\"a\"} 40\n"
              "gpu_gfx_activity{gpu_id=\"1\",hostname=\"a\"} 60\n"
              "gpu_used_vram{gpu_id=\"0\"} 50\ngpu_total_vram{gpu_id=\"0\"} 200\n"
              "gpu_package_power{gpu_id=\"0\"} 500\ngpu_junction_temperature{gpu_id=\"0\"} 55\n"
              "gpu_ecc_uncorrect_total{gpu_id=\"0\"} 3\n",
              1);
    expect(FLEET_gpus, 2);
    expect(FLEET_gpu_busy, 50);
    expect(FLEET_gpu_memory, 25);
    expect(FLEET_gpu_power, 500);
    expect(FLEET_gpu_errors, 3);
    end_reading();
}

/* All nodes are in one text; of a node that is in two partitions the second exporter has two lines.
 */
TEST(nodes_of_slurms_exporters)
{
    begin_reading(NULL);
    read_text(
        "slurm_node_cpus{node=\"n1\"} 64\nslurm_node_cpus{node=\"n2\"} 64\n"
        "slurm_node_cpus_alloc{node=\"n1\"} 32\nslurm_node_cpus_alloc{node=\"n2\"} 0\n"
        "slurm_node_memory_bytes{node=\"n1\"} 4e9\nslurm_node_memory_alloc_bytes{node=\"n1\"} "
        "1e9\nslurm_nodes 2\n",
        1);
    expect(FLEET_slurm_cpu, 25);
    expect(FLEET_slurm_memory, 25);
    expect(FLEET_cpu, NAN);
    read_text("slurm_node_cpu_alloc{node=\"a\",partition=\"p\",status=\"mixed\"} 8\n"
              "slurm_node_cpu_alloc{node=\"a\",partition=\"q\",status=\"mixed\"} 8\n"
              "slurm_node_cpu_total{node=\"a\",partition=\"p\",status=\"mixed\"} 16\n"
              "slurm_node_cpu_total{node=\"a\",partition=\"q\",status=\"mixed\"} 16\n"
              "slurm_node_mem_alloc{node=\"a\"} 3\nslurm_node_mem_total{node=\"a\"} 4\n",
              2);
    expect(FLEET_slurm_cpu, 50);
    expect(FLEET_slurm_memory, 75);
    end_reading();
}

TEST(a_users_rows_come_first)
{
    char path[128];
    temp_folder_put("rows.toml", "[[exporter]]\nmetric = \"gpu_power\"\n"
                                 "series = \"board_watts{kind!='fan',board=~'[0-9]+'}\"\n"
                                 "by = \"board\"\nscale = 0.001\n");
    snprintf(path, sizeof path, "%s/rows.toml", temp_folder);
    begin_reading(path);
    read_text("board_watts{board=\"1\"} 200000\nboard_watts{board=\"2\",kind=\"fan\"} 9\n"
              "board_watts{board=\"x\"} 9\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 1\n",
              1);
    expect(FLEET_gpu_power, 200);
    end_reading();
}

TEST(rows_that_are_wrong_are_refused)
{
    static const char *const texts[][2] = {
        {"[[exporter]]\nmetric = \"gpu_powr\"\nseries = \"a\"\n", "no metric of a fleet"},
        {"[[exporter]]\nseries = \"a\"\n", "needs a metric and a series"},
        {"[[exporter]]\nmetric = \"cpu\"\nseries = \"a{b}\"\n", "=, !=, =~ or !~ is expected"},
        {"[[exporter]]\nmetric = \"cpu\"\nseries = \"a{b=~'('}\"\n", "regular expression is wrong"},
        {"[[exporter]]\nmetric = \"cpu\"\nseries = \"a{b='\"\n", "a quote is not closed"},
        {"[[exporter]]\nmetric = \"cpu\"\nserie = \"a\"\n", "no key of this kind"},
        {"[[other]]\n", "rows begin with [[exporter]]"},
        {"[[exporter\n", "line 1"},
    };
    char path[128];
    snprintf(path, sizeof path, "%s/bad.toml", temp_folder);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error err = ERROR_INIT;
        struct exporters *e;
        temp_folder_put("bad.toml", texts[i][0]);
        assert_true(exporters_load(&e, path, &err) < 0);
        if (!strstr(err.why, texts[i][1]))
            fail_msg("%s: '%s', not '%s'", texts[i][0], err.why, texts[i][1]);
    }
    struct error err = ERROR_INIT;
    struct exporters *e;
    assert_true(exporters_load(&e, temp_folder, &err) < 0);
    assert_string_equal(err.why, "it is a folder");
}

/* --- over HTTP --- */

static struct fleet_source_of source;
static struct fleet *fleet;
static char address[20][160], *addresses[20];
static size_t naddresses;

static void add_address(const char *format, int port)
{
    snprintf(address[naddresses], sizeof address[0], format, port);
    addresses[naddresses] = address[naddresses];
    naddresses++;
}

static void begin_scraping_as(const struct prometheus_config *config)
{
    struct error err = ERROR_INIT;
    fleet = fleet_new(0);
    if (scrape_open(&source, addresses, naddresses, config, &err) != 0)
        skip_because("%s: %s", err.what, err.why);
    assert_int_equal(source.ops->start(source.self, fleet, &err), 0);
}

static void begin_scraping(size_t bytes)
{
    begin_scraping_as(&(struct prometheus_config){
        .interval_s = 1, .answer_bytes = bytes, .timeout_s = bytes ? 4 : 0});
}

static void end_scraping(void)
{
    source.ops->stop(source.self);
    fleet_free(fleet);
    naddresses = 0;
}

/* Lets the source work until each host has a number of samples or is lost. */
static struct fleet_picture *scrape_until(size_t samples)
{
    for (int i = 0; i < 1200; i++) {
        struct pollfd p = {.fd = source.ops->fd(source.self), .events = POLLIN};
        double v[8];
        poll(&p, 1, 100);
        source.ops->poll(source.self, fleet, env_now_ns());
        struct fleet_picture *picture = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
        bool all = true;
        for (size_t k = 0; k < picture->nrows; k++)
            all = all && (picture->rows[k].state == FLEET_LOST ||
                          fleet_history(fleet, (int)k, FLEET_load, 8, v, NULL) >= samples);
        if (all)
            return picture;
        fleet_picture_unref(picture);
    }
    fail_msg("the hosts did not answer");
    return NULL;
}

TEST(hostile_exporters_are_told)
{
    static const struct {
        const char *path, *want;
    } hosts[] = {
        {"good=http://127.0.0.1:%d/files/good.txt", ""},
        {"open=http://127.0.0.1:%d/files/good.om", ""},
        {"moved=http://127.0.0.1:%d/to/files/good.txt", ""},
        {"cut=http://127.0.0.1:%d/files/cut.om", "# EOF, is missing"},
        {"bad=http://127.0.0.1:%d/files/bad.txt", "line 2, column 3: "},
        {"error=http://127.0.0.1:%d/status/500", "answered 500"},
        {"page=http://127.0.0.1:%d/html", "a page for people"},
        {"loop=http://127.0.0.1:%d/loop", "redirected more than 3 times"},
        {"huge=http://127.0.0.1:%d/huge", "the answer has more than 4.00 MiB;"},
        {"big=http://127.0.0.1:%d/big", "the answer has 1.00 GiB, more than 4.00 MiB;"},
        {"bomb=http://127.0.0.1:%d/bomb", "the answer has more than 4.00 MiB;"},
        {"garbage=http://127.0.0.1:%d/garbage", "line 1, column"},
        {"silent=http://127.0.0.1:%d/silent", " "},
        {"slow=http://127.0.0.1:%d/slow", "no whole answer in 4.0 s"},
        {"dribble=http://127.0.0.1:%d/dribble", "no whole answer in 4.0 s"},
    };
    temp_folder_put("good.txt", "node_load1 1\nnode_memory_MemAvailable_bytes 1\n"
                                "node_memory_MemTotal_bytes 2\n");
    temp_folder_put("good.om", "node_memory_MemAvailable_bytes 1\n"
                               "node_memory_MemTotal_bytes 2\n# EOF\n");
    temp_folder_put("cut.om", "node_load1 1\n");
    temp_folder_put("bad.txt", "node_load1 1\na x\n");
    const int port = service_web();
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        add_address(hosts[i].path, port);
    begin_scraping(4 << 20);
    struct fleet_picture *p = scrape_until(1);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const struct fleet_row *r = &p->rows[i];
        if (!*hosts[i].want ? r->state == FLEET_LOST || r->v[FLEET_memory] != 50
                            : r->state != FLEET_LOST || !strstr(r->reason, hosts[i].want))
            fail_msg("%s: '%s', not '%s'", r->name, r->reason, hosts[i].want);
    }
    fleet_picture_unref(p);
    end_scraping();
    services_stop(NULL);
}

TEST(addresses_that_are_wrong_are_refused)
{
    static const char *const bad[] = {"localhost:9100", "http://",    "ftp://a",
                                      "http://u:p@a/",  "http://a b", "=http://a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        const struct prometheus_config config = {.interval_s = 1};
        char *one = (char *)bad[i];
        assert_true(scrape_open(&source, &one, 1, &config, &err) < 0);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}

TEST(exporters_of_one_host_are_one_row)
{
    temp_folder_put("good.txt", "node_load1 1\nnode_cpu_seconds_total{mode=\"idle\"} 1\n");
    temp_folder_put("dcgm.txt", "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300\n");
    const int port = service_web();
    add_address("http://127.0.0.1:%d/files/good.txt", port);
    add_address("http://127.0.0.1:%d/files/dcgm.txt", port);
    begin_scraping(0);
    struct fleet_picture *p = scrape_until(1);
    assert_int_equal(p->nrows, 1);
    assert_string_equal(p->rows[0].name, "127.0.0.1");
    assert_true(p->rows[0].v[FLEET_load] == 1);
    assert_true(p->rows[0].v[FLEET_gpu_power] == 300);
    fleet_picture_unref(p);
    end_scraping();
    services_stop(NULL);
}

/* Each of them may be as large, but not all at the same time; that they never end holds up nobody
 * who ends the source. */
TEST(answers_that_come_at_the_same_time_have_one_limit)
{
    enum { HOSTS = 8 };
    char name[64];
    bool told = false;
    const int port = service_web();
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name, sizeof name, "h%d=http://127.0.0.1:%%d/hold/%d", i, 900 << 10);
        add_address(name, port);
    }
    begin_scraping_as(
        &(struct prometheus_config){.interval_s = 1, .answer_bytes = 1 << 20, .timeout_s = 3000});
    for (int tries = 0; tries < 600 && !told; tries++) {
        struct pollfd p = {.fd = source.ops->fd(source.self), .events = POLLIN};
        poll(&p, 1, 100);
        source.ops->poll(source.self, fleet, env_now_ns());
        struct fleet_picture *picture = fleet_picture_new(fleet, env_now_ns(), env_wall_ns());
        for (int i = 0; i < HOSTS; i++)
            told =
                told || strstr(picture->rows[i].reason, "at the same time are larger than 4 MiB");
        fleet_picture_unref(picture);
    }
    assert_true(told);
    end_scraping();
    services_stop(NULL);
}

/* The numbers of the one that answers come; those of the other one are unknown, and not 0. */
TEST(an_exporter_that_hangs_holds_up_no_other_one)
{
    temp_folder_put("good.txt", "node_load1 1\nnode_cpu_seconds_total{mode=\"idle\"} 1\n");
    const int port = service_web();
    add_address("host=http://127.0.0.1:%d/files/good.txt", port);
    add_address("host=http://127.0.0.1:%d/never", port);
    begin_scraping_as(&(struct prometheus_config){.interval_s = 1, .timeout_s = 3000});
    struct fleet_picture *p = scrape_until(2);
    assert_int_equal(p->rows[0].state, FLEET_LIVE);
    assert_true(p->rows[0].v[FLEET_load] == 1);
    assert_true(isnan(p->rows[0].v[FLEET_gpu_power]));
    fleet_picture_unref(p);
    end_scraping();
    services_stop(NULL);
}

TEST(credentials_come_from_the_environment)
{
    static const char *const given[] = {"bearer secret", "basic user:word", "bearer wrong"};
    temp_folder_put("good.txt", "node_load1 1\n");
    const int port = service_web();
    for (size_t i = 0; i < 3; i++) {
        setenv("ROOFTOP_PROM_AUTH", given[i], 1);
        add_address("http://127.0.0.1:%d/auth/good.txt", port);
        begin_scraping(0);
        struct fleet_picture *p = scrape_until(1);
        if ((p->rows[0].state == FLEET_LOST) != (i == 2))
            fail_msg("%s: %s", given[i], p->rows[0].reason);
        fleet_picture_unref(p);
        end_scraping();
    }
    unsetenv("ROOFTOP_PROM_AUTH");
    services_stop(NULL);
}

/* A real node_exporter's texts, a second apart; awk is the other reader. */
TEST(a_real_node_exporter_as_awk_reads_it)
{
    static const char awk[] =
        "awk 'FNR==NR{k=$1;a[k]=$2;next} /^node_cpu_seconds_total/{d=$2-a[$1];all+=d;"
        "if($1!~/idle|iowait|steal/)busy+=d;if($1~/idle/)n++} /^node_load1 /{l=$2}"
        "/^node_memory_MemTotal_bytes/{t=$2} /^node_memory_MemAvailable_bytes/{m=$2}"
        "END{printf \"%.12g %.12g %.12g\",100*busy/all,l/n,100*(1-m/t)}' $D/one.txt $D/two.txt";
    struct program p;
    double want[3];
    char line[256];
    if (!service_has("prometheus-node-exporter") || !service_has("curl"))
        skip_because("prometheus-node-exporter or curl is not installed: a real exporter");
    const int port = service_port();
    snprintf(line, sizeof line, "exec prometheus-node-exporter --web.listen-address=127.0.0.1:%d",
             port);
    service_start(line);
    service_wait(port);
    snprintf(line, sizeof line,
             "curl -s http://127.0.0.1:%d/metrics >$D/one.txt; sleep 1; "
             "curl -s http://127.0.0.1:%d/metrics >$D/two.txt",
             port, port);
    program_expect(&p, line, 0);
    program_free(&p);
    program_expect(&p, awk, 0);
    assert_int_equal(sscanf(p.out, "%lf %lf %lf", &want[0], &want[1], &want[2]), 3);
    program_free(&p);
    begin_reading(NULL);
    for (int i = 1; i <= 2; i++) {
        program_expect(&p, i == 1 ? "cat $D/one.txt" : "cat $D/two.txt", 0);
        assert_int_equal(read_text(p.out, (uint64_t)i), 0);
        program_free(&p);
    }
    expect(FLEET_cpu, want[0]);
    expect(FLEET_load, want[1]);
    expect(FLEET_memory, want[2]);
    end_reading();
    services_stop(NULL);
}

FIXTURE_STATUS(end_all)
{
    services_stop(state);
    return temp_folder_remove(state);
}

TEST_MAIN(temp_folder_make, end_all)

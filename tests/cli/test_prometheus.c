/* rooftop --scrape URL and rooftop prom:http://SERVER, as a user types them. Forks: not for TSan.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/service.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

static const char page[] = "node_load1 3\nnode_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 5\n"
                           "node_memory_MemAvailable_bytes 1e9\nnode_memory_MemTotal_bytes 4e9\n";

static void need_curl_library(void)
{
    struct program p;
    program_run(&p, "$BIN --scrape http://127.0.0.1:1 --headless 2>&1");
    if (strstr(p.out, "libcurl")) {
        program_free(&p);
        skip_because("this rooftop has no libcurl: nothing is asked over HTTP");
    }
    program_free(&p);
}

TEST(exporters_are_a_fleet)
{
    char line[512];
    struct program p;
    need_curl_library();
    temp_folder_put("page.txt", page);
    const int port = service_web();
    snprintf(line, sizeof line,
             "$BIN --scrape one=http://127.0.0.1:%d/files/page.txt "
             "--scrape two=http://127.0.0.1:%d/status/500 --format csv",
             port, port);
    program_expect(&p, line, 0);
    program_sees(&p, "one");
    program_sees(&p, "75");
    program_sees(&p, "answered 500");
    program_free(&p);
    snprintf(line, sizeof line, "$BIN --scrape http://127.0.0.1:%d/status/500 --headless", port);
    program_expect(&p, line, 4); /* no host is live */
    program_free(&p);
    services_stop(NULL);
}

TEST(what_cannot_be_is_refused)
{
    static const struct {
        const char *line;
        int status;
        const char *why;
    } rows[] = {
        {"--scrape localhost:9100", 2, "begins with http"},
        {"--scrape http://user:word@host:9100", 2, "others see"},
        {"--match '{job=\"node\"}' --scrape http://127.0.0.1:1", 2, "none is given"},
        {"prom:127.0.0.1:9090", 2, "begins with http"},
        {"prom:http://127.0.0.1:1 --match 'job=1'", 2, "{ is expected"},
        {"prom:http://127.0.0.1:1 --past 5", 2, "too short"},
        {"prom:http://127.0.0.1:1 --past soon", 2, "not a time"},
        {"prom:http://127.0.0.1:1 --host-label a-b", 2, "no name of a label"},
        {"prom:http://127.0.0.1:1 --exporters /nowhere", 3, "No such file"},
        {"prom:http://127.0.0.1:1 --prom-auth /nowhere", 3, "No such file"},
        {"prom:http://127.0.0.1:1", 4, "does curl reach it"},
        {"prom:http://", 2, "rooftop: prom: the address names no host"},
        {"prom:", 2, "rooftop: prom: an address begins with http"},
        {"prom:server:9090", 2, "rooftop: prom: an address begins with http"},
        {"--scrape http://127.0.0.1:1 -- true", 2, "one machine"},
    };
    need_curl_library();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[512];
        snprintf(line, sizeof line, "$BIN --headless %s", rows[i].line);
        struct program p;
        program_run(&p, line);
        if (p.status != rows[i].status || !strstr(p.err, rows[i].why))
            fail_msg("%s: %d, '%s'", rows[i].line, p.status, p.err);
        program_free(&p);
    }
}

/* The past is what the server kept, the newest what it says now. */
TEST(a_real_server_has_a_past)
{
    char line[512];
    struct program p;
    if (!service_has("prometheus") || !service_has("prometheus-node-exporter"))
        skip_because("prometheus or prometheus-node-exporter is not installed: a real server");
    need_curl_library();
    const int exporter = service_port(), server = service_port();
    snprintf(line, sizeof line,
             "scrape_configs:\n- job_name: node\n  scrape_interval: 1s\n  static_configs:\n"
             "  - targets: ['127.0.0.1:%d']\n",
             exporter);
    temp_folder_put("prometheus.yml", line);
    snprintf(line, sizeof line, "exec prometheus-node-exporter --web.listen-address=127.0.0.1:%d",
             exporter);
    service_start(line);
    service_wait(exporter);
    snprintf(line, sizeof line,
             "exec prometheus --config.file=%s/prometheus.yml --storage.tsdb.path=%s/data "
             "--web.listen-address=127.0.0.1:%d",
             temp_folder, temp_folder, server);
    service_start(line);
    service_wait(server);
    snprintf(line, sizeof line,
             "i=0; until [ $i -ge 600 ] || [ $($BIN prom:http://127.0.0.1:%d --past 60s --match "
             "'{job=\"node\"}' --format jsonl 2>/dev/null | grep -c '\"live\":1') -ge 4 ]; do "
             "i=$((i+1)); sleep 0.1; done; [ $i -lt 600 ]",
             server);
    program_expect(&p, line, 0);
    program_free(&p);
    services_stop(NULL);
}

/* Answers of a server: of two hosts one is up, with a load of 3, and of 1, 2 and 2 before. Returns
 * the port. */
static int serve_past(void)
{
    static const char head[] = "{\"status\":\"success\",\"data\":{\"result\":[";
    static const char host[] = "{\"metric\":{\"instance\":\"%s\",\"rooftop_row\":\"%s\"},";
    char text[1024], gone[128], there[128];
    const long now = (long)time(NULL);
    snprintf(gone, sizeof gone, host, "gone", "up");
    snprintf(there, sizeof there, host, "there", "0");
    temp_folder_put("rows.toml", "[[exporter]]\nmetric = \"load\"\nseries = \"a\"\n");
    snprintf(text, sizeof text, "%s%s\"value\":[1,\"0\"]},%s\"value\":[1,\"3\"]}]}}", head, gone,
             there);
    temp_folder_put("query", text);
    snprintf(text, sizeof text, "%s%s\"values\":[[%ld,\"1\"],[%ld,\"2\"],[%ld,\"2\"]]}]}}", head,
             there, now - 40, now - 30, now - 20);
    temp_folder_put("query_range", text);
    return service_web();
}

/* The first host is gone for longer than what is asked for; the second one's past is shown. */
TEST(the_past_is_that_of_who_was_there)
{
    char line[512];
    struct program p;
    need_curl_library();
    snprintf(line, sizeof line,
             "$BIN prom:http://127.0.0.1:%d/files --past 5m --exporters $D/rows.toml "
             "--headless --format jsonl | wc -l",
             serve_past());
    program_expect(&p, line, 0);
    program_sees(&p, "4");
    program_free(&p);
    services_stop(NULL);
}

/* On a terminal, where Left goes back; what stands in the place of a file is none. */
TEST(a_server_is_shown_and_its_past_too)
{
    char address[64], rows[128];
    const char *argv[] = {program_rooftop(), address, "--past", "5m", "--exporters", rows, NULL};
    struct pty t;
    need_curl_library();
    snprintf(address, sizeof address, "prom:http://127.0.0.1:%d/files", serve_past());
    snprintf(rows, sizeof rows, "%s/rows.toml", temp_folder);
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv, .cols = 80, .rows = 24}), 0);
    assert_true(pty_until_text(&t, "2 hosts: 1 live, 1 lost"));
    assert_true(pty_until_text(&t, "up is 0"));
    assert_true(pty_until_text(&t, "3.00"));
    pty_keys(&t, "("); /* the first row is of the host that has no past */
    assert_true(pty_until_text(&t, "fleet at"));
    assert_true(pty_until_text(&t, "1.00"));
    pty_keys(&t, ")");
    assert_true(pty_until_text(&t, "3.00"));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    pty_end(&t);
    services_stop(NULL);
}

TEST(a_server_that_does_not_answer_is_named_and_need_not_be_waited_for)
{
    char address[64];
    const char *argv[] = {program_rooftop(), address, NULL};
    struct pty t;
    need_curl_library();
    snprintf(address, sizeof address, "prom:http://127.0.0.1:%d/never", service_web());
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&t, "asking http://127.0.0.1:"));
    pty_keys(&t, "\x03");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGINT);
    pty_end(&t);
    services_stop(NULL);
}

/* The present is answered, the past is not: the command says so, and shows no shorter past. */
TEST(a_past_that_is_refused_is_told)
{
    char line[512];
    struct program p;
    need_curl_library();
    temp_folder_put("query",
                    "{\"status\":\"success\",\"data\":{\"result\":[{\"metric\":{\"instance\":"
                    "\"one\",\"rooftop_row\":\"up\"},\"value\":[1,\"1\"]}]}}");
    temp_folder_put("query_range", "{\"status\":\"error\",\"error\":\"too many points\"}");
    snprintf(line, sizeof line, "$BIN prom:http://127.0.0.1:%d/files --past 5m --headless",
             service_web());
    program_run(&p, line);
    if (p.status != 4 || !strstr(p.err, "too many points") || !strstr(p.err, "--past"))
        fail_msg("%d, '%s'", p.status, p.err);
    program_free(&p);
    services_stop(NULL);
}

/* A warning, as ssh has one for keys; the file is used. */
TEST(a_secret_that_others_can_read_is_told)
{
    static const struct {
        const char *mode;
        bool open;
    } rows[] = {{"0666", true}, {"0644", true}, {"0620", true}, {"0600", false}, {"0400", false}};
    struct program p;
    char line[256];
    need_curl_library();
    temp_folder_put("auth", "bearer sesame");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line,
                 "chmod %s $D/auth; $BIN --scrape http://127.0.0.1:1 --prom-auth $D/auth "
                 "--headless",
                 rows[i].mode);
        program_run(&p, line);
        const bool told = strstr(p.err, "chmod 600");
        if (told != rows[i].open || strstr(p.err, "sesame"))
            fail_msg("%s: '%s'", rows[i].mode, p.err);
        program_free(&p);
    }
}

FIXTURE_STATUS(end_all)
{
    services_stop(state);
    return temp_folder_remove(state);
}

TEST_MAIN(temp_folder_make, end_all)

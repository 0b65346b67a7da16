/* Addresses, protocols, headers and settings, from options and OpenTelemetry's variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/delivery/endpoint.h"
#include "support/test.h"

#define GRPC "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

static struct endpoint e;
static struct error err;

static int open_it(const char *url, const char *protocol)
{
    endpoint_close(&e);
    err = (struct error)ERROR_INIT;
    return endpoint_open(&e, url, protocol, &err);
}

static void is(const char *url, const char *protocol, const char *whole, const char *by)
{
    if (open_it(url, protocol) != 0)
        fail_msg("%s: %s", url, err.why);
    if (strcmp(e.url, whole) != 0 || strcmp(endpoint_protocol_name(e.protocol), by) != 0)
        fail_msg("%s is %s by %s", url, e.url, endpoint_protocol_name(e.protocol));
}

TEST(test_addresses)
{
    is("http://h:4318", NULL, "http://h:4318/v1/traces", "http/protobuf");
    is("http://h:4318/", NULL, "http://h:4318/v1/traces", "http/protobuf");
    is("https://h/own/path", NULL, "https://h/own/path", "http/protobuf");
    is("HTTP://h", "http/json", "HTTP://h/v1/traces", "http/json");
    is("http://h:4317", NULL, "http://h:4317" GRPC, "grpc");
    is("http://[::1]:4317/x", NULL, "http://[::1]:4317" GRPC, "grpc");
    is("http://h:43170", NULL, "http://h:43170/v1/traces", "http/protobuf");
    is("http://h:4317", "http/protobuf", "http://h:4317/v1/traces", "http/protobuf");
    setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", 1);
    is("http://h:4317", NULL, "http://h:4317/v1/traces", "http/json");
    setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", 1);
    is("http://h:1", NULL, "http://h:1" GRPC, "grpc");
    unsetenv("OTEL_EXPORTER_OTLP_PROTOCOL");
    unsetenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL");
    setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:1/base/", 1);
    is("env", NULL, "http://all:1/base/v1/traces", "http/protobuf");
    setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://own:1/as/is", 1);
    is("env", NULL, "http://own:1/as/is", "http/protobuf");
    unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    unsetenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    assert_int_not_equal(open_it("env", NULL), 0);
}

TEST(test_refused)
{
    char longest[ENDPOINT_URL + 8] = "http://";
    memset(longest + 7, 'h', sizeof longest - 8);
    const char *const urls[] = {"",
                                "h:4318",
                                "ftp://h",
                                "http://",
                                "http:///x",
                                "http://?x",
                                "http://h\n/",
                                "http://h\xc3\xa4",
                                "file:///etc",
                                "http://h /v1",
                                "http://h\\x",
                                longest};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        if (open_it(urls[i], NULL) == 0 || err.kind != ERROR_USAGE)
            fail_msg("'%.40s' is taken", urls[i]);
    assert_int_not_equal(open_it("http://h", "http"), 0);
}

/* A password in an address would be in the list of processes, in messages and in the spool. */
TEST(test_password)
{
    static const char *const urls[] = {"http://me:secret@h:4318", "https://secret@h",
                                       "me:secret@h:1",           "http:/me:secret@h",
                                       "htp://me:secret@h/",      "http://h/?key=secret\n",
                                       "ftp://h?key=secret"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        if (open_it(urls[i], NULL) == 0)
            fail_msg("%s is taken", urls[i]);
        char text[1024];
        error_format(&err, text, sizeof text);
        if (strstr(text, "secret"))
            fail_msg("%s: %s", urls[i], text);
    }
    open_it("http://me:secret@h", NULL);
    assert_non_null(strstr(err.help, "OTEL_EXPORTER_OTLP_HEADERS"));
    assert_int_equal(open_it("http://h/a@b", NULL), 0);
}

static int open_kept(const char *own, const char *url)
{
    endpoint_close(&e);
    err = (struct error)ERROR_INIT;
    if (own)
        setenv("OTEL_EXPORTER_OTLP_ENDPOINT", own, 1);
    const int rc = endpoint_open_kept(&e, url, &err);
    unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    return rc;
}

/* Headers and client certificate go to the collector that the environment names, and to no other
 * one that a message of the spool was kept for. */
TEST(test_kept)
{
    static const struct {
        const char *own, *url;
        bool same;
    } cases[] = {
        {NULL, "http://h/v1/traces", false},
        {"http://h", "http://h/v1/traces", true},
        {"HTTP://H:80/base", "http://h/v1/traces", true},
        {"https://h", "https://h:443/x", true},
        {"https://h:", "https://h:443/x", true},
        {"http://[::1]:4318", "http://[::1]:4318/v1/traces", true},
        {"http://[::1]", "http://[::1]:80/v1/traces", true},
        {"http://h:4317", "http://h:4317" GRPC, true},
        {"https://h", "http://h/v1/traces", false},
        {"http://h", "https://h/v1/traces", false},
        {"http://h:4318", "http://h:4319/v1/traces", false},
        {"http://h", "http://hh/v1/traces", false},
        {"http://hh", "http://h/v1/traces", false},
        {"http://h", "http://h@evil/v1/traces", false},
        {"http://h", "http://h:80@evil/v1/traces", false},
        {"http://h", "http://evil/h", false},
        {"http://h", "http://evil#http://h", false},
        {"http://h", "http://h\\@evil/", false},
        {"http://[::1]", "http://[::2]/", false},
        {"h", "h", false},
    };
    static const char *const secrets[] = {"HEADERS", "TRACES_HEADERS", "CLIENT_CERTIFICATE",
                                          "CLIENT_KEY"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof secrets / sizeof *secrets; k++) {
            char name[64], text[1024];
            snprintf(name, sizeof name, "OTEL_EXPORTER_OTLP_%s", secrets[k]);
            setenv(name, "a=secret", 1);
            const int rc = open_kept(cases[i].own, cases[i].url);
            unsetenv(name);
            if ((rc == 0) != cases[i].same)
                fail_msg("%s of %s for %s: %d %s", name, cases[i].own, cases[i].url, rc, err.why);
            error_format(&err, text, sizeof text);
            if (!cases[i].same && (strstr(text, "secret") || !strstr(text, name)))
                fail_msg("it says: %s", text);
        }
    /* without secrets, everything is sent to where it was meant for */
    assert_int_equal(open_kept(NULL, "http://h/v1/traces"), 0);
    assert_string_equal(e.url, "http://h/v1/traces");
    assert_null(e.headers[0]);
    assert_int_not_equal(open_kept(NULL, "http://me:secret@h/v1/traces"), 0);
    char longest[ENDPOINT_URL] = "http://";
    memset(longest + 7, 'h', sizeof longest - 8);
    assert_int_equal(open_kept(NULL, longest), 0);
    assert_string_equal(e.url, longest);
}

TEST(test_settings)
{
    setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 1);
    setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", 1);
    setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem", 1);
    setenv("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "/own.pem", 1);
    assert_int_equal(open_it("http://h", NULL), 0);
    assert_int_equal(e.timeout_ns, UINT64_C(2500000000));
    assert_true(e.gzip);
    assert_string_equal(e.authority, "/own.pem");
    setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "brotli", 1);
    assert_int_not_equal(open_it("http://h", NULL), 0);
    setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none", 1);
    static const char *const bad[] = {"0", "-1", "x", "5s", "999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("OTEL_EXPORTER_OTLP_TIMEOUT", bad[i], 1);
        if (open_it("http://h", NULL) == 0)
            fail_msg("a timeout of %s is taken", bad[i]);
    }
    unsetenv("OTEL_EXPORTER_OTLP_TIMEOUT");
    unsetenv("OTEL_EXPORTER_OTLP_COMPRESSION");
    unsetenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
    unsetenv("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE");
}

/* What could end a header and begin another one is refused. */
TEST(test_headers)
{
    setenv("OTEL_EXPORTER_OTLP_HEADERS", " Api-Key = a%3Db%2cc , x=", 1);
    assert_int_equal(open_it("http://h", NULL), 0);
    assert_string_equal(e.headers[0], "api-key: a=b,c");
    assert_string_equal(e.headers[1], "x: ");
    assert_null(e.headers[2]);
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b%00c", 1); /* no end of the text */
    assert_int_equal(open_it("http://h", NULL), 0);
    assert_string_equal(e.headers[0], "a: b%00c");
    setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b,c=d", 1);
    assert_int_equal(open_it("http://h", NULL), 0);
    assert_null(e.headers[2]);
    static const char *const bad[] = {"a",         "=b",     "a b=c", "a:=c",      "a=b%0d%0a",
                                      "a=b%0Ac:d", "a\nb=c", "a=%7f", "\xc3\xa4=b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("OTEL_EXPORTER_OTLP_HEADERS", bad[i], 1);
        if (open_it("http://h", NULL) == 0)
            fail_msg("the header %s is taken", bad[i]);
    }
    char many[400] = "a=b";
    for (int i = 0; i < 60; i++)
        strcat(many, ",a=b");
    setenv("OTEL_EXPORTER_OTLP_HEADERS", many, 1);
    assert_int_not_equal(open_it("http://h", NULL), 0);
    unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
    endpoint_close(&e);
}

TEST(test_shown)
{
    char out[128];
    endpoint_shown("http://user:secret@h:4318/v1/traces", out, sizeof out);
    assert_string_equal(out, "http://h:4318/v1/traces");
    endpoint_shown("http://h:4317" GRPC, out, sizeof out);
    assert_string_equal(out, "http://h:4317");
    endpoint_shown("https://h/v1?key=secret#x", out, sizeof out);
    assert_string_equal(out, "https://h/v1");
    endpoint_shown("http://h/a@b", out, sizeof out);
    assert_string_equal(out, "http://h/a@b");
}

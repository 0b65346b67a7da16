#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/live/export_csv.h"
#include "support/sample_snapshot.h"
#include "support/test.h"

enum { COLUMNS = 9, ROWS_MAX = 256 };

/* A separate reader of RFC 4180: rows of fields without quotes. */
struct table {
    char *cell[ROWS_MAX][COLUMNS];
    size_t rows;
};

/* Reads one field at *p into allocated memory; *p then points to what ended it. */
static char *read_field(const char **p)
{
    char *out = calloc(strlen(*p) + 1, 1);
    size_t n = 0;
    if (**p != '"') {
        size_t len = strcspn(*p, ",\r\n\"");
        memcpy(out, *p, len);
        *p += len;
        return out;
    }
    for (++*p; **p; ++*p) {
        if (**p == '"' && (*p)[1] != '"')
            break;
        *p += **p == '"';
        out[n++] = **p;
    }
    assert_int_equal(**p, '"');
    ++*p;
    return out;
}

static void parse(struct table *t, const char *text)
{
    memset(t, 0, sizeof *t);
    for (const char *p = text; *p; t->rows++) {
        assert_in_range(t->rows, 0, ROWS_MAX - 1);
        for (int col = 0; col < COLUMNS; col++) {
            t->cell[t->rows][col] = read_field(&p);
            if (col < COLUMNS - 1)
                assert_int_equal(*p++, ',');
        }
        assert_memory_equal(p, "\r\n", 2);
        p += 2;
    }
}

static void free_table(struct table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        for (int c = 0; c < COLUMNS; c++)
            free(t->cell[i][c]);
}

static void export_parsed(struct table *t)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    struct snapshot *s = sample_snapshot();
    export_csv_header(f);
    export_csv(f, s);
    fclose(f);
    snapshot_unref(s);
    parse(t, text);
    free(text);
}

static char **find_row(struct table *t, const char *kind, const char *name, const char *cpu)
{
    for (size_t i = 1; i < t->rows; i++)
        if (strcmp(t->cell[i][1], kind) == 0 && strcmp(t->cell[i][2], name) == 0 &&
            strcmp(t->cell[i][3], cpu) == 0)
            return t->cell[i];
    fail_msg("no row %s %s", kind, name);
    return NULL;
}

TEST(csv_header_and_shape)
{
    static const char *const head[COLUMNS] = {"time", "kind",  "name", "cpu",    "value",
                                              "unit", "valid", "why",  "running"};
    struct table t;
    export_parsed(&t);
    for (int c = 0; c < COLUMNS; c++)
        assert_string_equal(t.cell[0][c], head[c]);
    for (size_t i = 1; i < t.rows; i++) {
        bool valid = strcmp(t.cell[i][6], "true") == 0;
        assert_string_equal(t.cell[i][0], "2025-11-21T00:02:29.000000007Z");
        assert_true(valid || strcmp(t.cell[i][6], "false") == 0);
        assert_int_equal(valid, t.cell[i][4][0] != 0);  /* a valid row has a number */
        assert_int_equal(!valid, t.cell[i][7][0] != 0); /* an invalid row has a reason */
    }
    free_table(&t);
}

TEST(csv_values_read_back)
{
    struct table t;
    export_parsed(&t);
    assert_true(strtod(find_row(&t, "cpu", "busy", "0")[4], NULL) == 0.1 + 0.2);
    assert_true(strtod(find_row(&t, "counter", "core/cycles", "")[4], NULL) == 3.1e9 + 0.1);
    assert_string_equal(find_row(&t, "counter", "core/instructions", "")[8], "0.25");
    assert_string_equal(find_row(&t, "counter", "core/cycles", "3")[7], "CPU 1 is offline");
    assert_string_equal(find_row(&t, "gauge", "msr/temperature", "")[7],
                        "EACCES, \"msr\" needs CAP_SYS_RAWIO");
    assert_string_equal(find_row(&t, "metric", "watts", "")[5], "W");
    assert_string_equal(find_row(&t, "process", "cpu_time/1/init", "")[4], "12.25");
    assert_string_equal(find_row(&t, "cpu_account", "ended", "")[4], "37.25");
    assert_string_equal(find_row(&t, "network", "eth0/in", "")[4], "1500000");
    assert_string_equal(find_row(&t, "network", "eth0/out", "")[7],
                        "a counter of the device stepped back");
    assert_string_equal(find_row(&t, "thread", "cpu_time/4250/worker 2", "")[4], "0");
    assert_string_equal(find_row(&t, "function_self", "a.out/main", "")[4], "12.5");
    assert_string_equal(find_row(&t, "function_total", "a.out/main", "")[4], "100");
    free_table(&t);
}

TEST(csv_hostile_name_reads_back)
{
    struct table t;
    export_parsed(&t);
    find_row(&t, "process", "cpu_percent/4242/a\xef\xbf\xbd\"b,c\xef\xbf\xbd\xef\xbf\xbd[", "");
    free_table(&t);
}

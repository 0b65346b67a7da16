/* Options as in the User Guide of Nsight Systems, "CLI Command Switches". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "../nsys_sql.h"
#include "fake.h"

static int refuse(const char *what)
{
    fprintf(stderr, "unrecognised option '%s'\n", what);
    return 1;
}

static int profile(int argc, char **argv)
{
    char path[4200];
    int i = 2;
    const char *output = NULL;
    bool traces = false;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--trace=cuda,nvtx,osrt") == 0)
            traces = true;
        else if (strcmp(argv[i], "--output") == 0 && i + 1 < argc)
            output = argv[++i];
        else if (strcmp(argv[i], "--force-overwrite=true") != 0)
            return refuse(argv[i]);
    }
    if (!output || !traces || i == argc)
        return refuse("too few");
    int rc = fake_run(argv + i);
    snprintf(path, sizeof path, "%s.nsys-rep", output);
    FILE *f = fake_fault("base", "nothing") ? NULL : fopen(path, "w");
    if (f) {
        fputs("a report\n", f);
        fclose(f);
    }
    return rc;
}

static int export(int argc, char **argv)
{
    sqlite3 *db;
    static const char *const rows[] = {NSYS_STRINGS, nsys_new_tables, nsys_new_names,
                                       nsys_new_rows};
    if (argc != 8 || strcmp(argv[2], "--type") != 0 || strcmp(argv[3], "sqlite") != 0 ||
        strcmp(argv[4], "--force-overwrite=true") != 0 || strcmp(argv[5], "--output") != 0)
        return refuse("export");
    if (access(argv[7], R_OK) != 0 || fake_fault("export", "fail"))
        return refuse(argv[7]);
    if (sqlite3_open(argv[6], &db) != SQLITE_OK)
        abort();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sqlite3_exec(db, rows[i], NULL, NULL, NULL) != SQLITE_OK)
            abort();
    sqlite3_close(db);
    return 0;
}

int fake_nsys(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("NVIDIA Nsight Systems version 2025.5.2.0-test\n") < 0;
    fake_log(argc, argv);
    if (argc > 2 && strcmp(argv[1], "profile") == 0)
        return profile(argc, argv);
    if (argc > 2 && strcmp(argv[1], "export") == 0)
        return export(argc, argv);
    return refuse(argc > 1 ? argv[1] : "nothing");
}

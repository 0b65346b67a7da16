#include "base/pq_library.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/library.h"

static struct pq_library library;
static bool there;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_pq_library(void)
{
    static const char *const names[] = {"libpq.so.5"};
    static const struct library_function functions[] = {
        {"PQconninfoParse", &library.parse},
        {"PQconndefaults", &library.defaults},
        {"PQconninfoFree", &library.parse_free},
        {"PQfreemem", &library.free_memory},
        {"PQconnectStart", &library.connect_start},
        {"PQconnectPoll", &library.connect_poll},
        {"PQstatus", &library.status},
        {"PQsocket", &library.socket},
        {"PQerrorMessage", &library.message},
        {"PQfinish", &library.finish},
        {"PQsetnonblocking", &library.set_nonblocking},
        {"PQsendQuery", &library.send},
        {"PQsendQueryParams", &library.send_params},
        {"PQsetSingleRowMode", &library.single_rows},
        {"PQflush", &library.flush},
        {"PQconsumeInput", &library.consume},
        {"PQisBusy", &library.busy},
        {"PQgetResult", &library.result},
        {"PQclear", &library.clear},
        {"PQresultStatus", &library.result_status},
        {"PQresultErrorField", &library.result_field},
        {"PQntuples", &library.rows},
        {"PQgetvalue", &library.value},
        {"PQgetisnull", &library.is_null},
        {"PQunescapeBytea", &library.unescape},
        {"PQgetCancel", &library.cancel_new},
        {"PQcancel", &library.cancel},
        {"PQfreeCancel", &library.cancel_free},
        {"PQsetNoticeProcessor", &library.set_notices},
    };
    there = library_open(names, 1, functions, sizeof functions / sizeof *functions);
}

const struct pq_library *pq_library(void)
{
    pthread_once(&opened, open_pq_library);
    return there ? &library : NULL;
}

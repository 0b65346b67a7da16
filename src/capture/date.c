#include "capture/capture_impl.h"

#include <stdio.h>

/* Algorithm: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
void date_text(int64_t seconds, char out[DATE_TEXT])
{
    const int64_t days = seconds / 86400, rest = seconds % 86400;
    const int64_t z = days + 719468, era = z / 146097; /* days from 1 March of year 0 */
    const int64_t doe = z - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int month = (int)(mp < 10 ? mp + 3 : mp - 9);
    snprintf(out, DATE_TEXT, "%04d-%02d-%02dT%02d:%02d:%02dZ",
             (int)(yoe + era * 400 + (month <= 2)), month, (int)(doy - (153 * mp + 2) / 5 + 1),
             (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
}

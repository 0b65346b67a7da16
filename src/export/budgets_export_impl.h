/* Shared by the documents about budgets. */
#pragma once

#include "export/budgets_export.h"

/* "158, at most 150 (+5 %)" */
void budget_write_measure(FILE *out, const struct budget_verdict *v, bool ascii);

// `console`, which writes to standard error: standard output is not a component's answer.
#ifndef WORKBOOKS_CONSOLE_H
#define WORKBOOKS_CONSOLE_H

#include "quickjs.h"

void console_open(JSContext *ctx);

#endif

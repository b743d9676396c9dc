#include "console.h"
#include "modules.h"
#include <stdio.h>

// Text as it is; what JSON can hold as JSON; the rest as it calls itself.
static JSValue shown(JSContext *ctx, JSValueConst value)
{
    if (!JS_IsObject(value) || JS_IsFunction(ctx, value) || JS_IsError(value))
        return JS_ToString(ctx, value);
    JSValue json = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
    if (JS_IsString(json))
        return json;
    JS_FreeValue(ctx, json);
    JS_FreeValue(ctx, JS_GetException(ctx));
    return JS_ToString(ctx, value);
}

static JSValue print(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    for (int n = 0; n < argc; n++) {
        JSValue text = shown(ctx, argv[n]);
        if (JS_IsException(text))
            return text;
        size_t length;
        const char *bytes = text_of(ctx, &length, text);
        JS_FreeValue(ctx, text);
        if (bytes == NULL)
            return JS_EXCEPTION;
        if (n > 0)
            fputc(' ', stderr);
        fwrite(bytes, 1, length, stderr);
        JS_FreeCString(ctx, bytes);
    }
    fputc('\n', stderr);
    return JS_UNDEFINED;
}

void console_open(JSContext *ctx)
{
    static const char *const names[] = { "log", "info", "debug", "warn", "error", "trace" };
    static char line[4096];
    setvbuf(stderr, line, _IOLBF, sizeof line);
    JSValue console = JS_NewObject(ctx);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        JS_SetPropertyStr(ctx, console, names[n], JS_NewCFunction(ctx, print, names[n], 1));
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyStr(ctx, global, "console", console);
    JS_FreeValue(ctx, global);
}

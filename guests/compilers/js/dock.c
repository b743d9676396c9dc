#include "dock.h"
#include "modules.h"
#include <stdlib.h>
#include <string.h>

// The canonical ABI: a string is a pointer and a length; a result is a tag and the string of either side.
struct text {
    const char *bytes;
    size_t length;
};

struct outcome {
    uint8_t failed;
    struct text text;
};

#define DOCK(name) __attribute__((import_module("$root"), import_name(name)))

DOCK("session-info") void dock_session_info(struct text *into);

static JSValue session_info(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    struct text text;
    dock_session_info(&text);
    JSValue value = JS_ParseJSON(ctx, text.bytes, text.length, "sessionInfo");
    free((void *)text.bytes);
    return value;
}

// `Error` as it was before the program could change it. Made by it, an error knows the line that called us.
static JSValue error_class = JS_UNDEFINED;

#if defined(WORKBOOKS_VFS) || defined(WORKBOOKS_COMMANDS)
static bool given(JSContext *ctx, JSValueConst value, struct text *text)
{
    text->bytes = text_of(ctx, &text->length, value);
    return text->bytes != NULL;
}

static JSValue answered(JSContext *ctx, struct outcome outcome)
{
    JSValue value = JS_NewStringLen(ctx, outcome.text.bytes, outcome.text.length);
    free((void *)outcome.text.bytes);
    if (!outcome.failed || JS_IsException(value))
        return value;
    JSValue error = JS_CallConstructor(ctx, error_class, 1, (JSValueConst *)&value);
    JS_FreeValue(ctx, value);
    return JS_IsException(error) ? error : JS_Throw(ctx, error);
}
#endif

#ifdef WORKBOOKS_VFS
DOCK("vfs-query") void dock_vfs_query(const char *sql, size_t length, struct outcome *into);

static JSValue vfs_query(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    struct text sql;
    struct outcome outcome;
    if (!given(ctx, argv[0], &sql))
        return JS_EXCEPTION;
    dock_vfs_query(sql.bytes, sql.length, &outcome);
    JS_FreeCString(ctx, sql.bytes);
    JSValue json = answered(ctx, outcome);
    if (JS_IsException(json))
        return json;
    struct text rows;
    JSValue value = JS_EXCEPTION;
    if (given(ctx, json, &rows)) {
        value = JS_ParseJSON(ctx, rows.bytes, rows.length, "vfsQuery");
        JS_FreeCString(ctx, rows.bytes);
    }
    JS_FreeValue(ctx, json);
    return value;
}
#else
static JSValue vfs_query(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    return JS_ThrowTypeError(ctx, "vfsQuery needs the capability `vfs`: declare it with `:uses vfs`");
}
#endif

#ifdef WORKBOOKS_COMMANDS
DOCK("run-command")
void dock_run_command(const char *name, size_t name_length, const struct text *argv, size_t argc, const char *stdin_,
                      size_t stdin_length, struct outcome *into);

// The words of a list. A count, or -1 with an exception.
static int words(JSContext *ctx, JSValueConst list, struct text **into)
{
    int64_t count = 0;
    *into = NULL;
    if (JS_IsUndefined(list) || JS_IsNull(list))
        return 0;
    if (!JS_IsArray(list)) {
        JS_ThrowTypeError(ctx, "runCommand wants its arguments as an array");
        return -1;
    }
    if (JS_GetLength(ctx, list, &count) < 0)
        return -1;
    if (count > 65536) {
        JS_ThrowRangeError(ctx, "runCommand takes at most 65536 arguments");
        return -1;
    }
    struct text *found = calloc(count + 1, sizeof *found);
    if (found == NULL) {
        JS_ThrowOutOfMemory(ctx);
        return -1;
    }
    *into = found;
    for (int n = 0; n < count; n++) {
        JSValue word = JS_GetPropertyInt64(ctx, list, n);
        bool read = !JS_IsException(word) && given(ctx, word, &found[n]);
        JS_FreeValue(ctx, word);
        if (!read)
            return -1;
    }
    return count;
}

static JSValue run_command(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    struct text name, input = { "", 0 }, *arguments = NULL;
    struct outcome outcome;
    bool has_input = argc > 2 && !JS_IsUndefined(argv[2]) && !JS_IsNull(argv[2]);
    JSValue answer = JS_EXCEPTION;
    if (!given(ctx, argv[0], &name))
        return JS_EXCEPTION;
    int count = words(ctx, argc > 1 ? argv[1] : JS_UNDEFINED, &arguments);
    if (count >= 0 && (!has_input || given(ctx, argv[2], &input))) {
        dock_run_command(name.bytes, name.length, arguments, count, input.bytes, input.length, &outcome);
        if (has_input)
            JS_FreeCString(ctx, input.bytes);
        answer = answered(ctx, outcome);
    }
    for (int n = 0; arguments != NULL && arguments[n].bytes != NULL; n++)
        JS_FreeCString(ctx, arguments[n].bytes);
    free(arguments);
    JS_FreeCString(ctx, name.bytes);
    return answer;
}
#else
static JSValue run_command(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    return JS_ThrowTypeError(ctx, "runCommand needs the capability `commands`: declare it with `:uses commands`");
}
#endif

JSValue dock_open(JSContext *ctx)
{
    static const struct {
        const char *name;
        JSCFunction *call;
        int arguments;
    } functions[] = {
        { "sessionInfo", session_info, 0 },
        { "vfsQuery", vfs_query, 1 },
        { "runCommand", run_command, 3 },
    };
    JSValue dock = JS_NewObject(ctx), global = JS_GetGlobalObject(ctx);
    for (size_t n = 0; n < sizeof functions / sizeof *functions; n++) {
        JSValue function = JS_NewCFunction(ctx, functions[n].call, functions[n].name, functions[n].arguments);
        JS_SetPropertyStr(ctx, dock, functions[n].name, JS_DupValue(ctx, function));
        JS_SetPropertyStr(ctx, global, functions[n].name, function);
    }
    error_class = JS_GetPropertyStr(ctx, global, "Error");
    JS_FreeValue(ctx, global);
    return dock;
}

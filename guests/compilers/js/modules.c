#include "modules.h"
#include <stdlib.h>
#include <string.h>

static JSValue sources = JS_UNDEFINED;

static JSValue compile(JSContext *ctx, const char *name)
{
    JSValue source = JS_GetPropertyStr(ctx, sources, name);
    if (!JS_IsString(source)) {
        JS_FreeValue(ctx, source);
        return JS_ThrowReferenceError(ctx, "there is no module `%s` in this program", name);
    }
    size_t length;
    const char *text = JS_ToCStringLen(ctx, &length, source);
    JSValue compiled = JS_EXCEPTION;
    if (text != NULL)
        compiled = JS_Eval(ctx, text, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, source);
    return compiled;
}

static bool has(JSContext *ctx, const char *name)
{
    JSValue source = JS_GetPropertyStr(ctx, sources, name);
    bool found = JS_IsString(source);
    JS_FreeValue(ctx, source);
    return found;
}

// The name that a module really has: relative to the one that imports it, `./part` may mean part.js or part/index.js, and
// `./part.js` the part.ts that it was made of.
static char *spelled(JSContext *ctx, const char *base, const char *name, void *opaque)
{
    static const char *const endings[] = { "", ".js", ".ts", ".tsx", "/index.js", "/index.ts" };
    const char *slash = strrchr(base, '/');
    size_t kept = *name == '.' && slash != NULL ? slash - base : 0;
    char *path = js_malloc(ctx, kept + strlen(name) + sizeof "//index.ts");
    if (path == NULL)
        return NULL;
    memcpy(path, base, kept);
    path[kept] = '\0';
    if (*name == '.') {
        // Part by part, so that every `..` takes one away.
        for (const char *part = name; *part != '\0';) {
            size_t length = strcspn(part, "/");
            size_t end = strlen(path);
            if (length == 2 && memcmp(part, "..", 2) == 0) {
                char *last = strrchr(path, '/');
                *(last ? last : path) = '\0';
            } else if (length > 0 && !(length == 1 && *part == '.')) {
                if (end > 0)
                    path[end++] = '/';
                memcpy(path + end, part, length);
                path[end + length] = '\0';
            }
            part += length + (part[length] == '/');
        }
    } else {
        strcpy(path, name);
    }
    size_t end = strlen(path);
    for (size_t n = 0; n < sizeof endings / sizeof *endings; n++) {
        strcpy(path + end, endings[n]);
        if (has(ctx, path))
            return path;
    }
    path[end] = '\0';
    if (end > 3 && strcmp(path + end - 3, ".js") == 0) {
        strcpy(path + end - 3, ".ts");
        if (!has(ctx, path))
            strcpy(path + end - 3, ".js");
    }
    return path;
}

static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque)
{
    JSValue compiled = compile(ctx, name);
    if (JS_IsException(compiled))
        return NULL;
    JSModuleDef *module = JS_VALUE_GET_PTR(compiled);
    JS_FreeValue(ctx, compiled);
    return module;
}

bool modules_open(JSContext *ctx, const char *json)
{
    JSValue parsed = JS_ParseJSON(ctx, json, strlen(json), "modules");
    if (JS_IsException(parsed))
        return false;
    sources = parsed;
    JS_SetModuleLoaderFunc(JS_GetRuntime(ctx), spelled, load, NULL);
    return true;
}

JSValue modules_compile(JSContext *ctx, const char *name)
{
    JSValue compiled = compile(ctx, name);
    if (!JS_IsException(compiled) && JS_ResolveModule(ctx, compiled) < 0) {
        JS_FreeValue(ctx, compiled);
        return JS_EXCEPTION;
    }
    return compiled;
}

JSValue modules_evaluate(JSContext *ctx, JSValue compiled)
{
    JSModuleDef *module = JS_VALUE_GET_PTR(compiled);
    JSValue done = await_value(ctx, JS_EvalFunction(ctx, compiled));
    if (JS_IsException(done))
        return done;
    JS_FreeValue(ctx, done);
    return JS_GetModuleNamespace(ctx, module);
}

bool modules_has_default(JSContext *ctx, JSValueConst compiled)
{
    return JS_HasModuleExport(ctx, JS_VALUE_GET_PTR(compiled), "default");
}

const char *text_of(JSContext *ctx, size_t *length, JSValueConst value)
{
    const char *text = JS_ToCStringLen(ctx, length, value);
    // QuickJS writes a lone surrogate as three bytes that no UTF-8 has; U+FFFD has three as well.
    for (size_t at = 0; text != NULL && at + 2 < *length; at++) {
        unsigned char *bytes = (unsigned char *)text + at;
        if (bytes[0] == 0xed && bytes[1] >= 0xa0)
            memcpy(bytes, "\xef\xbf\xbd", 3);
    }
    return text;
}

static size_t append(JSContext *ctx, char *into, size_t at, size_t size, JSValue value)
{
    size_t length = 0;
    const char *text = text_of(ctx, &length, value);
    JS_FreeValue(ctx, value);
    if (text == NULL) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return at;
    }
    if (length > size - at) {
        length = size - at;
        while (length > 0 && (text[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(into + at, text, length);
    JS_FreeCString(ctx, text);
    return at + length;
}

size_t exception_text(JSContext *ctx, char *into, size_t size)
{
    JSValue thrown = JS_GetException(ctx);
    size_t at = append(ctx, into, 0, size, JS_DupValue(ctx, thrown));
    if (JS_IsError(thrown) && at < size) {
        into[at++] = '\n';
        JSValue stack = JS_GetPropertyStr(ctx, thrown, "stack");
        at = append(ctx, into, at, size, JS_IsString(stack) ? stack : JS_NewString(ctx, ""));
        if (!JS_IsString(stack))
            JS_FreeValue(ctx, stack);
    }
    JS_FreeValue(ctx, thrown);
    while (at > 0 && into[at - 1] == '\n')
        at--;
    return at;
}

// The Dock as functions of JavaScript.
//
// What a component may call is decided when the engine is linked: WORKBOOKS_VFS and WORKBOOKS_COMMANDS each bring one
// import. Without it the function is there and says what is missing.
#ifndef WORKBOOKS_DOCK_H
#define WORKBOOKS_DOCK_H

#include "quickjs.h"

// Makes the functions global, and gives them as one object.
JSValue dock_open(JSContext *ctx);

#endif

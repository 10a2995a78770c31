/*
 * A function's symbol and its name in the source. Compilers append words to the symbols of clones and parts of a
 * function (`.constprop.0`, `.isra.0`, `.part.0`, `.cold`, `.llvm.123`), and encode the names of C++ and Rust. Pure.
 */
#ifndef DECODE_NAMES_SYMBOL_MATCH_H
#define DECODE_NAMES_SYMBOL_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The length of a symbol without what the compiler appended. */
size_t symbol_base_length(const char *symbol);

/* Is it this function, or a clone or part of it? symbol may be NULL: no. */
bool symbol_is(const char *symbol, const char *function);

/* Does a pattern of fnmatch describe the function: its symbol, that without what the compiler appended, or its name in
 * C++ or Rust, with or without its parameters? */
bool symbol_matches(const char *symbol, const char *pattern);

/* The name in C++ or Rust that a symbol encodes, as c++filt prints it but without Rust's hashes; the caller frees it.
 * NULL: it encodes none, or the tool was built without libiberty. */
char *symbol_demangle(const char *symbol);

#endif

/*
 * BTF, the types of a kernel in its own image (section .BTF): offsets of members in structures and of per-CPU
 * variables. Linux, Documentation/bpf/btf.rst. The bytes are not trusted: what does not lie within them is treated as
 * absent. Pure.
 */
#ifndef DECODE_NAMES_BTF_H
#define DECODE_NAMES_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf {
    const uint8_t *types;
    size_t types_size;
    const char *names; /* all end with a zero, the last one too */
    size_t names_size;
    uint32_t *offsets; /* of each type's description in types; type 0 is void and has none */
    size_t nr_types;
};

/* The bytes must outlive btf. false: they are not BTF, or out of memory. */
bool btf_open(struct btf *btf, const uint8_t *bytes, size_t size);
void btf_close(struct btf *btf);

/* The offset of a member in a structure, in bytes. The member may be inside anonymous structures and unions. false:
 * there is no such structure, or no such member at a byte boundary. */
bool btf_member(uint64_t *offset, const struct btf *btf, const char *structure, const char *member);

/* The offset of a variable in its section, for example in .data..percpu. false: there is none. */
bool btf_variable(uint64_t *offset, const struct btf *btf, const char *section, const char *variable);

#endif

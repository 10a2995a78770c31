/*
 * BTF, the types of a kernel as its own image has them (section .BTF): where a member stands in a structure, and where
 * a variable of each CPU's. Linux, Documentation/bpf/btf.rst. The bytes may lie: what does not lie within them is not
 * there. Pure.
 */
#ifndef DECODE_NAMES_BTF_H
#define DECODE_NAMES_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf {
    const uint8_t *types;
    size_t types_size;
    const char *names; /* each ends with a zero, the last one too */
    size_t names_size;
    uint32_t *places; /* where each type's description begins in types; the first is void, and has none */
    size_t nr_types;
};

/* The bytes stay where they are. false: they are no BTF, or there is no memory. */
bool btf_open(struct btf *btf, const uint8_t *bytes, size_t size);
void btf_close(struct btf *btf);

/* Bytes from the beginning of a structure to a member of it, which may stand in structures and unions without a name
 * inside. false: there is no such structure, or no such member at a whole byte. */
bool btf_member(uint64_t *offset, const struct btf *btf, const char *structure, const char *member);

/* The offset of a variable in its section, as in .data..percpu. false: there is none. */
bool btf_variable(uint64_t *offset, const struct btf *btf, const char *section, const char *variable);

#endif

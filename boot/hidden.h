/*
 * Included first in every file of kind init, which are compiled without LTO (mk/hypervisor.mk). Without LTO the
 * compiler does not know that an external symbol is in the same image, and would address it through the global offset
 * table, by relocations that do not reach the image's address. Hidden visibility makes it use RIP-relative addresses.
 */
#pragma GCC visibility push(hidden)

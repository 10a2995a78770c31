/*
 * Included before all else in what is linked by itself (mk/hypervisor.mk: init): what it takes from elsewhere is in the
 * same image, so that its addresses need no global offset table, whose short forms do not reach as high as the image.
 */
#pragma GCC visibility push(hidden)

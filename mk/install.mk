# Installing: the host's part, the target's part, and Debian packages of both.

PREFIX := /usr/local
LIBDIR := lib
DESTDIR :=
TO = $(DESTDIR)$(PREFIX)

install:
	@tests/rig/deps.sh compile
	+@$(SUBMAKE) $(BUILD)/undertrace $(LIB_FILES)
	install -D -m 755 $(BUILD)/undertrace $(TO)/bin/undertrace
	install -D -m 644 decode/undertrace.1 $(TO)/share/man/man1/undertrace.1
	install -D -m 644 complete/undertrace $(TO)/share/bash-completion/completions/undertrace
	install -D -m 644 lib/libundertrace.3 $(TO)/share/man/man3/libundertrace.3
	install -D -m 644 lib/undertrace.h $(TO)/include/undertrace.h
	install -D -m 644 $(BUILD)/libundertrace.a $(TO)/$(LIBDIR)/libundertrace.a
	install -D -m 755 $(BUILD)/libundertrace.so $(TO)/$(LIBDIR)/libundertrace.so.$(VERSION)
	ln -sf libundertrace.so.$(VERSION) $(TO)/$(LIBDIR)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(TO)/$(LIBDIR)/libundertrace.so
	@mkdir -p $(TO)/$(LIBDIR)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' lib/undertrace.pc.in >$(TO)/$(LIBDIR)/pkgconfig/undertrace.pc
	ln -sf undertrace.pc $(TO)/$(LIBDIR)/pkgconfig/libundertrace.pc

# The traced machine needs the image and the script that puts it into GRUB's menu. GRUB dictates these paths, so PREFIX
# does not apply. An existing /etc/default/undertrace is that machine's configuration and stays.
install-boot:
	@tests/rig/deps.sh compile
	+@$(SUBMAKE) $(BUILD)/undertrace.elf $(BUILD)/undertrace.efi
	install -D -m 644 $(BUILD)/undertrace.elf $(DESTDIR)/boot/undertrace.elf
	install -D -m 644 $(BUILD)/undertrace.efi $(DESTDIR)/boot/undertrace.efi
	install -D -m 755 packaging/grub.d/25_undertrace $(DESTDIR)/etc/grub.d/25_undertrace
	[ -e $(DESTDIR)/etc/default/undertrace ] || install -D -m 644 packaging/default/undertrace $(DESTDIR)/etc/default/undertrace
	install -D -m 644 packaging/undertrace-boot.7 $(TO)/share/man/man7/undertrace-boot.7

uninstall-boot:
	rm -f $(DESTDIR)/boot/undertrace.elf $(DESTDIR)/boot/undertrace.efi $(DESTDIR)/etc/grub.d/25_undertrace $(DESTDIR)/etc/default/undertrace \
	    $(TO)/share/man/man7/undertrace-boot.7

# The source of a release, in build/dist.
dist:
	@tests/rig/deps.sh dist
	@packaging/dist.sh $(BUILD)/dist

# Debian packages, in build/deb.
deb:
	@tests/rig/deps.sh deb
	@packaging/deb.sh $(BUILD)/deb

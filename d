gdt 3
gdt_end 3
gdt_pointer 3
tss 3

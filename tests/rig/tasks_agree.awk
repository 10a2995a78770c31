# What the guest's story `names` printed of its tasks (first file), and the capture's records of them (second: pid,
# thread, borrows, comm of each record): prints how many records agree, how many differ, whether there are threads, and
# tasks that borrow. differ=FILE: which.
function value(name, text) { text = $0; sub(".*[ :]" name "=", "", text); sub(" [a-z_]*=.*", "", text); return text }
function flag(pid, bit) { return pid in flags && int(flags[pid] / bit) % 2 }
function hex(text, i, n) { for (i = 1; i <= length(text); i++) n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1; return n }
function wrong(what) { bad++; print what ": " $0 >differ }
NR == FNR && $1 == "was" { pid = $3; sub("^was [0-9]* [0-9]* ", ""); renamed[pid " " $0]; next }
NR == FNR {
    by = $0; sub(" +\\[.*", "", by); sub(".*-", "", by)
    pid = value("pid")
    if (/ task_newtask: /) {
        named[pid " " value("comm")]; flags[pid] = hex(value("clone_flags")); newest = pid + 0
        if (!oldest) oldest = newest
        group[pid] = flag(pid, 65536) ? group[by] : pid # CLONE_THREAD
        if (!flag(pid, 65536)) forked[pid] = by
    }
    if (/ task_rename: /) { named[pid " " value("newcomm")]; renamed[pid " " value("newcomm")] }
    if (/ sched_process_exec: / && pid + 0 > 0) executed[pid] = 1
    next
}
$2 + 0 > newest { next } # the guest read its tracepoints before that
{
    pid = $2; comm = $0; sub("^[0-9]* [0-9]* [a-z]* ", "", comm)
    known[pid]; called[pid " " comm]
    if (pid + 0 < oldest) next # nor yet
    if (!((pid " " comm) in named)) wrong("has no such name")
    if (group[pid] != $1) wrong("belongs to process " group[pid])
    if ($3 == "true" && !flag(pid, 16384)) wrong("was not by vfork") # CLONE_VFORK
    borrowed += $3 == "true"; threads += pid != $1; good++
}
END {
    for (pid in forked) if ((forked[pid] in known) && !(pid in known)) { $0 = pid; wrong("was forked and has no record") }
    for (name in renamed) {
        split(name, part, " ")
        if ((part[1] in known) && !(name in called)) { $0 = name; wrong("has this name, and no record of it") }
    }
    for (pid in executed) if (!(pid in known)) { $0 = pid; wrong("has executed a program and has no record") }
    print good + 0, bad + 0, (threads >= 6), (borrowed >= 1)
}

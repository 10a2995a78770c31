# Of a file of speedscope's: for each name the nanoseconds between `from` and `to` in which a frame of it is open, summed over its
# frames. A window's file has the same sums as the whole one, unless it has frames twice, or none at its begin.
/^\{"name":/ { name[frames] = $0; sub(/\}.*/, "", name[frames++]) }
/^\{"type":"evented"/ { totals = /"name":"totals of all CPUs"/ } # which has no times
/^\{"type":"[OC]"/ && !totals {
    split($0, part, /[:,}]/)
    if (part[2] == "\"O\"") {
        begin[++depth] = part[6]
    } else {
        a = begin[depth] > from ? begin[depth] : from
        b = part[6] < to ? part[6] : to
        depth--
        if (b > a) sum[part[4]] += b - a
    }
}
END {
    for (frame in sum) print sum[frame], name[frame]
}

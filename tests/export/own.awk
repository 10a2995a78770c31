# Of a file of speedscope's: the own time of each function in the profile of totals, "ns name", as its events give it.
BEGIN { frames = 0 }
/^\{"name":/ { name[frames] = $0; sub(/\{"name":"/, "", name[frames]); sub(/".*/, "", name[frames++]) }
/"type":"evented"/ { on = /totals of all CPUs/; at = 0; depth = 0 }
on && /^\{"type":"[OC]"/ {
    split($0, part, /[:,}]/)
    if (depth > 0) own[open[depth]] += part[6] - at
    at = part[6]
    if (part[2] == "\"O\"") open[++depth] = part[4]
    else depth--
}
END {
    for (frame in own) if (own[frame] > 0) print own[frame], name[frame]
}

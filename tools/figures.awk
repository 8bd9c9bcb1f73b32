# The closing table of ./dev bench, from the lines `figure | ours | against | ratio | goal | ok`
# in the programs' output. Fails where there is none.
BEGIN { FS = "|"; add("figure|ours|against|ratio|goal|ok") }

function add(line,   cells, count, i, cell) {
  count = split(line, cells, "|")
  ++rows
  for (i = 1; i <= 6; ++i) {
    cell = i <= count ? cells[i] : ""
    gsub(/^[ \t]+|[ \t\r]+$/, "", cell)
    table[rows, i] = cell
    if (length(cell) > width[i]) width[i] = length(cell)
  }
}

NF == 6 && $6 ~ /^[ \t]*(ok|short)[ \t\r]*$/ && $1 !~ /^[ \t]*figure[ \t]*$/ { add($0) }

END {
  for (r = 1; r <= rows; ++r)
    for (i = 1; i <= 6; ++i)
      printf "%-*s%s", (i < 6 ? width[i] : 0), table[r, i], (i < 6 ? " | " : "\n")
  exit rows > 1 ? 0 : 1
}

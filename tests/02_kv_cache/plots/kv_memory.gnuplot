# What the cache allocates, beside what the weights take.
set title "KV cache of one sequence, SmolLM2-135M shape, float32"
set xlabel "tokens of context"
set ylabel "megabytes"
set logscale x 2
set logscale y
set grid
set key bottom right
plot "KvMemory.csv" using 1:(column("kv_bytes")/1e6) with linespoints lw 2 pt 5 title "keys and values", \
     "KvMemory.csv" using 1:(column("weight_bytes")/1e6) with lines lw 2 dt 2 title "weights"

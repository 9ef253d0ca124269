# What a model loses when its keys and values are squeezed into a latent.
set title "austen-target: 128 numbers of keys and values a layer, squeezed into fewer"
set xlabel "bytes cached of a token (float32)"
set ylabel "perplexity, validation text"
set xtics 256
set grid
set key top right
plot "LowRankKv.csv" using (column("kv_bytes")):(column("perplexity")) with linespoints lw 2 pt 5 title "latent of 16, 32, ... 128 numbers"

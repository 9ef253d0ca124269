# One token at the end of a text, with and without a cache.
set title "One token at the end of a text, SmolLM2-135M shape, float32"
set xlabel "tokens of text"
set ylabel "milliseconds"
set logscale x 2
set logscale y
set grid
set key top left
plot "NaiveToken.csv" using 1:2 every ::1 with linespoints lw 2 pt 7 title "naive: everything again", \
     "CachedToken.csv" using 1:2 every ::1 with linespoints lw 2 pt 5 title "KV cache: one row"

# The two halves of a generation under the roof of this machine: what memory delivers, and what arithmetic can do.
stats "Roofline.csv" using (column("bandwidth_gb_s")) name "BANDWIDTH" nooutput
stats "Roofline.csv" using (column("peak_gflops")) name "PEAK" nooutput
roof(x) = x * BANDWIDTH_median < PEAK_median ? x * BANDWIDTH_median : PEAK_median
set title "The last 1, 8, 64, 512 of 1,024 tokens in one pass, SmolLM2-135M shape"
set xlabel "operations for each byte of weights and cache"
set ylabel "GFLOP/s"
set logscale xy
set xrange [0.2:1000]
set samples 400
set grid
set key bottom right
plot roof(x) with lines lw 2 title "roof: measured bandwidth and GEMM peak", \
     "Roofline.csv" using (column("flop_per_byte")):(column("gflops")) with linespoints lw 2 pt 7 dt 3 title "passes", \
     "Roofline.csv" using (column("flop_per_byte")):(column("gflops")):(sprintf("%d", column("argument"))) with labels offset 0,-1 notitle

# The training logs as one picture. Run in this folder: gnuplot plot_logs.gp
set datafile separator ","
set terminal svg size 760,420 font "sans-serif,13" background "white"
set output "logs/training.svg"
set xlabel "training tokens (millions)"
set ylabel "bits per character on the validation text"
set grid
set key top right
bits(name) = sprintf("logs/%s.csv", name)
plot for [name in "austen-target austen-draft-text austen-draft-distilled"] \
  bits(name) using ($2 / 1e6):7 skip 1 with linespoints pointtype 7 pointsize 0.4 linewidth 2 title name

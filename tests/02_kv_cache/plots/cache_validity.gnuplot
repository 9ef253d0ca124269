# Which cached rows change when token 5 of 11 is replaced: a column for each token, a row for each layer, a panel for each mask.
unchanged = 0xe6e6e6
changed = 0xd95f02
set multiplot layout 2,2 margins 0.08,0.98,0.13,0.84 spacing 0.06,0.17 title "Token 5 is replaced. Orange: cached keys and values that change"
set xrange [-0.6:10.6]
set yrange [3.6:-0.6]
set xtics 0,1,10 scale 0
set ytics 0,1,3 scale 0
unset key
set style fill solid noborder
masks = "Causal BehindPrefix InPrefix Bidirectional"
names = "'causal (decoder): valid before token 5' 'prefix of 4, token behind it: valid' 'prefix of 8, token within it: wrong' 'bidirectional (encoder): wrong'"
do for [panel = 1:4] {
  set title word(names, panel)
  if (panel % 2) { set ylabel "layer" } else { unset ylabel }
  if (panel > 2) { set xlabel "cached token" } else { unset xlabel }
  plot for [t = 0:10] "CacheValidity".word(masks, panel).".csv" using (t):1:(0.44):(0.44): \
    (column(sprintf("token_%02d", t)) > 0 ? changed : unchanged) with boxxyerror lc rgb variable
}
unset multiplot

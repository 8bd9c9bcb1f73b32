# The pictures of docs/mechanisms.md. In a folder of its own, for every NAME of examples/mechanisms:
#   rattleback run NAME.toml --out NAME.csv      (heavy_top with --every 4)
#   rattleback run satellite.toml --set wheel=0 --out satellite_off.csv;  chain_of_bodies chain.dat
# and then:  gnuplot -e "data='FOLDER/'" docs/images/mechanisms.gp
set datafile separator ","; set datafile columnheaders
set border 3 lc rgb "#666666"; set tics textcolor rgb "#333333" nomirror
set style line 1 lc rgb "#1f5fa8" lw 1.4
set style line 2 lc rgb "#c8442c" lw 1.4
set style line 3 lc rgb "#d9a514" lw 1.4
set style line 4 lc rgb "#777777" lw 1.2
set key top right opaque

set terminal svg size 420,400 font "sans-serif,12" background "white"
set output "docs/images/heavy_top.svg"
set title "heavy top: its centre from above"; set xlabel "x"; set ylabel "y"; set size ratio -1; unset key
set xtics 0.04; set ytics 0.04
plot data."heavy_top.csv" using (column("top.x")):(column("top.y")) with lines ls 1

set output "docs/images/four_bar.svg"
set title "four-bar: pins, centre of the coupler"; set xrange [-0.45:1.25]; set yrange [-0.45:0.75]
set xtics 0.4; set ytics 0.2
# The ends of a bar of half length l in the plane x, y.
c(b) = column(b.".q_w")**2 - column(b.".q_z")**2; s(b) = 2*column(b.".q_w")*column(b.".q_z")
plot data."four_bar.csv" every 9::0::400 using (column("crank.x")+0.15*c("crank")):(column("crank.y")+0.15*s("crank")) with points pt 7 ps 0.3 lc rgb "#d9a514", \
     '' every 9::0::400 using (column("rocker.x")+0.3*c("rocker")):(column("rocker.y")+0.3*s("rocker")) with points pt 7 ps 0.3 lc rgb "#c8442c", \
     '' every 2::0::400 using (column("coupler.x")):(column("coupler.y")) with lines ls 1, \
     '' every ::0::0 using (0):(0):(2*column("crank.x")):(2*column("crank.y")) with vectors nohead lc rgb "#333333" lw 3, \
     '' every ::0::0 using (2*column("crank.x")):(2*column("crank.y")):(0.9*c("coupler")):(0.9*s("coupler")) with vectors nohead lc rgb "#333333" lw 3, \
     '' every ::0::0 using (1):(0):(2*(column("rocker.x")-1)):(2*column("rocker.y")) with vectors nohead lc rgb "#333333" lw 3
unset xrange; unset yrange; set xrange [*:*]; set yrange [*:*]

set output "docs/images/chain_of_bodies.svg"
set datafile separator whitespace; unset datafile columnheaders
set title "chain of 100 bodies, every half of a unit"; set ylabel "z"; set xtics 50; set ytics 50
plot for [k=0:14] data."chain.dat" index k using 1:2 with lines lw 1.2 lc rgb hsv2rgb(0.58 + 0.025*k, 0.8, 0.75)
set datafile separator ","; set datafile columnheaders

set output "docs/images/delta.svg"
set title "delta robot at the start; path of its platform"; set xlabel ""; set ylabel ""
unset tics; unset border
# Seen from the side and a little from above.
across(x, y) = 0.8*x - 0.6*y; up(x, y, z) = 0.92*z + 0.38*(0.6*x + 0.8*y)
hx(k) = 0.35*cos(2*pi*(k - 1)/3); hy(k) = 0.35*sin(2*pi*(k - 1)/3); at(k, c) = column(sprintf("arm%d.%s", k, c))
ex(k) = 2*at(k, "x") - hx(k); ey(k) = 2*at(k, "y") - hy(k); ez(k) = 2*at(k, "z")
plot data."delta.csv" every 2 using (across(column("platform.x"), column("platform.y"))):(up(column("platform.x"), column("platform.y"), column("platform.z"))) with lines ls 1, \
     for [k=1:3] '' every ::0::0 using (across(hx(k), hy(k))):(up(hx(k), hy(k), 0)):(across(ex(k) - hx(k), ey(k) - hy(k))):(up(ex(k) - hx(k), ey(k) - hy(k), ez(k))) with vectors nohead lc rgb "#333333" lw 4, \
     for [k=1:3] '' every ::0::0 using (across(ex(k), ey(k))):(up(ex(k), ey(k), ez(k))):(across(hx(k)/7 - ex(k), hy(k)/7 - ey(k))):(up(hx(k)/7 - ex(k), hy(k)/7 - ey(k), column("platform.z") - ez(k))) with vectors nohead ls 4, \
     for [k=1:3] '' every ::0::0 using (0):(0):(across(hx(k), hy(k))):(up(hx(k), hy(k), 0)) with vectors nohead lc rgb "#999999" lw 1 dt 3, \
     for [k=1:3] '' every ::0::0 using (0):(up(0, 0, column("platform.z"))):(across(hx(k)/7, hy(k)/7)):(up(hx(k)/7, hy(k)/7, 0)) with vectors nohead ls 2
set border 3; set tics nomirror

set terminal svg size 720,300 font "sans-serif,12" background "white"
set size noratio; set xtics autofreq; set ytics autofreq; set xlabel "t"
set output "docs/images/flip.svg"
set title "angular velocity of a free body, body axes"; set key outside right
plot data."flip.csv" using 1:(column("wing nut.w_x")) with lines ls 3 title "w_x", \
     '' using 1:(column("wing nut.w_z")) with lines ls 2 title "w_z", '' using 1:(column("wing nut.w_y")) with lines ls 1 title "w_y"

set output "docs/images/satellite.svg"
set title "satellite: spin about its middle axis, body axes"
plot data."satellite_off.csv" using 1:(column("satellite.w_y")) with lines ls 2 title "wheel at rest", \
     data."satellite.csv" using 1:(column("satellite.w_y")) with lines ls 1 title "wheel at 40"

set output "docs/images/double_pendulum_of_bars.svg"
set multiplot layout 1,2
unset key; set title "centre of the lower bar"; set xlabel "x"; set ylabel "y"; set size ratio -1
plot data."double_pendulum.csv" using (column("lower.x")):(column("lower.y")) with lines ls 1
set title "energy"; set xlabel "t"; set ylabel ""; set size noratio
plot data."double_pendulum.csv" using 1:(column("energy")) with lines ls 1
unset multiplot

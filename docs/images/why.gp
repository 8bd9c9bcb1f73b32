# The picture of docs/index.md:  build/bin/why why.dat && gnuplot -e "data='why.dat'" docs/images/why.gp
set terminal svg size 960,340 font "sans-serif,13" background "white"
set output "docs/images/pendulum.svg"
set multiplot layout 1,3 margins 0.05,0.975,0.17,0.88 spacing 0.075,0.05
set style line 1 lc rgb "#1f5fa8" lw 1.4
set style line 2 lc rgb "#c8442c" lw 1.4
set style line 3 lc rgb "#d9a514" lw 1.4
set border 3 lc rgb "#666666"; set tics textcolor rgb "#333333" nomirror
set title "double pendulum, RATTLE, h = 0.01"; set xlabel "x"; unset key
set xrange [-1.75:1.75]; set yrange [-1.85:0.4]; set xtics 1; set ytics 0.5
plot data index 0 every ::0::400 using 2:3 with lines ls 1
set xtics 100; set ytics autofreq; set xlabel "t"; set xrange [0:500]
set logscale y; set format y "10^{%L}"
set title "energy error |H - H_0|"; set yrange [1e-7:1e4]; set key top right
plot data index 2 every 4 using 1:(abs($4)+1e-9) with lines ls 3 title "step, then project", \
     data index 1 every 4 using 1:(abs($4)+1e-9) with lines ls 2 title "RK4", \
     data index 0 every 4 using 1:(abs($4)+1e-9) with lines ls 1 title "RATTLE"
set title "constraint error max |g|"; set yrange [1e-17:1e1]; unset key
plot data index 2 every 4 using 1:($5+1e-17) with lines ls 3, \
     data index 1 every 4 using 1:($5+1e-17) with lines ls 2, \
     data index 0 every 4 using 1:($5+1e-17) with lines ls 1

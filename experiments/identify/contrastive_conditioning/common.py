"""Where Hessians are taken beside the optimum and the noise."""

ELSEWHERE = 1 / 16  # of the way from the optimum to the noise, or back

#error "simt has no cooperative groups: use __syncthreads(), __syncwarp() and the _sync functions of warps; a grid's barrier is the next launch"

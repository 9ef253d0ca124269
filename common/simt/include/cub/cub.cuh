#error "simt has no CUB: write the reduction or scan with shared memory and shuffles, as the chapters do"

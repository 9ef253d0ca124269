#error "simt has no cuRAND: draw random numbers on the host with common/tensor/random.h"

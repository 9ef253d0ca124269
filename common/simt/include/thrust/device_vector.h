#error "simt has no Thrust: use DeviceBuffer of common/cuda/device_buffer.h and a kernel"

#error "simt has no tensor-core fragments: write the product in float, or with __dp4a"

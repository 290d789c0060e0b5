# What the golden text is compared with.
nearfork topo 2>&1 | sed 's/^/topo: /'

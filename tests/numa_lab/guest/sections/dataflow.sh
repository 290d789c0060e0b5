# Buffers that are allocated when their producer starts lie on its node, and tasks with much data run where their inputs lie
# unless another worker would sleep.
check 'buffers lie on the node that ran their producer' lab_flow_pages 99
check 'buffers lie there without pushing, too' env NEARFORK_PUSH=none lab_flow_pages 99

"""The durable record of what happened, over four storage verbs: nv_read, nv_prog, nv_erase, nv_sync."""

package state

// hostSocket is where root's daemon answers every user.
const hostSocket = "/var/run/reaperd.sock"

package state

// System is where a system daemon shows that it runs.
const System Dir = "/var/run/reaperd"

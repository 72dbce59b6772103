package state

// System is the directory in which a system daemon shows that it runs.
const System Dir = "/var/run/reaperd"

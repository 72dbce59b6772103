// Package bench sweeps the worlds of the reports (package leaks) with reaperd
// and with the scripts that people run from cron against the same leaks, and
// prints what each of them ended, missed and took from a live session:
//
//	make bench-scenarios
//
// A script runs only inside a world's own namespaces, with the world's own
// engine. Processes and containers are counted one by one.
package bench

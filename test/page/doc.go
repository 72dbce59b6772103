// Package page tries the daemon's page in a real browser: headless Chromium.
//
// Worlds whose look is all that counts are published to a server of the test's own.
// A session that dies does so in a namespace of its own, where the real daemon
// watches it (package live). Where Chromium is missing, the tests are left out with
// one line each; REAPERD_TEST_REQUIRE=chromium makes that a failure.
package page

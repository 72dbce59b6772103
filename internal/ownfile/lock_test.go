package ownfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestALockHoldsUntilItsFileIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	shared, beside, alone := opened(t, path), opened(t, path), opened(t, path)
	for _, file := range []*os.File{shared, beside} {
		if err := Shared(file, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := take(alone, unix.LOCK_EX, 0); !errors.Is(err, ErrHeld) {
		t.Fatalf("two hold it: %v", err)
	}
	shared.Close()
	if err := take(alone, unix.LOCK_EX, 10*time.Millisecond); !errors.Is(err, ErrHeld) {
		t.Fatalf("one holds it: %v", err)
	}
	given := make(chan error, 1)
	go func() { given <- take(alone, unix.LOCK_EX, time.Minute) }()
	beside.Close()
	if err := <-given; err != nil {
		t.Fatalf("nobody holds it: %v", err)
	}
	if err := Shared(opened(t, path), 0); !errors.Is(err, ErrHeld) {
		t.Fatalf("it is one holder's alone: %v", err)
	}
}

func TestWhatCannotBeLockedIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	file := opened(t, path)
	file.Close()
	if err := take(file, unix.LOCK_EX, time.Minute); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("got %v", err)
	}
}

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

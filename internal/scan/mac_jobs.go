package scan

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// jobs are the jobs that launchd last reported.
type jobs struct {
	labels map[inventory.ID]string
	asked  time.Time // when it answered; zero is never
	known  map[inventory.ID]bool
}

// jobsStand is how long launchd's answer stands while nothing new that matters runs
// below it. Asking starts a program for each domain.
const jobsStand = 10 * time.Minute

// jobsTimeout limits how long asking for all domains may take.
const jobsTimeout = 5 * time.Second

// readJobs names the main processes of launchd's jobs. If launchd does not answer,
// that becomes a complaint, and the next look asks again.
func (m *Mac) readJobs(ctx context.Context, l *macLook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs.mayHaveChanged(l) {
		m.askJobs(ctx, l)
	}
	for i := range l.members {
		process := l.members[i].process
		process.Service = m.jobs.labels[process.ID()]
	}
}

func (m *Mac) askJobs(ctx context.Context, l *macLook) {
	ctx, cancel := context.WithTimeout(ctx, jobsTimeout)
	defer cancel()
	byPID, err := darwin.Jobs(ctx, l.kernel, l.host.UID.Or(-1) == 0, l.usersOfCandidates())
	if err != nil {
		l.gaps, l.complaints = append(l.gaps, inventory.GapServices), append(l.complaints, "services could not be asked: "+err.Error())
	}
	answered := jobs{labels: map[inventory.ID]string{}, known: l.belowLaunchd()}
	for pid, label := range byPID {
		if i, ok := l.byPID[pid]; ok {
			answered.labels[l.members[i].process.ID()] = label
		}
	}
	if err == nil {
		answered.asked = time.Now()
	}
	m.jobs = answered
}

// mayHaveChanged reports that a job may have another main process than when
// launchd was asked: something that matters is new below it.
func (j *jobs) mayHaveChanged(l *macLook) bool {
	if j.asked.IsZero() || time.Since(j.asked) >= jobsStand {
		return true
	}
	for id := range l.belowLaunchd() {
		if !j.known[id] {
			return true
		}
	}
	return false
}

// belowLaunchd are the related processes whose parent is launchd.
func (l *macLook) belowLaunchd() map[inventory.ID]bool {
	found := map[inventory.ID]bool{}
	for i := range l.members {
		if member := &l.members[i]; member.related && !member.gone && member.process.PPID.Or(0) == 1 {
			found[member.process.ID()] = true
		}
	}
	return found
}

// usersOfCandidates are the users whose jobs matter: those of the candidates' trees
// or, without root, only this user.
func (l *macLook) usersOfCandidates() []int {
	own := l.host.UID.Or(-1)
	users := map[int]bool{}
	for i := range l.members {
		uid := l.members[i].process.UID.Or(-1)
		if l.members[i].whole && uid > 0 && (own == 0 || uid == own) {
			users[uid] = true
		}
	}
	return slices.Sorted(maps.Keys(users))
}

// jobOf is the job whose main process it was at the last look.
func (m *Mac) jobOf(id inventory.ID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.jobs.labels[id]
}

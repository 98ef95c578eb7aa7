// Package httpd is the hosts' side: the loopback HTTP endpoint for every
// protocol revision. It guards the door (Host, Origin, token), keeps legacy
// sessions and their event streams, checks stateless 2026-07-28 requests, and
// hands each message to the directory.
//
// It knows no servers and decides no calls. The app listens and owns Run.
package httpd

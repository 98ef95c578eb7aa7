// Package directory knows what hosts see: the merged lists, the names on them
// and which server and tool stands behind each name. It routes a host's request
// to its server, past the gate, and a server's news to the hosts that see it.
//
// It owns the cached lists, the subscriptions and the log levels. It opens no
// sockets and starts no processes; httpd calls it for every request, the app
// tells it when an instance is ready or down.
package directory

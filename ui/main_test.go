package ui

import "time"

// moment is now in all tests of pages.
var moment = time.Date(2026, 3, 14, 14, 2, 30, 0, time.UTC)

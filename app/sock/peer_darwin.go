package sock

import "golang.org/x/sys/unix"

func peerUID(fd uintptr) (int, error) {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// localPeerPID is LOCAL_PEERPID of <sys/un.h>.
const localPeerPID = 2

func peerPID(fd uintptr) (int, error) {
	return unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, localPeerPID)
}

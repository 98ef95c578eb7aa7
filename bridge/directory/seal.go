package directory

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"bridgekeeper/bridge/rpc"
)

// seal makes requestState: text that only we can make and read, that works for
// one host and one call, for a time. Its key lives as long as the process, as
// the calls it stands for do.
type seal struct{ aead cipher.AEAD }

var errSeal = errors.New("not a state of ours")

func newSeal() *seal {
	var key [32]byte
	rand.Read(key[:]) // never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // a key of 32 bytes fits
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES fits GCM
	}
	return &seal{aead}
}

// close seals text for the host and what it is bound to, until expiry.
func (s *seal) close(text, host string, bound []byte, expiry time.Time) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(expiry.Unix()))
	plain = append(plain, text...)
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, with(host, bound)))
}

// open returns the text of a state that was sealed for the same host and thing
// and has not expired.
func (s *seal) open(state, host string, bound []byte, now time.Time) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		return "", errSeal
	}
	plain, err := s.aead.Open(nil, nil, raw, with(host, bound))
	if err != nil || len(plain) < 8 || now.Unix() > int64(binary.BigEndian.Uint64(plain)) {
		return "", errSeal
	}
	return string(plain[8:]), nil
}

func with(host string, bound []byte) []byte {
	return append(append([]byte(host), 0), bound...)
}

// binding is a digest of what a retry must repeat: where the call goes and
// what it says.
func binding(server string, m *rpc.Message) []byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(server), m.Bytes(m.Method), m.Bytes(m.Name), m.Bytes(m.URI), m.Bytes(m.Arguments)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

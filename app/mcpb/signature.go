package mcpb

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"io"
)

// The official tool puts a signature behind the archive: a mark, the length of a
// PKCS #7 structure (4 bytes, little endian), the structure, and a mark.
const (
	signatureStart = "MCPB_SIG_V1"
	signatureEnd   = "MCPB_SIG_END"
)

// signature says what stands behind the archive. Anything but a signature is
// refused: no other program would show it to a person.
func signature(r io.ReaderAt, end, size int64) (string, error) {
	n := size - end
	if n == 0 {
		return "not signed", nil
	}
	if n > maxSignature {
		return "", bad("%d bytes stand behind its archive, where only a signature may be", n)
	}
	data := make([]byte, n)
	if _, err := r.ReadAt(data, end); err != nil && err != io.EOF {
		return "", bad("it can't be read: %s", err)
	}
	inner, begins := bytes.CutPrefix(data, []byte(signatureStart))
	inner, ends := bytes.CutSuffix(inner, []byte(signatureEnd))
	if !begins || !ends || len(inner) < 4 {
		return "", bad("%d bytes stand behind its archive, and they are no signature", n)
	}
	der := inner[4:]
	if length := binary.LittleEndian.Uint32(inner); int64(length) <= int64(len(der)) {
		der = der[:length]
	}
	switch signer, self, ok := signerOf(der); {
	case !ok:
		return "signed in a way that can't be read; not verified", nil
	case self:
		return "signed by " + signer + ", with a certificate of its own making; not verified", nil
	default:
		return "signed by " + signer + "; not verified", nil
	}
}

// signerOf is the name in the first certificate of a PKCS #7 structure.
func signerOf(der []byte) (name string, self, ok bool) {
	var outer struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		return "", false, false
	}
	var signed struct {
		Version      int
		Digests      asn1.RawValue
		Content      asn1.RawValue
		Certificates asn1.RawValue `asn1:"optional,tag:0"`
		Rest         asn1.RawValue `asn1:"optional"`
		Signers      asn1.RawValue `asn1:"optional"`
	}
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &signed); err != nil {
		if _, err := asn1.Unmarshal(outer.Content.FullBytes, &signed); err != nil {
			return "", false, false
		}
	}
	certificates, err := x509.ParseCertificates(signed.Certificates.Bytes)
	if err != nil || len(certificates) == 0 {
		return "", false, false
	}
	c := certificates[0]
	name = c.Subject.CommonName
	if name == "" {
		name = c.Subject.String()
	}
	if len(name) > 80 {
		name = name[:80]
	}
	return "“" + name + "”", bytes.Equal(c.RawIssuer, c.RawSubject), true
}

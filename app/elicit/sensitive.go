package elicit

import (
	"regexp"
	"strings"
	"unicode"

	"bridgekeeper/app/wire"
)

// secretWords are whole words that ask for what must not go through a form, in
// the languages that servers are mostly written in.
var secretWords = set(`password passwords passwd pwd passphrase passphrases passcode passcodes secret secrets token pin otp totp
	cvv cvc cvv2 credential credentials apikey apikeys ssn iban
	passwort kennwort geheimnis contraseña contrasena senha parola heslo hasło haslo wachtwoord lösenord пароль clave`)

// nameWords count in a field's name and title only: in a sentence they are often
// about something else.
var nameWords = set(`key keys pass pw auth bearer mnemonic`)

// secretPhrases are two words that follow each other, or that some write as one.
var secretPhrases = regexp.MustCompile(`(^| )((api|access|private|secret|signing|encryption|ssh|master|auth|account|license|service) keys?|` +
	`(access|auth|api|refresh|bearer|session|bot|personal) tokens?|pass (word|phrase|code|key)s?|passkeys?|` +
	`(one time|verification|security|recovery|2 ?fa|mfa|two factor|login) (code|pin|password)s?|(seed|recovery) phrase|` +
	`(credit|debit|bank) ?card( number)?|card number|social security|mot de passe|client secret|private ?key|secret ?key|access ?key|access ?token|auth ?token)( |$)`)

// unspaced are words of scripts that write no spaces.
var unspaced = []string{"密码", "密碼", "口令", "密钥", "パスワード", "暗証番号", "비밀번호", "암호"}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// sensitive reports whether a field's words look as if it asked for a password,
// a key or the like.
func sensitive(f wire.FormField) bool {
	for i, s := range []string{f.Name, f.Title, f.Description} {
		list := words(s)
		for _, w := range list {
			if secretWords[w] || i < 2 && nameWords[w] {
				return true
			}
		}
		if secretPhrases.MatchString(strings.Join(list, " ")) {
			return true
		}
		for _, w := range unspaced {
			if strings.Contains(s, w) {
				return true
			}
		}
	}
	return false
}

// words splits names of any style (api_key, apiKey, API-Key, APIKey2) in lower
// case.
func words(s string) []string {
	var out []string
	runes := []rune(s)
	start := -1
	cut := func(end int) {
		if start >= 0 {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			cut(i)
			continue
		case start < 0:
		case unicode.IsUpper(r) && unicode.IsLower(runes[i-1]), unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			cut(i)
		case unicode.IsUpper(r) && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			cut(i) // the last capital of a run begins the next word
		}
		if start < 0 {
			start = i
		}
	}
	cut(len(runes))
	return out
}

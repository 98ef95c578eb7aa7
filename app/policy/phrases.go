package policy

import (
	"regexp"
	"strings"
	"unicode"
)

// phrase is something that servers say to models and not to people.
type phrase struct {
	trigger []string // one of these words is in every text that fits: a quick first look
	fits    *regexp.Regexp
	says    string // a sentence's end behind the place
}

func say(says, expr string, trigger ...string) phrase {
	return phrase{trigger, regexp.MustCompile(expr), says}
}

const (
	others = `(?:any|every|all|each)(?: of)?(?: the| your)?(?: other| available)*`
	person = `(?:the |this |your )?(?:user|human|person|operator|developer)s?\b`
	before = `(?:previous|prior|earlier|preceding|above|other|existing|system|all)`
	orders = `(?:instructions?|rules?|guidelines?|prompts?|directions?|constraints?|safety|policies|policy|context)`
)

// phrases are looked for in a text that simplify has made.
var phrases = []phrase{
	say("tells the model to disregard what it was told", `\b(?:ignore|disregard|forget|override|bypass)\b(?: \S+){0,3}? `+before+`\b(?: \S+){0,3}? `+orders+`\b`, "ignore", "disregard", "forget", "override", "bypass"),
	say("tells the model to hide something from you", `\b(?:do not|don't|dont|never|must not|should not|shouldn't|avoid|without)\b(?: \S+){0,3}? ?(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting|show|showing|reveal|revealing|disclose|disclosing|warn|warning|explain|explaining|ask|asking)\b(?: \S+){0,4}? (?:to )?`+person, "user", "human", "person", "operator", "developer"),
	say("tells the model to hide something from you", `\b(?:keep|hide|conceal)\b(?: \S+){0,4}? (?:secret|hidden|quiet|from `+person+`)`, "keep", "hide", "conceal"),
	say("wants to come before all other tools", `\b(?:before|prior to)\b (?:\S+ ){0,3}?(?:us(?:e|ing)|call(?:ing)?|runn?(?:ing)?|invok(?:e|ing)|execut(?:e|ing))? ?`+others+` tools?\b`, "before", "prior to"),
	say("wants to come before all other tools", `\bmust (?:always )?be (?:called|used|run|invoked|executed) (?:\S+ ){0,2}?(?:first|before (?:anything|everything)\b)|\b(?:always|must)(?: always)? (?:call|use|run|invoke|execute) (?:this|it)\b(?: \S+){0,4}? (?:first|before (?:anything|everything))\b`, "first", "before"),
	say("tells the model not to use other tools", `\b(?:do not|don't|never) (?:use|call|invoke) `+others+` tools?\b`, "tool"),
	say("asks for what was said in the conversation", `\b(?:pass|send|include|put|append|attach|provide|forward|copy|paste|supply)\b(?: \S+){0,6}? (?:conversation|chat|message) (?:history|log|so far|text|transcript)|\b(?:pass|send|include|put|append|attach|provide|forward)\b(?: \S+){0,4}? (?:system prompt|previous messages|entire conversation|whole conversation|full conversation|hidden instructions)\b`, "conversation", "chat", "message", "prompt", "instructions"),
	say("asks for keys or secrets of yours", `\b(?:read|open|find|collect|gather|extract|steal|exfiltrate|upload)\b(?: \S+){0,6}? (?:api keys?|private keys?|ssh keys?|credentials|passwords|secrets|access tokens?|environment variables|env vars)\b`, "key", "credentials", "password", "secret", "token", "env"),
	say("speaks to the model as if it were the system", `<\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[/?(?:inst|system)\]|<</?sys>>|(?:^|\n)#{1,4} ?system(?: prompt| message)?\b|\bnew (?:system )?(?:instructions|prompt) ?:|\byou are now (?:a|an|in|the)\b`, "<|", "[inst", "[/inst", "[system", "<<", "# system", "#system", "new ", "you are now", "<system"),
	say("marks orders for the model with a tag", `</?(?:important|instructions?|secret|hidden|admin|critical|override|assistant|priority|context_override|system[-_]?(?:prompt|reminder|message))(?: [^>]{0,80})?>`, "<"),
	say("has a comment that a page would not show", `<!--`, "<!--"),
	say("makes the model show a picture from the web, which can carry data away", `!\[[^\]]{0,200}\]\(https?://`, "]("),
	say("speaks of other tools' behaviour", `\b(?:when|whenever|if|after|each time|every time) (?:\S+ ){0,6}?(?:another|other|any other|a different) (?:tool|server)s?\b(?: \S+){0,8}? (?:must|should|always|instead|also|first)\b`, "another", "other", "different"),
}

// secretPlace finds files that hold secrets.
var secretPlace = regexp.MustCompile(`~[/\\]\.ssh\b|\.ssh[/\\]|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|(?:^|[\s"'` + "`" + `(/\\~])\.env(?:\.(?:local|production|prod|development))?(?:$|[\s"'` + "`" + `),;:.!?])|\.aws[/\\]credentials|\.netrc\b|\.pgpass\b|\.git-credentials|\.npmrc\b|\.pypirc\b|\.kube[/\\]config|\.docker[/\\]config\.json|\.gnupg\b|/etc/(?:passwd|shadow)\b|\bwallet\.dat\b|\.cursor[/\\]mcp\.json|claude_desktop_config\.json|\blogin\.keychain|\.bash_history|\.zsh_history|\bntuser\.dat\b`)

// secretWords are in everything that secretPlace finds: a quick first look.
var secretWords = []string{".ssh", "id_", ".env", ".aws", ".netrc", ".pgpass", ".git-cred", ".npmrc", ".pypirc", ".kube", ".docker", ".gnupg", "/etc/", "wallet", "mcp.json", "desktop_config", "keychain", "_history", "ntuser"}

// simplify makes a text comparable: no hidden characters, Latin letters for
// those that look like them, small letters, single spaces. Line ends stay.
func simplify(s string) string {
	space := false
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(latin(r))
		switch {
		case r == '’':
			r = '\''
		case r == '\n':
			space = true
			return r
		case unicode.IsSpace(r), r == '*':
			if space {
				return -1
			}
			space = true
			return ' '
		case hiddenKind(r) != "":
			return -1
		}
		space = false
		return r
	}, s)
}

// aimed finds instructions that are aimed at the model, and places of secrets.
func aimed(where, s string) (out []string) {
	plain := simplify(s)
	// A sentence may go on in the next line; only headings need their line's begin.
	flat := strings.ReplaceAll(plain, "\n", " ")
	said := make(map[string]bool)
	for _, p := range phrases {
		if said[p.says] || !containsAny(plain, p.trigger) {
			continue
		}
		found := p.fits.FindString(flat)
		if found == "" {
			found = p.fits.FindString(plain)
		}
		if found != "" {
			said[p.says] = true
			out = append(out, where+" "+p.says+": "+shown(found)+".")
		}
	}
	if !containsAny(plain, secretWords) {
		return out
	}
	if found := secretPlace.FindString(plain); found != "" {
		out = append(out, where+" speaks of a file that holds secrets: "+shown(strings.Trim(found, " \t\n\"'`(),;:!?"))+".")
	}
	return out
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

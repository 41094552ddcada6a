/**
 * Makes control characters visible (`␛`, `␍`) instead of dropping them, so that a person who approves a diff sees what a
 * terminal would hide. Tab and line feed stay; lone surrogates become U+FFFD.
 */
export function showControls(text: string): string {
  return text.toWellFormed().replace(hidden, toPicture)
}

// C0 and C1 controls, DEL, and characters that reorder text on screen (bidirectional overrides and isolates).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const hidden = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

function toPicture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}

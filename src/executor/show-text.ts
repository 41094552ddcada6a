const maxShown = 1024

/** Formats a name or path on one line: control characters are escaped, a very long one is shortened in the middle. */
export function showName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal or forge a line
  const escaped = name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/g, escapeCharacter)
  if (escaped.length <= maxShown) return escaped
  return `${escaped.slice(0, maxShown / 2)}…${escaped.slice(-maxShown / 2)}`
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  if (character === '\\') return '\\\\'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Replaces NUL and lone surrogates by U+FFFD, since queue and database cannot store them. */
export function toStorableText(text: string): string {
  return text.replace(
    /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  )
}

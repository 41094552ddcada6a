/** Shannon entropy in bits per character. Characters are counted modulo 128. */
export function entropy(value: string): number {
  const counts = new Uint32Array(128)
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at) & 127
    counts[code] = (counts[code] ?? 0) + 1
  }
  let bits = 0
  for (const count of counts) {
    if (count > 0) bits -= (count / value.length) * Math.log2(count / value.length)
  }
  return bits
}

export function hasDigit(value: string): boolean {
  return /[0-9]/.test(value)
}

/** Whether the text has letters of both cases. */
export function isMixedCase(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value)
}

/** Whether the text looks random; for tokens with a short prefix, where a row of words must not match. */
export function isScrambled(value: string): boolean {
  return (hasDigit(value) || isMixedCase(value)) && entropy(value) >= 3 && !isWordy(value)
}

/** Whether the text is made of words, each with at most a number after it: `my-app-2024`, `nextToken2`, `req.body.token1`. */
export function isWordy(value: string): boolean {
  if (isMixedCase(value) && lengthOfWords(value) >= 0.7 * value.length) return true
  return value.split(/[^A-Za-z0-9]+/).every((part) => isWord(part))
}

function lengthOfWords(value: string): number {
  return value.match(/[A-Z]?[a-z]{3,}/g)?.join('').length ?? 0
}

// Few capitals in proportion to the length; otherwise alternating case would pass as many words.
function isWord(part: string): boolean {
  if (/^(?:[0-9]{0,8}|[vV][0-9]{1,4})$/.test(part)) return true
  const [, letters = ''] = /^([A-Za-z]+)[0-9]{0,5}$/.exec(part) ?? []
  if (letters === '') return false
  const capitals = letters.replaceAll(/[^A-Z]/g, '').length
  return capitals === letters.length || capitals <= Math.ceil(letters.length / 4)
}

/** Whether the text is obviously invented; for tokens with an unmistakable prefix. */
export function isMadeUp(value: string): boolean {
  return /x{6}|X{6}|\*{3}|\.{4}|0{12}|your[_-]|[_-]here$/i.test(value) || entropy(value) < 1.5
}

const gitHash = /^[0-9a-f]{40}$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isGitHash(value: string): boolean {
  return gitHash.test(value)
}

export function isUuid(value: string): boolean {
  return uuid.test(value)
}

import { isWordy } from './randomness.ts'

const memberOf = /^!*[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+!?$/
const called = /^!*[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*[?!]?\.?[([{]/
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** A variable, a member of one, a call, a tag of YAML, or the line of an account without its hash. */
export function isCode(value: string): boolean {
  if (memberOf.test(value) && isWordy(value)) return true
  if (called.test(value) && (/[([{,]$/.test(value) || isExpression(value))) return true
  if (/^![A-Za-z]+$/.test(value)) return true
  return /^\w*(?:passw|pwd|secret|token)\w*$/i.test(value) || /^[\w-]+:[x*!]?:[0-9]*:/.test(value)
}

/** Each bracket is closed, and no word begins directly behind one. */
function isExpression(value: string): boolean {
  if (/[)\]]\w/.test(value)) return false
  const open: string[] = []
  for (const character of value) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return false
  }
  return open.length === 0
}

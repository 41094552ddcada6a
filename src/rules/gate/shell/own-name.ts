import type { Assignment, Redirection, Word } from 'unbash'

/** Names that scripts give to what they found, and that neither programs nor bash look for. */
const usual =
  /^(?:VERSION|TAG|NS|NAMESPACE|POD|PODS|COUNT|FILE|FILES|DIR|NAME|BRANCH|SHA|COMMIT|ID|OUT|OUTPUT|RESULT|RESPONSE|START|TOTAL|SIZE|STATUS|CODE|IMAGE|CONTAINER)$/

/** Whether no program and no part of bash gives a meaning to a variable of this name. */
export function isOwnName(name: string): boolean {
  return /^(?:[a-z][a-z0-9]*|[A-Z])$/.test(name) && name !== 'histchars'
}

/** Whether an assignment gives one such variable a value, and does nothing else. */
export function isOwnAssignment(
  part: Assignment | Redirection,
): part is Assignment & { readonly value: Word } {
  if (part.type !== 'Assignment') return false
  const { name, value, append, index } = part
  const isPlain = append !== true && index === undefined && value.type === 'Word'
  return isPlain && (isOwnName(name) || usual.test(name))
}

import type { Redirection as Node, Redirect } from 'unbash'
import type { Redirection } from './analysis.ts'
import { documentHazard } from './words/here-document.ts'
import { isLiteralWord } from './words/word-hazards.ts'

const freeTargets: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** SHELL-06: the file accesses of a redirection; empty for descriptor copies and the null device. */
export function redirectionsOf(node: Redirect): readonly Redirection[] {
  const path = node.target?.value
  if (isFree(node)) return []
  if (node.operator === '<' || node.operator === '<&') return [{ use: 'read', path }]
  const write: Redirection = { use: 'write', path }
  return node.operator === '<>' ? [{ use: 'read', path }, write] : [write]
}

/** The reason why a redirection cannot be evaluated by its file; undefined if the rules for files apply. */
export function redirectionHazard(node: Node): string | undefined {
  if (node.type === 'HereDoc') return documentHazard(node)
  if (node.type !== 'Redirect') return 'it holds a here-string'
  if (node.descriptor?.type === 'FileDescriptorVariable')
    return 'it redirects by a descriptor that it names itself'
  if (isFree(node)) return undefined
  const { target, operator } = node
  const isDescriptor = operator === '<&' || (operator === '>&' && /^[\d-]/.test(target?.text ?? ''))
  if (target === undefined || isDescriptor || !isLiteralWord(target) || !isPlainPath(target))
    return 'it redirects to or from a file that its text does not name'
  return undefined
}

/** `~` means the home directory only if it is not quoted. */
function isPlainPath({ text, value }: { readonly text: string; readonly value: string }): boolean {
  if (value === '' || value.includes('$') || value.includes('\n')) return false
  return !value.startsWith('~') || text.startsWith('~/')
}

function isFree({ operator, target }: Redirect): boolean {
  if (target === undefined) return false
  if (operator === '>&' || operator === '<&') {
    if (/^(?:\d{1,2}|-)$/.test(target.text)) return true
  }
  return freeTargets.has(target.text)
}

/** Whether a redirection only discards errors: `2>/dev/null`. */
export function isSilencing(node: Node): boolean {
  const { descriptor } = node
  const isError = descriptor?.type === 'FileDescriptor' && descriptor.value === 2
  return (
    node.type === 'Redirect' &&
    node.operator === '>' &&
    isError &&
    node.target?.text === '/dev/null'
  )
}

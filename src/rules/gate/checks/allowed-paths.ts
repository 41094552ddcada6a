import { toPathGlob } from '../../../shared/glob/path-glob.ts'
import { isWithin } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { PathValue } from '../values.ts'
import { hasInvisible } from '../visible.ts'
import type { Finding } from './finding.ts'

const maxPathCharacters = 4_096

/** FILE-01, FILE-02: file tools stay inside the allowed paths; readable paths may be read, never written. */
export function checkPaths(
  paths: readonly PathValue[],
  facts: Pick<GateFacts, 'allowedPaths' | 'readablePaths' | 'workspace'>,
): readonly Finding[] {
  return paths.flatMap((path): Finding[] => {
    const problem = pathProblem(path, facts)
    if (problem !== undefined) return [{ check: 'paths', action: 'deny', reason: problem }]
    if (!hasInvisible(path.forms.given)) return []
    const reason = 'the path holds invisible characters'
    const effect = { kind: 'hidden_characters', of: path.forms.given } as const
    return [{ check: 'paths', action: 'ask', reason, isHazard: true, effect }]
  })
}

function pathProblem(
  { forms, use }: PathValue,
  facts: Pick<GateFacts, 'allowedPaths' | 'readablePaths' | 'workspace'>,
): string | undefined {
  if (forms.given.length > maxPathCharacters) return 'the path is too long'
  if (forms.given.includes('\0')) return 'the path holds a NUL character'
  const allowed = facts.allowedPaths.length === 0 ? [facts.workspace] : facts.allowedPaths
  if (allowed.some((directory) => isWithin(forms.absolute, directory))) return undefined
  const isReadable = facts.readablePaths
    .filter((place) => /^(?:\/|\*\*)/.test(place))
    .some((place) => toPathGlob(place)?.(forms.absolute) === true)
  if (!isReadable) return `${forms.given} lies outside what file tools may reach`
  return use === 'read' ? undefined : `${forms.given} may be read, not changed`
}

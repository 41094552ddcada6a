import { fold } from '../../../shared/fold.ts'
import { isWithin, type PathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { PathValue } from '../values.ts'
import type { Finding } from './finding.ts'

/** GATE-12: no tool may read or change our own files, regardless of all layers. */
export function checkProtected(
  paths: readonly PathValue[],
  facts: Pick<GateFacts, 'protectedPaths' | 'workspace'>,
): readonly Finding[] {
  const isProtected = createProtectionFinder(facts)
  return paths
    .filter(
      ({ forms, use }) => isProtected(forms) || (use === 'remove' && holdsProtected(forms, facts)),
    )
    .map(({ forms }) => protectedFinding(forms.given))
}

export function protectedFinding(given: string): Finding {
  return {
    check: 'protected',
    action: 'deny',
    reason: `${given} belongs to the product itself; no tool may touch it`,
  }
}

/**
 * Creates the check for protected paths. The call's workspace is accessible even inside a protected directory, unless the
 * workspace is the outer one.
 */
export function createProtectionFinder(
  facts: Pick<GateFacts, 'protectedPaths' | 'workspace'>,
): (forms: PathForms) => boolean {
  const workspace = fold(facts.workspace)
  const places = facts.protectedPaths.map(fold)
  return ({ absolute }) => {
    const path = fold(absolute)
    return places.some((own) => {
      if (!isWithin(path, own)) return false
      return !(workspace !== own && isWithin(workspace, own) && isWithin(path, workspace))
    })
  }
}

function holdsProtected(forms: PathForms, facts: Pick<GateFacts, 'protectedPaths'>): boolean {
  return facts.protectedPaths.some((own) => isWithin(fold(own), fold(forms.absolute)))
}

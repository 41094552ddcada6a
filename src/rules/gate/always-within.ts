import type { ApproverSettings, QuorumRule } from '../../domain/approvers.ts'
import { fold } from '../../shared/fold.ts'
import { toWildcard } from '../../util/text/wildcard-match.ts'
import { wildcardsOverlap } from '../../util/text/wildcards-overlap.ts'
import { namesTool } from '../tools/mcp-names.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { approverRule, type CallToApprove, toNamed } from './approver-rule.ts'

/**
 * APPR-12, THREAT-4: limits the patterns that *Always* offers where some calls need more approvers than this one. No pattern may
 * cover such a call, because a grant replaces all of its approvers.
 */
export function alwaysWithin(
  call: CallToApprove,
  spec: Subject,
  patterns: readonly string[],
  settings: ApproverSettings,
): readonly string[] {
  const { people } = approverRule(call, settings)
  const stricter = settings.quorum.filter(
    (rule) => rule.people > people && namesTool(rule.tool, toNamed(call), 'deny'),
  )
  const isWithin = stricter.every((rule) =>
    patterns.every((pattern) => !mayCover(spec, pattern, rule)),
  )
  return isWithin ? patterns : []
}

type Subject = Pick<ToolSpec, 'ruledBy' | 'paths'>

/** Whether a rule with this pattern could let a call of the quorum run. Errs towards yes. */
function mayCover(spec: Subject, pattern: string, { pattern: wanted }: QuorumRule): boolean {
  const { ruledBy, paths = [] } = spec
  // The pattern is the path of one file, for which the quorum was applied.
  if (paths.length === 1 && paths[0]?.isFile === true) return false
  // Exactly the arguments for which the quorum was applied.
  if (ruledBy?.kind === 'arguments') return !pattern.startsWith('{')
  const text = fold(pattern)
  const named = toWildcard(fold(wanted))
  if (ruledBy?.kind === 'command') {
    const forms = [text, text.replace(/^[^\s*]*\//, '')].map(toWildcard)
    return forms.some((form) => form.literal === undefined && wildcardsOverlap(form, named))
  }
  if (ruledBy?.kind === 'url') {
    return addressesOf(text).some((address) => wildcardsOverlap(toWildcard(address), named))
  }
  // A directory covers everything below it; the exact arguments of a tool without paths cover nothing else.
  return toWildcard(text).literal === undefined || !/^["{[]/.test(text)
}

/** A host covers all of its addresses; an address has no name in front of the host (WEB-02). */
function addressesOf(host: string): readonly string[] {
  const whole = ['https', 'http'].map((scheme) => `${scheme}://${host}`)
  return [host, ...whole, ...whole.flatMap((address) => [`${address}/*`, `${address}:*`])]
}

import type { ApproverSettings, QuorumRule } from '../../domain/approvers.ts'
import { fold } from '../../shared/fold.ts'
import { matchesWildcard, toWildcard } from '../../util/text/wildcard-match.ts'
import { wildcardsOverlap } from '../../util/text/wildcards-overlap.ts'
import { toToolName } from '../tools/registry.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { approverRule, type CallToApprove } from './approver-rule.ts'

/**
 * APPR-12, THREAT-4: what *Always* may offer where the operator wants more people for some calls than for this one: nothing that
 * could cover one of those, since a grant stands for all whom they would ask.
 */
export function alwaysWithin(
  call: CallToApprove,
  spec: Subject,
  patterns: readonly string[],
  settings: ApproverSettings,
): readonly string[] {
  const { people } = approverRule(call, settings)
  const stricter = settings.quorum.filter(
    (rule) => rule.people > people && matchesWildcard(toWildcard(toToolName(rule.tool)), call.tool),
  )
  const isWithin = stricter.every((rule) =>
    patterns.every((pattern) => !mayCover(spec, pattern, rule)),
  )
  return isWithin ? patterns : []
}

type Subject = Pick<ToolSpec, 'ruledBy' | 'paths'>

/** Whether a rule for this pattern could let a call of the quorum run. Rather too much than too little. */
function mayCover(spec: Subject, pattern: string, { pattern: wanted }: QuorumRule): boolean {
  const { ruledBy, paths = [] } = spec
  // It is the path of one file, of which the quorum has been asked.
  if (paths.length === 1 && paths[0]?.isFile === true) return false
  const text = fold(pattern)
  const named = toWildcard(fold(wanted))
  if (ruledBy?.kind === 'command') {
    const forms = [text, text.replace(/^[^\s*]*\//, '')].map(toWildcard)
    return forms.some((form) => form.literal === undefined && wildcardsOverlap(form, named))
  }
  if (ruledBy?.kind === 'url') {
    return addressesOf(text).some((address) => wildcardsOverlap(toWildcard(address), named))
  }
  // A directory covers all below it; the exact arguments of a tool without paths cover nothing else.
  return toWildcard(text).literal === undefined || !/^["{[]/.test(text)
}

/** A host covers all of its addresses; none has a name in front of the host (WEB-02). */
function addressesOf(host: string): readonly string[] {
  const whole = ['https', 'http'].map((scheme) => `${scheme}://${host}`)
  return [host, ...whole, ...whole.flatMap((address) => [`${address}/*`, `${address}:*`])]
}

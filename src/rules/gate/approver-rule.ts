import type { ApproverRule, ApproverSettings, QuorumRule } from '../../domain/approvers.ts'
import { isAtLeast, may, type Role } from '../../domain/caller.ts'
import type { Risk } from '../../domain/verdict.ts'
import { matchesWildcard, toWildcard } from '../../util/text/wildcard-match.ts'
import { toToolName } from '../tools/registry.ts'
import type { ApprovalSubject } from './approval-subject.ts'
import { createRule, matchesText } from './permissions/rule.ts'

/** A call as the rule about its approvers sees it. */
export interface CallToApprove {
  readonly tool: string
  readonly risk: Risk
  readonly subject: ApprovalSubject
}

/** APPR-17, APPR-12: who may approve a call, and how many must; of all that speaks of it the most people count. */
export function approverRule(call: CallToApprove, settings: ApproverSettings): ApproverRule {
  const quorum = settings.quorum.filter((rule) => matchesQuorum(rule, call))
  return {
    leastRole: settings.roles[call.risk],
    people: Math.max(settings.people[call.risk], ...quorum.map(({ people }) => people)),
    allowSelf: settings.allowSelf,
  }
}

/** Whoever would approve a call, as the rule about its approvers sees them. */
export interface Approver {
  /** Of the account by which they do, whatever others they have. */
  readonly role: Role
  /** The call is their own, by whichever account they asked for it. */
  readonly isSelf: boolean
  /** The question was put to them by name. */
  readonly isAsked: boolean
}

/**
 * CHAT-02: callers approve their own calls where that is allowed and their role suffices, approvers and operators those of
 * others; whoever else was asked by name needs the least role. Other people of a group may nothing.
 */
export function mayApprove({ role, isSelf, isAsked }: Approver, rule: ApproverRule): boolean {
  if (!isAtLeast(role, rule.leastRole)) return false
  if (isSelf) return rule.allowSelf
  return isAsked || may({ role }, 'decide_for_others')
}

/** As a rule that denies matches: in every spelling of a path, in any case, and by one of several values. */
function matchesQuorum({ tool, pattern }: QuorumRule, call: CallToApprove): boolean {
  if (!matchesWildcard(toWildcard(toToolName(tool)), call.tool)) return false
  const rule = createRule({ layer: 'operator', tool, pattern, action: 'deny' })
  const { texts, paths, isOpaque } = call.subject
  if (rule.matchesAll || isOpaque) return true
  if (texts.some((text) => matchesText(rule, text))) return true
  if (paths.some(rule.foldedGlob)) return true
  const { name } = rule
  return name !== undefined && paths.some((path) => segmentsOf(path).includes(name))
}

/** A bare name means what has it in any directory of the workspace, not the directories above. */
function segmentsOf(path: string): readonly string[] {
  return path.startsWith('/') ? [] : path.split('/')
}

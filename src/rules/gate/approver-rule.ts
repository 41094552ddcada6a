import type { ApproverRule, ApproverSettings, QuorumRule } from '../../domain/approvers.ts'
import { isAtLeast, may, type Role } from '../../domain/caller.ts'
import type { Risk } from '../../domain/verdict.ts'
import { type NamedTool, namesTool } from '../tools/mcp-names.ts'
import type { ApprovalSubject } from './approval-subject.ts'
import { argumentMatcher } from './arguments/match-arguments.ts'
import { createRule, matchesText } from './permissions/rule.ts'

/** The facts of a call that decide who may approve it. */
export interface CallToApprove {
  readonly tool: string
  readonly risk: Risk
  readonly subject: ApprovalSubject
}

/**
 * APPR-17, APPR-12: who may approve a call and how many approvals it needs; of several matching rules the highest number applies.
 */
export function approverRule(call: CallToApprove, settings: ApproverSettings): ApproverRule {
  const quorum = settings.quorum.filter((rule) => matchesQuorum(rule, call))
  return {
    leastRole: settings.roles[call.risk],
    people: Math.max(settings.people[call.risk], ...quorum.map(({ people }) => people)),
    allowSelf: settings.allowSelf,
  }
}

/** A possible approver of a call. */
export interface Approver {
  /** The role of the account used for the approval; other accounts do not count. */
  readonly role: Role
  /** The call was requested by the same person, with any of their accounts. */
  readonly isSelf: boolean
  /** The person was asked by name. */
  readonly isAsked: boolean
}

/**
 * CHAT-02: whether a person may approve a call. Everyone needs the role that the rule requires. Callers approve their own calls
 * if that is allowed; approvers, operators and people asked by name approve those of others. Other members of a group may not.
 */
export function mayApprove({ role, isSelf, isAsked }: Approver, rule: ApproverRule): boolean {
  if (!isAtLeast(role, rule.leastRole)) return false
  if (isSelf) return rule.allowSelf
  return isAsked || may({ role }, 'decide_for_others')
}

/** Matches like a deny rule: any spelling of a path, any case, any one of several values. */
function matchesQuorum({ tool, pattern }: QuorumRule, call: CallToApprove): boolean {
  const { texts, paths, args, isOpaque } = call.subject
  if (!namesTool(tool, toNamed(call), 'deny')) return false
  const rule = createRule({ layer: 'operator', tool, pattern, action: 'deny' })
  if (rule.matchesAll || isOpaque) return true
  if (args !== undefined) return argumentMatcher(args)(rule) !== 'no'
  if (texts.some((text) => matchesText(rule, text))) return true
  if (paths.some(rule.foldedGlob)) return true
  const { name } = rule
  return name !== undefined && paths.some((path) => segmentsOf(path).includes(name))
}

/** The call's tool as rules may name it. */
export function toNamed({ tool, subject: { origin } }: CallToApprove): NamedTool {
  return origin === undefined ? { name: tool } : { name: tool, origin }
}

/** A bare name matches in any directory inside the workspace, but not in the workspace's own path. */
function segmentsOf(path: string): readonly string[] {
  return path.startsWith('/') ? [] : path.split('/')
}

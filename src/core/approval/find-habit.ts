import { findKindAnswers, type KindAnswers } from '../../db/approval/kinds.ts'
import type { Habit } from '../../domain/approval.ts'
import { may } from '../../domain/caller.ts'
import { candidatesOf } from '../../rules/gate/suggest/miner.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Ask } from '../call/ask-again.ts'
import type { GateTransaction } from '../call/gate/call-context.ts'
import { findAnswerer } from '../people/people.ts'

/** Older approvals do not count; a proposal is repeated after `offeredDays` at the earliest. */
const span = { days: 90, offeredDays: 30, newest: 200 }

/** People whose roles are looked up. */
const mostPeople = 10

/** States in which a call of the kind was turned down, by a denial or by an edit. */
const refusals: ReadonlySet<string> = new Set(['denied', 'superseded'])

/**
 * CARD-07: earlier approvals of calls like this one, if there are enough to propose *Always*. Counts people who may allow it for
 * everybody now, and all calls of a batch once. Undefined if a call of the kind was denied or edited, if a proposal was made
 * lately, or if APPR-21 proposes no rule for it.
 */
export async function findHabit(tx: GateTransaction, ask: Ask): Promise<Habit | undefined> {
  const { learnAfter } = tx.ctx.settings
  if (learnAfter === 0 || !isProposable(tx, ask)) return undefined
  const kind = {
    worker: tx.session.worker,
    tool: ask.call.tool,
    alwaysPatterns: toStorable(JSON.stringify(ask.verdict.alwaysPatterns)),
  }
  const answers = await findKindAnswers(tx.db, kind, span)
  if (answers.some(({ state, isOffered }) => refusals.has(state) || isOffered)) return undefined
  const counted = await countApprovals(tx, answers, learnAfter)
  const times = counted.reduce((sum, { taps }) => sum + taps, 0)
  if (times < learnAfter) return undefined
  const since = new Date(Math.min(...counted.map((one) => one.since.getTime())))
  return { times, since: since.toISOString() }
}

/** True for a call that asks for one thing, for which `gate suggest` would propose the same pattern. */
function isProposable({ facts }: GateTransaction, { call, verdict, args }: Ask): boolean {
  const [pattern, ...more] = verdict.alwaysPatterns
  if (pattern === undefined || more.length > 0 || verdict.risk === 'high') return false
  const spec = facts.tools.find(({ name }) => name === call.tool)
  const [candidate, ...others] = spec === undefined ? [] : candidatesOf(spec, args, facts)
  if (candidate === undefined || others.length > 0) return false
  return pattern === candidate.wide || pattern === candidate.exact
}

/** Approvals by people who may make the rule, until there are enough: what a user approves holds for their session alone. */
async function countApprovals(
  { ctx, db }: GateTransaction,
  answers: readonly KindAnswers[],
  enough: number,
): Promise<readonly KindAnswers[]> {
  const counted: KindAnswers[] = []
  let taps = 0
  const approvals = answers.filter(({ state, isTimed }) => state === 'approved' && !isTimed)
  for (const one of approvals.slice(0, mostPeople)) {
    if (taps >= enough) break
    const caller = one.by === null ? undefined : await findAnswerer(ctx, db, one.by)
    if (caller === undefined || !may(caller, 'allow_for_everybody')) continue
    counted.push(one)
    taps += one.taps
  }
  return counted
}

import { z } from 'zod'
import { findKindDecisions, type KindDecisions } from '../../db/approval/kinds.ts'
import type { Habit } from '../../domain/approval.ts'
import { may } from '../../domain/caller.ts'
import { candidatesOf } from '../../rules/gate/suggest/miner.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { toStorable } from '../../util/text/storable.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { Ask } from '../call/ask-again.ts'
import type { GateTransaction } from '../call/gate/load-facts.ts'
import { findAnswerer } from '../people/find-answerer.ts'

/** Approvals older than this do not count, and a proposal is repeated after `offeredDays` at the earliest. */
const span = { days: 90, offeredDays: 30 }

/**
 * CARD-07: earlier approvals of calls like this one, if there are enough to propose *Always*. Counts people who may allow it for
 * everybody now. Undefined if a call of the kind was denied, if a proposal was made lately, or if APPR-21 proposes no rule for it.
 */
export async function findHabit(tx: GateTransaction, ask: Ask): Promise<Habit | undefined> {
  const { learnAfter } = tx.ctx.settings
  const { alwaysPatterns } = ask.verdict
  if (learnAfter === 0 || !isProposable(tx, ask)) return undefined
  const decisions = await findKindDecisions(
    tx.db,
    {
      worker: tx.session.worker,
      tool: ask.call.tool,
      alwaysPatterns: toStorable(JSON.stringify(alwaysPatterns)),
      conversationId: tx.conversation.id,
    },
    span,
  )
  if (decisions.some(({ state, isOffered }) => state === 'denied' || isOffered)) return undefined
  const counted = await countedApprovals(tx, decisions)
  const times = counted.reduce((sum, one) => sum + one.times, 0)
  if (times < learnAfter) return undefined
  const since = new Date(Math.min(...counted.map((one) => one.since.getTime())))
  return { times, since: since.toISOString(), examples: examplesOf(counted, ask) }
}

/** True for a call that asks for one thing, for which `gate suggest` would propose the same pattern. */
function isProposable({ ctx, facts }: GateTransaction, { call, verdict, args }: Ask): boolean {
  const [pattern, ...more] = verdict.alwaysPatterns
  if (pattern === undefined || more.length > 0 || verdict.risk === 'high') return false
  const spec = ctx.tools.find(({ name }) => name === call.tool)
  const [candidate, ...others] = spec === undefined ? [] : candidatesOf(spec, args, facts)
  if (candidate === undefined || others.length > 0) return false
  return pattern === candidate.wide || pattern === candidate.exact
}

/** Approvals by people who may make the rule: what a user approves holds for their session alone. */
async function countedApprovals(
  { ctx, db }: GateTransaction,
  decisions: readonly KindDecisions[],
): Promise<readonly KindDecisions[]> {
  const counted: KindDecisions[] = []
  for (const one of decisions) {
    if (one.state !== 'approved' || one.by === null) continue
    const caller = await findAnswerer(ctx, db, one.by)
    if (caller !== undefined && may(caller, 'allow_for_everybody')) counted.push(one)
  }
  return counted
}

const storedSubject = z.object({ texts: z.array(z.string()) })
const mostExamples = 3

function examplesOf(counted: readonly KindDecisions[], { args }: Ask): readonly string[] {
  const present = new Set(Object.values(args))
  const texts = counted.flatMap(({ subjects }) => (subjects ?? []).flatMap(textsOf))
  const others = new Set(texts.filter((text) => !present.has(text)))
  return [...others].slice(0, mostExamples).map(makeVisible)
}

function textsOf(subject: string): readonly string[] {
  // The first text is the call as it was written; others are forms of it that rules may name.
  return storedSubject.safeParse(tryParseJson(subject)).data?.texts.slice(0, 1) ?? []
}

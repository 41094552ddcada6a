import { gatePartsOf } from '../../app/gate-parts.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import type { PastCall } from '../../rules/gate/replay/past-call.ts'
import { Miner, type Proposal, Trial } from '../../rules/gate/suggest/miner.ts'
import { toolFinder } from '../../rules/tools/presumed-tool.ts'
import { type CallWithFacts, pastCalls } from './past-calls.ts'
import { rulesReader } from './replay-rules.ts'

export interface SuggestInput extends CommandInput {
  readonly since: Date
  /** Number of approvals that make a proposal. */
  readonly min: number
  readonly worker?: string
  readonly signal: AbortSignal
}

/** Proposal with the number of approvals it would have saved. */
export interface TriedProposal extends Omit<Proposal, 'parts'> {
  readonly spares: number
}

export interface Suggestions {
  readonly worker: string
  readonly since: string
  readonly proposals: readonly TriedProposal[]
  /** Number of approvals requested since then. */
  readonly questions: number
  /** Number of them that all proposals together would have saved. */
  readonly spared: number
  /** Number of proposals dropped because they match a call that was denied at any time. */
  readonly contradicted: number
}

/**
 * APPR-21: proposes rules for calls that were always approved. Learns from a period of the audit, drops proposals that
 * would allow anything ever denied, and counts the effect of the rest by a replay. Changes nothing.
 */
export async function suggestRules(input: SuggestInput): Promise<Suggestions> {
  const { config, since, min, signal, worker = config.worker.name } = input
  const parts = gatePartsOf(config)
  return await withDatabase(input, async ({ db }) => {
    const rulesOf = rulesReader(config, db, undefined)
    const calls = (span: { since: Date | undefined; isDenied?: boolean }) =>
      ofWorker(pastCalls({ db, parts, rulesOf, signal, ...span }), worker)
    const find = toolFinder(Object.keys(config.mcp))
    const miner = new Miner(find)
    for await (const { call, facts } of calls({ since })) miner.learn(call, facts)
    const trial = new Trial(miner.proposals(min), find)
    const everRefused = calls({ since: undefined, isDenied: true })
    for await (const { call, facts } of everRefused) trial.refused(call, facts)
    const counted = await countSpared(calls({ since }), trial)
    return { worker, since: since.toISOString(), ...counted, contradicted: trial.contradicted }
  })
}

interface KnownCall {
  readonly call: PastCall
  readonly facts: GateFacts
}

async function* ofWorker(
  calls: AsyncIterable<CallWithFacts>,
  worker: string,
): AsyncGenerator<KnownCall> {
  for await (const { call, facts } of calls) {
    if (facts !== undefined && call.worker === worker) yield { call, facts }
  }
}

async function countSpared(
  calls: AsyncIterable<KnownCall>,
  trial: Trial,
): Promise<Pick<Suggestions, 'proposals' | 'questions' | 'spared'>> {
  const counts = new Map<Proposal, number>()
  let questions = 0
  let spared = 0
  for await (const { call, facts } of calls) {
    if (call.verdict !== 'ask') continue
    questions += 1
    const sparing = trial.sparing(call, facts)
    if (sparing.length > 0) spared += 1
    for (const proposal of sparing) counts.set(proposal, (counts.get(proposal) ?? 0) + 1)
  }
  const proposals = trial.proposals.map((proposal) => {
    const { parts: _, ...shown } = proposal
    return { ...shown, spares: counts.get(proposal) ?? 0 }
  })
  return { proposals, questions, spared }
}

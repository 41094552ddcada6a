import { gatePartsOf } from '../../app/gate-parts.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import type { PastCall } from '../../rules/gate/replay/past-call.ts'
import { Miner, type Proposal, Trial } from '../../rules/gate/suggest/miner.ts'
import { type CallInPlace, pastCalls } from './past-calls.ts'
import { rulesReader } from './replay-rules.ts'

export interface SuggestInput extends CommandInput {
  readonly since: Date
  /** So many approvals make a proposal. */
  readonly min: number
  readonly worker?: string
  readonly signal: AbortSignal
}

/** A proposal, and how many questions it would have had a part in sparing. */
export interface TriedProposal extends Omit<Proposal, 'parts'> {
  readonly spares: number
}

export interface Suggestions {
  readonly worker: string
  readonly since: string
  readonly proposals: readonly TriedProposal[]
  /** Questions to people since then. */
  readonly questions: number
  /** Those that the proposals together would have spared. */
  readonly spared: number
  /** Proposals that something contradicts which was refused, at any time. */
  readonly contradicted: number
}

/**
 * APPR-21: rules for what people always approved. Learns from a span of the audit; takes back what would let run anything that
 * was ever refused; then counts by a replay what is left. Reads, and changes nothing.
 */
export async function suggestRules(input: SuggestInput): Promise<Suggestions> {
  const { config, since, min, signal, worker = config.worker.name } = input
  const parts = gatePartsOf(config)
  return await withDatabase(input, async ({ db }) => {
    const rulesOf = rulesReader(config, db, undefined)
    const calls = (span: { since: Date | undefined; isDenied?: boolean }) =>
      ofWorker(pastCalls({ db, parts, rulesOf, signal, ...span }), worker)
    const miner = new Miner()
    for await (const { call, facts } of calls({ since })) miner.learn(call, facts)
    const trial = new Trial(miner.proposals(min))
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
  calls: AsyncIterable<CallInPlace>,
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

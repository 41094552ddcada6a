import type { Action } from '../../../domain/verdict.ts'
import type { PastCall } from './past-call.ts'
import type { Reevaluation } from './rejudge.ts'

const mostGroups = 100
const mostExamples = 3
const longestExample = 300

/** An example call of a group. */
export interface Example {
  readonly at: string
  readonly callerId: string
  readonly tool: string
  readonly arguments: string
}

/** Calls that change in the same way by the same rule. */
export interface ChangeGroup {
  readonly by: string
  readonly count: number
  readonly examples: readonly Example[]
}

/** Calls that change from one action to another. */
export interface Change {
  readonly before: Action
  readonly after: Action
  readonly count: number
  /** People's decisions on them: `approved`, `denied`, … */
  readonly answers: Readonly<Record<string, number>>
  /** Most frequent first; of calls in no group only the count is kept. */
  readonly groups: readonly ChangeGroup[]
}

/** The result of a replay. */
export interface ReplayReport {
  readonly calls: number
  readonly unchanged: Readonly<Record<Action, number>>
  readonly changes: readonly Change[]
  /** Number of calls that could not be evaluated again, by reason. */
  readonly uncertain: Readonly<Record<string, number>>
}

interface Counted {
  count: number
  readonly examples: Example[]
}

interface CountedChange {
  readonly before: Action
  readonly after: Action
  count: number
  readonly answers: Record<string, number>
  readonly groups: Map<string, Counted>
}

/** APPR-12: counts the results of a replay in bounded memory: a limited number of groups, with a few examples each. */
export class Tally {
  #calls = 0
  readonly #unchanged: Record<Action, number> = { allow: 0, ask: 0, deny: 0 }
  readonly #changes = new Map<string, CountedChange>()
  readonly #uncertain: Record<string, number> = {}

  add(call: PastCall, judged: Reevaluation): void {
    this.#calls += 1
    if (judged.kind === 'uncertain') {
      this.#uncertain[judged.why] = (this.#uncertain[judged.why] ?? 0) + 1
    } else if (judged.before === judged.after) this.#unchanged[judged.before] += 1
    else this.#change(call, judged)
  }

  report(): ReplayReport {
    const changes = [...this.#changes.values()].sort((a, b) => b.count - a.count)
    return {
      calls: this.#calls,
      unchanged: this.#unchanged,
      changes: changes.map(({ groups, ...change }) => ({ ...change, groups: sorted(groups) })),
      uncertain: this.#uncertain,
    }
  }

  #change(call: PastCall, judged: Extract<Reevaluation, { kind: 'judged' }>): void {
    const { before, after, by } = judged
    const key = `${before} ${after}`
    const change = this.#changes.get(key) ?? {
      ...{ before, after, count: 0, answers: {}, groups: new Map<string, Counted>() },
    }
    this.#changes.set(key, change)
    change.count += 1
    const { answer } = call
    if (answer !== undefined) change.answers[answer] = (change.answers[answer] ?? 0) + 1
    const group = change.groups.get(by) ?? { count: 0, examples: [] }
    if (group.count === 0 && change.groups.size >= mostGroups) return
    change.groups.set(by, group)
    group.count += 1
    if (group.examples.length < mostExamples) group.examples.push(toExample(call))
  }
}

function sorted(groups: ReadonlyMap<string, Counted>): readonly ChangeGroup[] {
  const all = [...groups].map(([by, { count, examples }]) => ({ by, count, examples }))
  return all.sort((a, b) => b.count - a.count)
}

function toExample({ at, callerId, tool, arguments: text = '' }: PastCall): Example {
  const cut = text.length > longestExample ? `${text.slice(0, longestExample)}…` : text
  return { at: at.toISOString(), callerId, tool, arguments: cut }
}

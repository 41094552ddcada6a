import type { ExecutorOutcome } from '../../domain/executor-protocol.ts'
import { type AskBox, SnapshotFailed } from './ask-box.ts'
import { countChanges, nameChanges } from './describe-changes.ts'
import { compareSnapshot, isSame, restoreSnapshot } from './restore-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { takeSnapshot } from './take-snapshot.ts'

/** Of taking a snapshot, or of putting one back, in milliseconds. */
const longestMs = 120_000

/** Does something with a box of the workspace; another one where the last has died. */
export type WithBox = <T>(work: (ask: AskBox) => Promise<T>, signal: AbortSignal) => Promise<T>

/** How a call ended, as far as it matters here. */
export type Ended = ExecutorOutcome | { readonly kind: 'interrupted'; readonly note?: string }

export interface TransactionOptions {
  readonly store: SnapshotStore
  readonly withBox: WithBox
  readonly maxBytes: number
  /** What it does goes on after it is answered, so that it cannot be put back. */
  readonly isBackground: boolean
}

/** BASH-07: a call that may write, with the state before it. */
export class Transaction {
  readonly #options: TransactionOptions
  readonly #before: Snapshot | string

  private constructor(options: TransactionOptions, before: Snapshot | string) {
    this.#options = options
    this.#before = before
  }

  /** Takes the snapshot. Never rejects but for `signal`: `problem` says why there is none. */
  static async begin(options: TransactionOptions, signal: AbortSignal): Promise<Transaction> {
    const { store, withBox, maxBytes } = options
    const either = AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
    try {
      await store.prepare()
      const known = await lastOf(store)
      const take = (ask: AskBox) => takeSnapshot(store, ask, { known, maxBytes, signal: either })
      const before = await withBox(take, either)
      await store.write('next', before)
      // What an `/undo` that nobody saw end would have gone back to is not what this call begins with.
      await store.drop('redo')
      return new Transaction(options, before)
    } catch (error) {
      signal.throwIfAborted()
      // What there is of older ones is the state before another call: to go back to that would take this one along.
      await store.drop('last').catch(() => undefined)
      return new Transaction(options, whyOf(error))
    }
  }

  /** Why there is no snapshot, for people; undefined: there is one. */
  get problem(): string | undefined {
    return typeof this.#before === 'string' ? this.#before : undefined
  }

  /** Puts the workspace back when the call failed, and tells so. Never rejects. */
  async settle<Outcome extends Ended>(outcome: Outcome): Promise<Outcome> {
    if (typeof this.#before === 'string') return withWarning(outcome, this.#before)
    try {
      if (isUntouched(outcome)) await this.#options.store.drop('next')
      else if (hasFailed(outcome)) return await this.#rollBack(outcome, this.#before)
      else await this.#keep(this.#before)
      return outcome
    } catch (error) {
      return withNote(outcome, `the snapshot could not be kept: ${whyOf(error)}`)
    }
  }

  /** A call that changed nothing leaves the one before it the last that did. */
  async #keep(before: Snapshot): Promise<void> {
    const { store, isBackground } = this.#options
    const isKept = isBackground || !(await this.#isUnchanged(before))
    await (isKept ? store.promote('next') : store.drop('next'))
  }

  async #isUnchanged(before: Snapshot): Promise<boolean> {
    const late = AbortSignal.timeout(longestMs)
    const compare = (ask: AskBox) => compareSnapshot(ask, before, late)
    return this.#options.withBox(compare, late).then(isSame, () => false)
  }

  /** The call may have been stopped; what it leaves is put back all the same. */
  async #rollBack<Outcome extends Ended>(outcome: Outcome, before: Snapshot): Promise<Outcome> {
    const { store, withBox } = this.#options
    const late = AbortSignal.timeout(longestMs)
    try {
      const restore = (ask: AskBox) => restoreSnapshot(store, ask, before, late)
      const changes = await withBox(restore, late)
      await store.drop('next')
      if (isSame(changes)) return outcome
      return withNote(
        outcome,
        `it failed, so the workspace was put back as it was before: ${countChanges(changes)}`,
      )
    } catch (error) {
      return withNote(
        outcome,
        `it failed, and the workspace could not be put back as it was before: ${whyOf(error)}. /undo tries again`,
      )
    }
  }
}

/** BASH-07, `/undo`: goes back to before the last call that changed something; the state now is kept, for another `/undo`. */
export async function undoLast(
  { store, withBox, maxBytes }: Omit<TransactionOptions, 'isBackground'>,
  signal: AbortSignal,
): Promise<string> {
  await store.prepare()
  const last = await lastOf(store)
  if (last === undefined) throw new SnapshotFailed('there is no snapshot to go back to')
  if (!(await store.isWhole(last))) {
    // Or the next one would take its contents for read.
    await store.drop('last')
    throw new SnapshotFailed('the snapshot is damaged')
  }
  const either = AbortSignal.any([signal, AbortSignal.timeout(2 * longestMs)])
  const problem = await keepForRedo({ store, withBox, maxBytes }, last, either)
  const changes = await withBox((ask) => restoreSnapshot(store, ask, last, either), either)
  await (problem === undefined ? store.promote('redo') : store.drop('last'))
  if (isSame(changes)) return 'The workspace was as it had been: nothing to undo.'
  const again =
    problem === undefined
      ? '/undo once more brings it back.'
      : `This cannot be undone: no snapshot could be taken (${problem}).`
  return `Undone: ${countChanges(changes)}. ${again}\n${nameChanges(changes)}`
}

/** Answers why the state now cannot be kept. One that was begun and that nobody saw end has kept it already. */
async function keepForRedo(
  { store, withBox, maxBytes }: Omit<TransactionOptions, 'isBackground'>,
  known: Snapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  if ((await store.read('redo')) !== undefined) return undefined
  try {
    const take = (ask: AskBox) => takeSnapshot(store, ask, { known, maxBytes, signal })
    await store.write('redo', await withBox(take, signal))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return whyOf(error)
  }
}

/** One that was begun and that nobody saw end is the last: its call may have changed anything. */
async function lastOf(store: SnapshotStore): Promise<Snapshot | undefined> {
  if ((await store.read('next')) !== undefined) await store.promote('next')
  return store.read('last')
}

function isUntouched({ kind }: Ended): boolean {
  return kind === 'elsewhere' || kind === 'changed' || kind === 'preview'
}

function hasFailed(outcome: Ended): boolean {
  if (outcome.kind !== 'ok') return true
  return outcome.envelope !== undefined && outcome.envelope.exit_code !== 0
}

function withWarning<Outcome extends Ended>(outcome: Outcome, why: string): Outcome {
  if (outcome.kind !== 'ok' && outcome.kind !== 'error') return outcome
  const line = `[no snapshot could be taken (${why}): neither a failure nor /undo puts the workspace back]`
  return { ...outcome, output: `${line}\n${outcome.output ?? ''}` }
}

function withNote<Outcome extends Ended>(outcome: Outcome, note: string): Outcome {
  if (outcome.kind === 'interrupted') return { ...outcome, note }
  if (outcome.kind !== 'ok' && outcome.kind !== 'error') return outcome
  const text = outcome.output ?? ''
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  return { ...outcome, output: `${text}${gap}[${note}]` }
}

function whyOf(error: unknown): string {
  if (error instanceof SnapshotFailed) return error.message
  return error instanceof Error && error.name === 'TimeoutError' ? 'it took too long' : 'it failed'
}

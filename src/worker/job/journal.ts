import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallOutcome } from '../../rules/jobs/contract.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { asidePrefix, createFile, readIfPresent, replaceFile } from '../durable-file.ts'
import { killGroup, type ProcessIdentity, processScope } from '../process-identity.ts'
import {
  interrupted,
  type JournalCall,
  type JournalEntry,
  journalEntry,
  mayFollow,
  type Settled,
  settled,
  startBeats,
} from './replica.ts'

/** Milliseconds for which ended calls are kept, since a result may have to be sent again after an outage. */
const keptMs = 24 * 3_600_000

export interface JournalOptions {
  readonly replica: string
  /** Ends boxes of a dead replica; called before any of its calls is answered. */
  readonly endLeftovers?: (replica: string) => Promise<void>
}

/** Journal's answer to an attempt to start a call. */
export type Begin =
  /** Recorded; the call may start. */
  | { readonly kind: 'started' }
  /** The call has ended, possibly as `interrupted`, or was barred; this is its result. */
  | ({ readonly kind: 'settled' } & Settled)
  /** A live replica, perhaps this one, is running it. */
  | { readonly kind: 'running'; readonly replica: string }

/** Call whose replica died before ending it. */
export type LostCall = Pick<JournalEntry, 'callId' | 'attempt'>

/** R4, threat 3: ensures that calls run at most once, on a disk shared by the replicas of a worker. */
export interface Journal extends Disposable {
  /** Records a call before it starts. For a call with effects, at most one caller ever gets `started`. */
  begin(call: JournalCall, box?: ProcessIdentity): Promise<Begin>
  /** Returns what `begin` would, without starting; undefined if the call could start. */
  look(call: JournalCall): Promise<Exclude<Begin, { kind: 'started' }> | undefined>
  /** Settles a call that has not started, so that it cannot start under this attempt (INT-8). */
  bar(call: JournalCall, outcome: CallOutcome): Promise<Exclude<Begin, { kind: 'started' }>>
  /** Records the shell command of a started call; ignored if the call has ended. */
  noteCommand(callId: string, command: ProcessIdentity): Promise<void>
  /** Stores the result of a started call; false if another replica considered this one dead and settled it. */
  finish(callId: string, ended: Settled): Promise<boolean>
  /**
   * Settles calls of dead replicas as interrupted, after killing their remaining processes. Returns those to report;
   * idempotent ones run again with the next copy of their job (LOOP-05).
   */
  sweep(): Promise<readonly LostCall[]>
  /** Deletes calls that ended a day ago by the file server's clock, never one that may still run. */
  prune(): Promise<void>
}

/** Opens the journal in `directory`, created if missing. */
export async function openJournal(directory: string, options: JournalOptions): Promise<Journal> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const beats = await startBeats(join(directory, 'replicas'), options.replica)
  return new DiskJournal(directory, options, beats)
}

/** Entry on disk; `entry` is undefined if unreadable, which counts as started. */
interface Found {
  readonly file: string
  readonly entry: JournalEntry | undefined
}

/**
 * Journal on disk. `<callId>.<slot>` records a start, `<callId>.<slot>.done` its end. Both are created exclusively, so
 * that only one writer succeeds. The next slot is used only if the previous one ended with nothing done.
 */
class DiskJournal implements Journal {
  readonly #directory: string
  readonly #options: JournalOptions
  readonly #beats: Awaited<ReturnType<typeof startBeats>>
  readonly #scope = processScope()
  /** Calls started by this replica and not ended. */
  readonly #open = new Map<string, { readonly file: string; entry: JournalEntry }>()

  constructor(
    directory: string,
    options: JournalOptions,
    beats: Awaited<ReturnType<typeof startBeats>>,
  ) {
    this.#directory = directory
    this.#options = options
    this.#beats = beats
  }

  async begin(call: JournalCall, box?: ProcessIdentity): Promise<Begin> {
    const entry = this.#newEntry(call, box === undefined ? {} : { box })
    const placed = await this.#place(call, entry)
    if (placed.kind !== 'placed') return placed
    this.#open.set(call.callId, { file: placed.file, entry })
    return { kind: 'started' }
  }

  async look(call: JournalCall) {
    const last = await this.#lastPlace(call)
    return 'answer' in last ? last.answer : undefined
  }

  async bar(call: JournalCall, outcome: CallOutcome) {
    const barred = { outcome, durationMs: 0 }
    const placed = await this.#place(call, this.#newEntry(call, { barred }))
    return placed.kind === 'placed' ? { kind: 'settled' as const, ...barred } : placed
  }

  async noteCommand(callId: string, command: ProcessIdentity): Promise<void> {
    const open = this.#open.get(callId)
    if (open === undefined) return
    open.entry = { ...open.entry, command }
    await replaceFile(open.file, JSON.stringify(open.entry))
  }

  async finish(callId: string, ended: Settled): Promise<boolean> {
    const open = this.#open.get(callId)
    if (open === undefined) throw new Error(`call ${callId} was not started here`)
    const isSettledHere = await this.#settle(open.file, ended, !open.entry.idempotent)
    this.#open.delete(callId)
    return isSettledHere
  }

  async sweep(): Promise<readonly LostCall[]> {
    const lost: LostCall[] = []
    for (const file of await this.#openPlaces()) {
      const found = await this.#read(file)
      if (found === undefined || (await this.#endOf(found)) !== undefined) continue
      if ((await this.#livingOwner(found)) !== undefined) continue
      await this.#interrupt(found)
      if (found.entry?.idempotent === false) lost.push(found.entry)
    }
    for (const replica of await this.#beats.dead()) {
      await this.#options.endLeftovers?.(replica)
      await this.#beats.forget(replica)
    }
    return lost.map(({ callId, attempt }) => ({ callId, attempt }))
  }

  async prune(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => name !== 'replicas')
    const now = await this.#beats.fileClock()
    for (const of of Map.groupBy(names, callOf).values()) {
      if (!(await this.#isOver(of, now))) continue
      // Last slot first: without an early one, a started call would look unstarted.
      for (const name of of.toSorted().toReversed()) {
        await rm(join(this.#directory, name), { force: true })
      }
    }
  }

  [Symbol.dispose](): void {
    this.#beats[Symbol.dispose]()
  }

  #newEntry(call: JournalCall, more: Partial<JournalEntry>): JournalEntry {
    return { v: 1, ...call, replica: this.#options.replica, scope: this.#scope, ...more }
  }

  async #place(call: JournalCall, entry: JournalEntry) {
    for (;;) {
      const last = await this.#lastPlace(call)
      if ('answer' in last) return last.answer
      const text = JSON.stringify(entry)
      if (await createFile(last.free, text, !entry.idempotent)) {
        return { kind: 'placed' as const, file: last.free }
      }
    }
  }

  /** Walks the slots of a call and returns the first free one that `call` may take, or the answer that bars it. */
  async #lastPlace(
    call: JournalCall,
  ): Promise<{ readonly free: string } | { readonly answer: Exclude<Begin, { kind: 'started' }> }> {
    for (let place = 0; ; place += 1) {
      const file = join(this.#directory, `${call.callId}.${place}`)
      const found = await this.#read(file)
      if (found === undefined) return { free: file }
      const ended = await this.#endOf(found)
      if (ended === undefined) {
        const replica = await this.#livingOwner(found)
        if (replica !== undefined) return { answer: { kind: 'running', replica } }
      }
      const end = ended ?? (await this.#interrupt(found))
      if (found.entry !== undefined && mayFollow(call, found.entry, end)) continue
      return { answer: { kind: 'settled', ...answerTo(call, found.entry, end) } }
    }
  }

  async #read(file: string): Promise<Found | undefined> {
    const text = await readIfPresent(file)
    if (text === undefined) return undefined
    return { file, entry: journalEntry.safeParse(tryParseJson(text)).data }
  }

  async #endOf({ file, entry }: Found): Promise<Settled | undefined> {
    if (entry?.barred !== undefined) return entry.barred
    const text = await readIfPresent(`${file}.done`)
    if (text === undefined) return undefined
    // A damaged end proves that the call ran, but not its result.
    return settled.safeParse(tryParseJson(text)).data ?? interrupted
  }

  async #livingOwner({ entry }: Found): Promise<string | undefined> {
    if (entry === undefined) return undefined
    return (await this.#beats.isAlive(entry.replica)) ? entry.replica : undefined
  }

  /** Kills remaining processes of a call whose replica is dead and settles it; returns the result in force. */
  async #interrupt(found: Found): Promise<Settled> {
    const { entry } = found
    if (entry !== undefined) {
      if (entry.scope === this.#scope) {
        for (const leader of [entry.command, entry.box]) if (leader) killGroup(leader)
      }
      await this.#options.endLeftovers?.(entry.replica)
    }
    await this.#settle(found.file, interrupted, entry?.idempotent !== true)
    return (await this.#endOf(found)) ?? interrupted
  }

  #settle(file: string, ended: Settled, durable: boolean): Promise<boolean> {
    return createFile(`${file}.done`, JSON.stringify(ended), durable)
  }

  async #openPlaces(): Promise<readonly string[]> {
    const names = new Set(await readdir(this.#directory))
    return [...names]
      .filter((name) => isPlace(name) && !names.has(`${name}.done`))
      .map((name) => join(this.#directory, name))
  }

  async #isOver(names: readonly string[], now: number): Promise<boolean> {
    for (const name of names) {
      const path = join(this.#directory, name)
      const info = await stat(path).catch(() => undefined)
      if (info === undefined || now - info.mtimeMs < keptMs) return false
      if (!isPlace(name)) continue
      const found = await this.#read(path)
      if (found === undefined || (await this.#endOf(found)) === undefined) return false
    }
    return true
  }
}

function isPlace(name: string): boolean {
  return !name.startsWith(asidePrefix) && /\.\d+$/.test(name)
}

function callOf(name: string): string {
  return name.startsWith(asidePrefix) ? name : name.replace(/\..*$/, '')
}

// Other arguments of the same call have run: their result is not the answer to this one, which must not run.
function answerTo(call: JournalCall, entry: JournalEntry | undefined, ended: Settled): Settled {
  const texts = [entry?.argumentsSha256, call.argumentsSha256]
  if (texts.includes(undefined) || texts[0] === texts[1]) return ended
  const why = 'another version of this call has already begun'
  return { outcome: { kind: 'refused', why }, durationMs: 0 }
}

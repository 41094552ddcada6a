import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { cleanInterrupted } from '../../../src/worker/clean-outcome.ts'
import { type AskBox, SnapshotFailed } from '../../../src/worker/snapshots/answers.ts'
import { SnapshotStore } from '../../../src/worker/snapshots/snapshot-store.ts'
import { Transaction } from '../../../src/worker/snapshots/transaction.ts'

const facts = { mode: 0o644, size: 3, mtimeUs: 0, stamp: 's' }
const never = new AbortController().signal

function beginWith(directory: string, ask: AskBox, signal = never): Promise<Transaction> {
  const store = new SnapshotStore(directory)
  const fixed = { maxBytes: 1_000, caller: 'test:ada', isRequired: false, isBackground: false }
  return Transaction.begin({ ...fixed, store, withBox: (work) => work(ask) }, signal)
}

function createDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'snapshots-'))
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

function surveyOf(count: number): string {
  const entries = Array.from({ length: count }, (_, at) => ({
    kind: 'file',
    path: `f${at}`,
    ...facts,
  }))
  return JSON.stringify({ entries, bytes: 0 })
}

const oneRead = JSON.stringify({
  pieces: [{ path: 'f0', ...facts, offset: 0, content: 'YWJj', isLast: true }],
})

describe('limits of snapshots', () => {
  test('BASH-07 a snapshot that fails or is cancelled half-way leaves no contents', async () => {
    using place = createDirectory()
    let reads = 0
    const ask: AskBox = async (service) => {
      if (service === 'snapshot:survey') return surveyOf(2)
      reads += 1
      if (reads % 2 === 1) return oneRead
      throw new SnapshotFailed('f1: permission denied')
    }
    const failed = await beginWith(place.directory, ask)
    expect(failed.problem).toBe('f1: permission denied')
    expect(readdirSync(join(place.directory, 'contents'))).toEqual([])
    const stop = new AbortController()
    const stopped: AskBox = async (service, args, signal) => {
      if (reads % 2 === 1 && service === 'snapshot:read') stop.abort(new Error('stopped'))
      return ask(service, args, signal)
    }
    await expect(beginWith(place.directory, stopped, stop.signal)).rejects.toThrow('stopped')
    expect(reads).toBe(4)
    expect(readdirSync(join(place.directory, 'contents'))).toEqual([])
  })

  test('BASH-07 a snapshot that fails leaves the previous one intact where nothing runs then', async () => {
    using place = createDirectory()
    const good: AskBox = async (service) => (service === 'snapshot:survey' ? surveyOf(1) : oneRead)
    const store = new SnapshotStore(place.directory)
    await beginWith(place.directory, good)
    await store.promote('next')
    const bad: AskBox = () => Promise.reject(new SnapshotFailed('no'))
    const options = {
      maxBytes: 1_000,
      caller: 'test:ada',
      isRequired: true,
      isBackground: false,
      store,
    }
    await Transaction.begin({ ...options, withBox: (work) => work(bad) }, never)
    const last = await store.read('last')
    expect(last !== undefined && (await store.isWhole(last))).toBe(true)
  })

  test('BASH-07 THREAT-20 a box that lists more files than requested creates none of them at the worker', async () => {
    using place = createDirectory()
    let reads = 0
    const ask: AskBox = async (service) => {
      if (service !== 'snapshot:survey') reads += 1
      return surveyOf(50_001)
    }
    expect((await beginWith(place.directory, ask)).problem).toBe('the box misbehaved')
    expect(reads).toBe(0)
  })

  test('BASH-07 THREAT-20 OUT-08 output of a box for an interrupted call is redacted and fits the contract', () => {
    const redactor = createRedactor([{ kind: 'token', value: 'very-secret-value' }])
    const pipeline = { redactor, warnOfSecrets: true, maxOutputBytes: 1_000_000 }
    const note = `could not be put back: very-secret-value \u001b[2J${'x'.repeat(5_000)}`
    const clean = cleanInterrupted({ kind: 'interrupted', note }, pipeline).note ?? ''
    expect(clean).toHaveLength(1_000)
    expect(clean).not.toContain('very-secret-value')
    expect(clean).not.toContain('\u001b')
  })
})

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { IncomingCall } from '../support/telegram/limits/faults.ts'
import { expectWhole } from './support/invariants.ts'
import { processesOf } from './support/processes.ts'
import { ada, type ChatPlace, createChatPlace, untilServing } from './telegram/chat-place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

type At = Readonly<Pick<IncomingCall, 'method'>> & { readonly kind: 'drop-before' | 'drop-after' }

/** Where the program is killed: when its row is there and nothing of it was fetched, and in the middle of it. */
const moments: readonly At[] = [
  { method: 'getFile', kind: 'drop-before' },
  { method: 'getFile', kind: 'drop-after' },
  { method: 'download', kind: 'drop-before' },
  { method: 'sendMessage', kind: 'drop-before' },
]

describe('countersign start takes a file, killed and started again', () => {
  test('REL-01 LOOP-04 CHAT-07 TG-01 between its row, the download and the job: it is in the workspace once, and is told of', async () => {
    await using at = await createChatPlace()
    const { telegram, place } = at
    const chat = telegram.privateChat(ada)
    const names: string[] = []
    for (const [index, { method, kind }] of moments.entries()) {
      const first = at.start()
      await untilServing(telegram, first)
      telegram.fault = (call) => {
        if (call.method !== method) return undefined
        telegram.fault = undefined
        place.killAll()
        return { kind }
      }
      const name = `report-of-${method}-${kind}.txt`
      names.push(name)
      const bytes = new TextEncoder().encode(name)
      chat.sendDocument(ada, { name, bytes }, { caption: `say: ${index}` })
      await first.ended
      await using second = at.start()
      await chat.waitForText(`Saved uploads/${name}.`, { timeoutMs: 90_000 })
      await untilAllDone(place, index + 1, 90_000)
      expect(second.stderr).toBe('')
      await expectWhole(place, index + 1)
      place.killAll()
      await second.ended
    }
    const [room = ''] = await readdir(join(place.dataDir, 'workspaces'))
    const uploads = join(place.dataDir, 'workspaces', room, 'uploads')
    expect((await readdir(uploads)).toSorted()).toEqual(names.toSorted())
    for (const name of names) expect(await readFile(join(uploads, name), 'utf8')).toBe(name)
  }, 600_000)

  test('REL-01 CHAT-07 while it is written: it has its name whole or not at all, and the person is told which', async () => {
    await using at = await createChatPlace()
    let isCaught = false
    for (let round = 1; round <= mostRounds && !isCaught; round += 1) {
      isCaught = await killWhileWritten(at, round)
    }
    expect(isCaught, 'it was killed while a draft was there and its name was not').toBe(true)
  }, 900_000)
})

const mostRounds = 8

/** Whether it was killed in the middle: on a busy machine the file may have its name before anybody sees its draft. */
async function killWhileWritten({ telegram, place, start }: ChatPlace, round: number) {
  const chat = telegram.privateChat(ada)
  const first = start()
  await untilServing(telegram, first)
  const [small, large] = [`small-${round}.txt`, `large-${round}.bin`]
  const some = { name: small, bytes: new TextEncoder().encode('small') }
  chat.sendDocument(ada, some, { caption: `say: ${round}` })
  await chat.waitForText(`Saved uploads/${small}.`, { timeoutMs: 90_000 })
  await untilAllDone(place, 2 * round - 1, 90_000)
  const [room = ''] = await readdir(join(place.dataDir, 'workspaces'))
  const uploads = join(place.dataDir, 'workspaces', room, 'uploads')
  const bytes = new Uint8Array(20 * 1024 * 1024).map((_, index) => (index + round) % 251)
  const killed = killOnFile(uploads, place.dataDir)
  chat.sendDocument(ada, { name: large, bytes }, { caption: `say: ${round}, too` })
  const seen = await killed
  place.killAll()
  await first.ended
  const second = start()
  const told = await chat.waitForMessage(
    ({ text }) => text.includes(`Saved uploads/${large}.`) || text.includes(`“${large}” was not`),
    { timeoutMs: 120_000 },
  )
  await untilAllDone(place, 2 * round, 90_000)
  expect(second.stderr).toBe('')
  await expectWhole(place, 2 * round)
  const isThere = (await readdir(uploads)).includes(large)
  const isCaught = seen.length > 0 && seen.every((name) => draftName.test(name))
  if (told.text.startsWith('Saved')) expect(isThere).toBe(true)
  else if (isCaught) expect(isThere).toBe(false)
  if (isThere) expect(await readFile(join(uploads, large))).toEqual(Buffer.from(bytes))
  place.killAll()
  await second.ended
  return isCaught
}

const draftName = /^\.countersign-[0-9a-f]{18}$/

/** In a thread of its own: a file is written in some milliseconds, in which this one may be busy. */
const killer = `
const { readdirSync } = require('node:fs')
const { parentPort, workerData } = require('node:worker_threads')
const pause = new Int32Array(new SharedArrayBuffer(4))
const known = new Set(workerData.known)
const fresh = () => readdirSync(workerData.directory).filter((name) => !known.has(name))
while (fresh().length === 0) Atomics.wait(pause, 0, 0, 0.1)
for (const pid of workerData.pids) try { process.kill(pid, 'SIGKILL') } catch {}
parentPort.postMessage(fresh())`

/** kill -9 as soon as there is a further file, of what runs over the data directory by now; answers the files that are new then. */
async function killOnFile(directory: string, dataDir: string): Promise<readonly string[]> {
  // Boxes first: they are the ones that write.
  const pids = processesOf(dataDir)
    .map(({ pid }) => pid)
    .toSorted((a, b) => b - a)
  const known = readdirSync(directory)
  const thread = new Worker(killer, { eval: true, workerData: { directory, known, pids } })
  const [names] = await once(thread, 'message')
  return names
}

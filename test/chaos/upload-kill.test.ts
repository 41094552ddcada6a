import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { IncomingCall } from '../support/telegram/faults.ts'
import { expectWhole } from './invariants.ts'
import { processesOf } from './processes.ts'
import { ada, createChatPlace, untilServing } from './telegram/chat-place.ts'
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
    const { telegram, place } = at
    const chat = telegram.privateChat(ada)
    const first = at.start()
    await untilServing(telegram, first)
    const small = { name: 'small.txt', bytes: new TextEncoder().encode('small') }
    chat.sendDocument(ada, small, { caption: 'say: 0' })
    await chat.waitForText('Saved uploads/small.txt.', { timeoutMs: 90_000 })
    await untilAllDone(place, 1, 90_000)
    const [room = ''] = await readdir(join(place.dataDir, 'workspaces'))
    const uploads = join(place.dataDir, 'workspaces', room, 'uploads')
    const bytes = new Uint8Array(20 * 1024 * 1024).map((_, index) => index % 251)
    const killed = killOnDraft(uploads, place.dataDir)
    chat.sendDocument(ada, { name: 'large.bin', bytes }, { caption: 'say: 1' })
    // Its name is not there yet, and what is there is not for anybody.
    expect(await killed).toEqual([expect.stringMatching(draftName), 'small.txt'])
    place.killAll()
    await first.ended
    await using second = at.start()
    const told = await chat.waitForMessage(
      ({ text }) => /^(?:Saved uploads\/large\.bin\.|“large\.bin” was not saved: )/.test(text),
      { timeoutMs: 120_000 },
    )
    await untilAllDone(place, 2, 90_000)
    expect(second.stderr).toBe('')
    await expectWhole(place, 2)
    const names = (await readdir(uploads)).filter((name) => !draftName.test(name))
    const isSaved = told.text.startsWith('Saved')
    expect(names.toSorted()).toEqual(isSaved ? ['large.bin', 'small.txt'] : ['small.txt'])
    if (isSaved) expect(await readFile(join(uploads, 'large.bin'))).toEqual(Buffer.from(bytes))
  }, 600_000)
})

const draftName = /^\.countersign-[0-9a-f]{18}$/

/** In a thread of its own: a file is written in some milliseconds, in which this one may be busy. */
const killer = `
const { readdirSync } = require('node:fs')
const { parentPort, workerData } = require('node:worker_threads')
const pause = new Int32Array(new SharedArrayBuffer(4))
let found
do {
  Atomics.wait(pause, 0, 0, 0.1)
  found = readdirSync(workerData.directory)
} while (!found.some((name) => name.startsWith('.')))
for (const pid of workerData.pids) try { process.kill(pid, 'SIGKILL') } catch {}
parentPort.postMessage(readdirSync(workerData.directory).toSorted())`

/** kill -9 as soon as a file without its name is there, of what runs over the data directory by now; answers what was there then. */
async function killOnDraft(directory: string, dataDir: string): Promise<readonly string[]> {
  const pids = processesOf(dataDir).map(({ pid }) => pid)
  const thread = new Worker(killer, { eval: true, workerData: { directory, pids } })
  const [names] = await once(thread, 'message')
  return names
}

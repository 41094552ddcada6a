import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { IncomingCall } from '../support/telegram/faults.ts'
import { expectWhole } from './invariants.ts'
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
})

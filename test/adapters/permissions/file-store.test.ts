import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFilePermissionsStore } from '../../../src/adapters/permissions/file-store.ts'
import { permissionsStoreContract, seed } from '../../contract/permissions-store.ts'

permissionsStoreContract('files', async () => {
  const place = await mkdtemp(join(tmpdir(), 'permissions-'))
  const path = (worker: string): string => join(place, 'workers', worker, 'permissions.jsonc')
  return {
    open: () => createFilePermissionsStore({ dataDir: place, seed }),
    kept: (worker) => readFile(path(worker), 'utf8').catch(() => undefined),
    edit: async (worker, text) => {
      await mkdir(dirname(path(worker)), { recursive: true })
      await writeFile(path(worker), text)
    },
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  }
})

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'permissions-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

function pathOf(worker: string): string {
  return join(dataDir, 'workers', worker, 'permissions.jsonc')
}

describe('createFilePermissionsStore', () => {
  test('GATE-04 a worker’s rules are seeded on first use, readable by the owner alone', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    expect((await store.load('main')).text).toBe(seed)
    expect(await readFile(pathOf('main'), 'utf8')).toBe(seed)
    expect((await stat(pathOf('main'))).mode & 0o777).toBe(0o600)
    expect(store.describe('main')).toBe(pathOf('main'))
    expect(await readdir(join(dataDir, 'workers', 'main'))).toEqual(['permissions.jsonc'])
  })

  test('GATE-04 what a person edits is read at the next call, also when size and mtime stay the same', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    const before = await store.load('main')
    const { atime, mtime } = await stat(pathOf('main'))
    const edited = seed.replace('ask', 'ASK')
    await writeFile(pathOf('main'), edited)
    await utimes(pathOf('main'), atime, mtime)
    const after = await store.load('main')
    expect(after.text).toBe(edited)
    expect(after.version).not.toBe(before.version)
  })

  test('GATE-04 an unchanged file is not read again', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    const first = await store.load('main')
    expect(await store.load('main')).toBe(await store.load('main'))
    expect((await store.load('main')).version).toBe(first.version)
  })

  test('INT-35 many editors in two stores lose no edit', async () => {
    const stores = [0, 1].map(() => createFilePermissionsStore({ dataDir, seed }))
    const add = async (line: string, at: number): Promise<void> => {
      for (;;) {
        const store = stores[at % 2]
        if (store === undefined) throw new Error('no store')
        const { text, version } = await store.load('main')
        if (await store.save('main', version, `${text}// ${line}\n`)) return
      }
    }
    const lines = Array.from({ length: 20 }, (_, index) => `edit-${index}`)
    await Promise.all(lines.map(add))
    const text = await readFile(pathOf('main'), 'utf8')
    for (const line of lines) expect(text.split('\n')).toContain(`// ${line}`)
    expect(await readdir(join(dataDir, 'workers', 'main'))).toEqual(['permissions.jsonc'])
  })

  test('INT-34 a reader never sees half a text of the store’s own edits', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    const reader = createFilePermissionsStore({ dataDir, seed })
    const big = (mark: string): string => `{"*":"ask"} // ${mark.repeat(200_000)}end\n`
    let writing = true
    const write = async (): Promise<void> => {
      for (const mark of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const { version } = await store.load('main')
        expect(await store.save('main', version, big(mark))).toBe(true)
      }
      writing = false
    }
    await reader.load('main')
    const done = write()
    while (writing) expect((await reader.load('main')).text).toMatch(/(?:end|seed)\n$/)
    await done
  })

  test('INT-34 a text that was half written by an editor is read once more', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    await store.load('main')
    await writeFile(pathOf('main'), '{ "*": "a')
    const loading = store.load('main')
    await writeFile(pathOf('main'), seed)
    expect([seed, '{ "*": "a']).toContain((await loading).text)
    expect((await store.load('main')).text).toBe(seed)
  })

  test('INT-35 a lock that a crash left behind is broken', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    const { version } = await store.load('main')
    const lock = `${pathOf('main')}.lock`
    await writeFile(lock, '')
    const old = new Date(Date.now() - 60_000)
    await utimes(lock, old, old)
    expect(await store.save('main', version, '{}')).toBe(true)
  })

  test('GATE-09 of a file without end no more is taken into memory than shows that it is too long', async () => {
    const store = createFilePermissionsStore({ dataDir, seed })
    await store.load('main')
    const file = await open(pathOf('main'), 'w')
    await file.truncate(3_000_000_000)
    await file.close()
    const { text } = await store.load('main')
    expect(text.length).toBeGreaterThan(1_000_000)
    expect(text.length).toBeLessThan(4_000_000)
  })
})

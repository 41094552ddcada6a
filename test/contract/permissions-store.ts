import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PermissionsStore } from '../../src/ports/permissions-store.ts'

export const seed = '{ "*": "ask" } // seed\n'

/** Where stores keep the same rules; each `open` is what another process would have. */
export interface RulesPlace extends AsyncDisposable {
  open(): PermissionsStore
  /** The text as it is kept; undefined: there is none. */
  kept(worker: string): Promise<string | undefined>
  /** What a person does to it without the store. */
  edit(worker: string, text: string): Promise<void>
}

/** What every implementation of the permissions store keeps. */
export function permissionsStoreContract(name: string, createPlace: () => Promise<RulesPlace>) {
  describe(`permissions store: ${name}`, () => {
    let place: RulesPlace
    beforeEach(async () => {
      place = await createPlace()
    })
    afterEach(() => place[Symbol.asyncDispose]())

    test('GATE-04 a worker’s rules are seeded on first use, each worker’s apart', async () => {
      const store = place.open()
      expect(await place.kept('main')).toBeUndefined()
      const { text, version } = await store.load('main')
      expect(text).toBe(seed)
      expect(await place.kept('main')).toBe(seed)
      await store.save('main', version, '{}')
      expect((await store.load('other')).text).toBe(seed)
    })

    test('GATE-04 of many that seed at once all have the same text and version', async () => {
      const loads = await Promise.all(Array.from({ length: 12 }, () => place.open().load('main')))
      expect(new Set(loads.map(({ text }) => text))).toEqual(new Set([seed]))
      const now = await place.open().load('main')
      expect(await place.open().save('main', now.version, '{}')).toBe(true)
    })

    test('GATE-04 rules that are there are not seeded over', async () => {
      await place.edit('main', '{"*": "deny"}')
      expect((await place.open().load('main')).text).toBe('{"*": "deny"}')
    })

    test('GATE-04 the version stays while the text does, and changes with every edit', async () => {
      const [store, other] = [place.open(), place.open()]
      const first = await store.load('main')
      expect(await store.load('main')).toEqual(first)
      expect(await store.save('main', first.version, '{"a": "ask"}')).toBe(true)
      const second = await other.load('main')
      expect(second.text).toBe('{"a": "ask"}')
      expect(await other.save('main', second.version, first.text)).toBe(true)
      const third = await store.load('main')
      expect(third.text).toBe(first.text)
      expect(new Set([first.version, second.version, third.version]).size).toBe(3)
    })

    test('GATE-04 what was edited before a load is in it, in every process, by whatever way', async () => {
      const [store, reader] = [place.open(), place.open()]
      await reader.load('main')
      for (const text of ['{"a": "ask"}', '{"b": "ask"}', '{"c": "ask"}']) {
        const { version } = await store.load('main')
        expect(await store.save('main', version, text)).toBe(true)
        expect((await reader.load('main')).text).toBe(text)
      }
      await place.edit('main', '{"by": "deny"}')
      expect((await reader.load('main')).text).toBe('{"by": "deny"}')
    })

    test('INT-35 a save with an old version, or with none that there ever was, changes nothing', async () => {
      const store = place.open()
      const { version } = await store.load('main')
      expect(await store.save('main', version, '{"*":"deny"}')).toBe(true)
      for (const old of [version, '', 'nothing', '-1', '999999999999999999999']) {
        expect(await store.save('main', old, '{"*":"allow"}')).toBe(false)
      }
      expect((await store.load('main')).text).toBe('{"*":"deny"}')
    })

    test('INT-35 a save for a version that a person’s edit overtook changes nothing', async () => {
      const store = place.open()
      const { version } = await store.load('main')
      await place.edit('main', '{"*":"deny"}')
      expect(await store.save('main', version, '{"*":"allow"}')).toBe(false)
      expect(await place.kept('main')).toBe('{"*":"deny"}')
    })

    test('INT-35 of 20 writers in three processes none loses an edit', async () => {
      const stores = [place.open(), place.open(), place.open()]
      const add = async (line: string, store: PermissionsStore): Promise<void> => {
        for (;;) {
          const { text, version } = await store.load('main')
          if (await store.save('main', version, `${text}// ${line}\n`)) return
        }
      }
      const lines = Array.from({ length: 20 }, (_, index) => `edit-${index}`)
      await Promise.all(lines.map((line, index) => add(line, stores[index % 3] ?? place.open())))
      const text = (await place.kept('main')) ?? ''
      expect(text.split('\n').sort()).toEqual(
        ['', '{ "*": "ask" } // seed', ...lines.map((line) => `// ${line}`)].sort(),
      )
    })

    test('GATE-09 a damaged text is kept and given as it is', async () => {
      const store = place.open()
      await store.load('main')
      const damaged = '{ "bash": "yes", // }\n]]'
      await place.edit('main', damaged)
      expect((await store.load('main')).text).toBe(damaged)
      expect(await place.kept('main')).toBe(damaged)
    })

    test('GATE-04 comments, tabs, line ends and every character are kept byte for byte', async () => {
      const store = place.open()
      const text = '\uFEFF// ‮ \u0001 é 🦉\r\n{\t"*": "ask",\r\n/* x */ }\r\n\r\n  '
      const { version } = await store.load('main')
      expect(await store.save('main', version, text)).toBe(true)
      expect((await place.open().load('main')).text).toBe(text)
      expect(await place.kept('main')).toBe(text)
    })

    test('GATE-09 a text of a million characters is kept, a longer one or one with a NUL is refused', async () => {
      const store = place.open()
      const { version } = await store.load('main')
      const most = `{}${' '.repeat(999_998)}`
      await expect(store.save('main', version, `${most} `)).rejects.toThrow('1000000 characters')
      await expect(store.save('main', version, '{}\0')).rejects.toThrow('NUL')
      expect((await store.load('main')).version).toBe(version)
      expect(await store.save('main', version, most)).toBe(true)
      expect((await store.load('main')).text).toBe(most)
    })

    test.each(['', '.', '..', '../x', 'a/b', '.hidden', 'a\0', 'a\n', 'é', 'x'.repeat(65)])(
      'GATE-04 %j is no name of a worker',
      async (worker) => {
        const store = place.open()
        await expect(store.load(worker)).rejects.toThrow('name')
        await expect(store.save(worker, '1', '{}')).rejects.toThrow('name')
        expect(() => store.describe(worker)).toThrow('name')
      },
    )

    test.each(['a', '__proto__', 'constructor', 'A-b_c.9', 'x'.repeat(64)])(
      'GATE-04 %j is a name of a worker',
      async (worker) => {
        const store = place.open()
        expect((await store.load(worker)).text).toBe(seed)
        expect(store.describe(worker)).toContain(worker)
      },
    )
  })
}

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTar } from '../../../src/util/tar/read-tar.ts'
import type { TarEntry } from '../../../src/util/tar/tar-entry.ts'
import { type TarPart, writeTar } from '../../../src/util/tar/write-tar.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const file: TarEntry = {
  path: 'a',
  kind: 'file',
  mode: 0o640,
  uid: 1000,
  gid: 100,
  mtime: 1_700_000_000,
  size: 0,
  target: '',
}

function part(content: Buffer, entry: Partial<TarEntry> = {}): TarPart {
  return { entry: { ...file, size: content.length, ...entry }, content: [content] }
}

async function pack(parts: readonly TarPart[], last = part(Buffer.alloc(0), { path: 'end' })) {
  const bytes: Buffer[] = []
  const source = (async function* () {
    yield* parts
  })()
  let digest = ''
  const end = (sha256: string) => {
    digest = sha256
    return last
  }
  for await (const chunk of writeTar(source, end)) bytes.push(chunk)
  return { bytes: Buffer.concat(bytes), digest }
}

async function unpack(bytes: Buffer, chunk = bytes.length) {
  const source = (async function* () {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  })()
  const found: { entry: TarEntry; text: string; before: string }[] = []
  for await (const { entry, content, sha256Before } of readTar(source)) {
    const parts: Buffer[] = []
    for await (const piece of content) parts.push(piece)
    found.push({ entry, text: Buffer.concat(parts).toString('latin1'), before: sha256Before })
  }
  return found
}

const name = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 300 })
  .filter((text) => !text.includes('\0') && text.isWellFormed())

test('STORE-03 REL-02 what is written is read again, however it is cut into pieces', async () => {
  const entry = fc.record({
    path: name,
    content: fc.uint8Array({ maxLength: 1500 }),
    mode: fc.nat(0o777),
  })
  const property = fc.asyncProperty(
    fc.array(entry, { maxLength: 4 }),
    fc.integer({ min: 1, max: 1500 }),
    async (entries, chunk) => {
      const parts = entries.map(({ path, content, mode }) =>
        part(Buffer.from(content), { path, mode }),
      )
      const { bytes, digest } = await pack(parts)
      const found = await unpack(bytes, chunk)
      expect(found.slice(0, -1).map(({ entry: read, text }) => [read, text])).toEqual(
        parts.map(({ entry: given }, at) => [
          given,
          Buffer.from(entries[at]?.content ?? []).toString('latin1'),
        ]),
      )
      expect(found.at(-1)?.before).toBe(digest)
    },
  )
  await fc.assert(property, { numRuns: 50 })
})

test('STORE-03 others read it: names that are long or not ASCII, links, empty files', async () => {
  const long = `d/${'ü'.repeat(90)}`
  const { bytes } = await pack([
    part(Buffer.alloc(0), { path: 'd', kind: 'directory', mode: 0o755 }),
    part(Buffer.from('hello'), { path: long }),
    part(Buffer.alloc(0), { path: 'd/link', kind: 'symlink', target: '../away' }),
    part(Buffer.alloc(0), { path: 'd/again', kind: 'link', target: long }),
  ])
  const listed = spawnSync('tar', ['--utc', '-tv', '--quoting-style=literal'], {
    input: bytes,
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' },
  })
  expect(listed.stderr).toBe('')
  const [directory, first, symlink, again] = listed.stdout.split('\n')
  expect(directory).toMatch(/^drwxr-xr-x 1000\/100 /)
  expect(first).toMatch(/^-rw-r----- 1000\/100 +5 2023-11-14 22:13 d\/ü{90}$/)
  expect(symlink).toMatch(/d\/link -> \.\.\/away$/)
  expect(again).toMatch(/d\/again link to d\/ü{90}$/)
})

test('STORE-03 a file that grew is cut to its size, and one that shrank is filled up', async () => {
  const grown = part(Buffer.from('hello'), { size: 2 })
  const shrunk = part(Buffer.from('hi'), { size: 4 })
  const found = await unpack((await pack([grown, shrunk])).bytes)
  expect(found.map(({ text }) => text)).toEqual(['he', 'hi\0\0', ''])
})

test('REL-02 one that is cut off anywhere, or damaged, is refused and never read as whole', async () => {
  const { bytes } = await pack([part(Buffer.from('hello')), part(Buffer.alloc(700, 'x'))])
  for (let length = 0; length < bytes.length - 512; length += 97) {
    await expect(unpack(bytes.subarray(0, length))).rejects.toThrow('it ends too early')
  }
  const damaged = Buffer.from(bytes)
  damaged[3] = 7
  await expect(unpack(damaged)).rejects.toThrow('damaged')
})

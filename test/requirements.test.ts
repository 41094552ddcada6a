import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const idPattern = /\b([A-Z]{2,}-\d{1,3})\b/g
/** Standards and sample texts that look like ids. */
const areNoIds = new Set(['UTF-8', 'UTF-16', 'SHA-256', 'SHA-512', 'ECMA-48', 'KEY-1', 'DOT-2'])

function definedIds(): ReadonlySet<string> {
  const folder = join(root, 'docs/reference')
  const text = readdirSync(folder)
    .filter((name) => name.startsWith('requirements'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  return new Set([...text.matchAll(/^- \*\*([A-Z]+-\d+)\*\* \S/gm)].map(([, id = '']) => id))
}

function textFiles(path: string): readonly string[] {
  const full = join(root, path)
  if (!statSync(full).isDirectory()) return [full]
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md|sql|yml)$/.test(name))
    .map((name) => join(full, name))
}

const places = ['src', 'test', 'docs', 'bench', 'migrations', 'README.md', 'CONTRIBUTING.md']

test('each requirement id in code, tests and documents has its line in docs/reference/requirements*.md', () => {
  const defined = definedIds()
  expect(defined.size).toBeGreaterThan(300)
  const unknown = places.flatMap(textFiles).flatMap((file) => {
    const ids = [...readFileSync(file, 'utf8').matchAll(idPattern)].map(([, id = '']) => id)
    return ids
      .filter((id) => !defined.has(id) && !areNoIds.has(id))
      .map((id) => `${id} in ${file.slice(root.length + 1)}`)
  })
  expect(unknown).toEqual([])
})

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadFilters } from '../../src/app/load-filters.ts'
import { checkFilters } from '../../src/cli/doctor/check-rules.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { builtInRules } from '../../src/rules/output/filters/compile-filters.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'

const off = '[[rules]]\nname = "make"\nenabled = false\n'

async function load(toml: string, files: Readonly<Record<string, string>> = {}) {
  await using directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'sub'))
  const all = { 'countersign.toml': toml, ...files }
  for (const [name, text] of Object.entries(all)) await writeFile(join(directory.path, name), text)
  const loaded = loadConfig({ cwd: directory.path, environment: new Environment({}) })
  if (loaded.kind !== 'ok') throw new Error(JSON.stringify(loaded.problems))
  const { filters, warnings } = await loadFilters(loaded.config)
  const told = (await checkFilters(loaded.config)).map(({ level, finding }) => [level, finding])
  expect(told).toEqual(warnings.map((warning) => ['warn', warning]))
  return { names: filters.map(({ name }) => name), warnings }
}

const all = builtInRules.map(({ name }) => name)

describe('file with filters', () => {
  test('OUT-02 without a file the built-in filters apply, without a warning', async () => {
    expect(await load('')).toEqual({ names: all, warnings: [] })
  })

  test('OUT-02 is filters.toml beside the configuration, or the file that is configured', async () => {
    const without = all.filter((name) => name !== 'make')
    expect(await load('', { 'filters.toml': off })).toEqual({ names: without, warnings: [] })
    const named = '[tools.filters]\nfilters_path = "sub/own.toml"\n'
    expect(await load(named, { 'sub/own.toml': off })).toEqual({ names: without, warnings: [] })
  })

  test('OUT-02 has no effect when filters are off', async () => {
    expect(await load('[tools.filters]\nenabled = false\n', { 'filters.toml': off })).toEqual({
      names: [],
      warnings: [],
    })
  })

  test.each([
    ['larger than 1 MiB', `${off}#${'x'.repeat(1_048_576)}`, 'is larger than 1 MiB'],
    ['no TOML', 'rules = [', 'is not TOML'],
  ])('OUT-07 is refused if %s, and the built-in filters stay', async (_what, text, why) => {
    const { names, warnings } = await load('', { 'filters.toml': text })
    expect(names).toEqual(all)
    expect(warnings).toEqual([expect.stringContaining(why)])
  })

  test('OUT-07 of exactly 1 MiB is read', async () => {
    const text = `${off}#`.padEnd(1_048_576, 'x')
    expect((await load('', { 'filters.toml': text })).names).not.toContain('make')
  })

  test('OUT-07 that is configured but missing is reported', async () => {
    const { names, warnings } = await load('[tools.filters]\nfilters_path = "missing.toml"\n')
    expect(names).toEqual(all)
    expect(warnings).toEqual([expect.stringContaining('cannot be read: ENOENT')])
  })
})

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openShadowRules } from '../../src/app/open-shadow-rules.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/util/log.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'

test('APPR-21 shadow rules are reloaded when they change; damaged or missing ones are not compared, and reported once', async () => {
  await using directory = await temporaryDirectory()
  const path = join(directory.path, 'shadow.jsonc')
  const environment = new Environment({
    HOME: directory.path,
    COUNTERSIGN_TOOLS_SHADOW_PERMISSIONS: path,
  })
  const loaded = loadConfig({ cwd: directory.path, environment })
  if (loaded.kind === 'invalid') throw new Error('no configuration')
  const told: string[] = []
  const note = (fields: object, words: string) =>
    void told.push(`${words} ${JSON.stringify(fields)}`)
  const { shadowRules } = openShadowRules(loaded.config, { ...silentLog, info: note, warn: note })
  expect(await shadowRules?.()).toBeUndefined()
  expect(await shadowRules?.()).toBeUndefined()
  for (const [text, counts] of [
    ['{ "bash": "deny" }', true],
    ['{ "bash": "no" }', false],
    ['{ "bash": "allow" // no match: ls\n}', false],
    ['{ "bash": "ask" }', true],
  ] as const) {
    await writeFile(path, text)
    expect(await shadowRules?.()).toBe(counts ? text : undefined)
    expect(await shadowRules?.()).toBe(counts ? text : undefined)
  }
  await rm(path)
  expect(await shadowRules?.()).toBeUndefined()
  expect(told.map((line) => line.replaceAll(path, 'FILE'))).toEqual([
    'shadow rules are not evaluated {"path":"FILE","fault":"it is not there, or cannot be read"}',
    'shadow rules are evaluated {"path":"FILE"}',
    expect.stringContaining('line 1: \\"no\\" is not an action'),
    expect.stringContaining('line 1: \\"*\\" is not to match \\"ls\\", and does'),
    'shadow rules are evaluated {"path":"FILE"}',
    'shadow rules are not evaluated {"path":"FILE","fault":"it is not there, or cannot be read"}',
  ])
})

test('APPR-21 without the setting there are no shadow rules', async () => {
  await using directory = await temporaryDirectory()
  const loaded = loadConfig({ cwd: directory.path, environment: new Environment({}) })
  if (loaded.kind === 'invalid') throw new Error('no configuration')
  expect(openShadowRules(loaded.config, silentLog)).toEqual({})
})

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openPermissions } from '../../../src/app/open-permissions.ts'
import { shownRules } from '../../../src/app/open-product.ts'
import { permissionsPlace } from '../../../src/app/settings/permissions-place.ts'
import type { Config } from '../../../src/config/config.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const databaseUrl = { DATABASE_URL: 'postgresql://a@b/c' }
const both = { ...databaseUrl, REDIS_URL: 'redis://d' }

function configOf(variables: Readonly<Record<string, string>>, cwd = '/nowhere'): Config {
  const environment = new Environment({ HOME: cwd, COUNTERSIGN_DATA_DIR: cwd, ...variables })
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

test.each([
  [{}, 'file'],
  [databaseUrl, 'file'],
  [{ REDIS_URL: 'redis://d' }, 'file'],
  [both, 'postgres'],
  [{ ...both, COUNTERSIGN_TOOLS_PERMISSIONS_STORE: 'file' }, 'file'],
  [{ COUNTERSIGN_TOOLS_PERMISSIONS_STORE: 'postgres' }, 'postgres'],
])(
  'GATE-04 rules are database rows where there may be several machines, or where configured: %j',
  (variables, place) => {
    expect(permissionsPlace(configOf(variables))).toBe(place)
  },
)

test("GATE-04 agents on separate machines share the rules, and the denies of one agent's file are kept", async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await using east = await temporaryDirectory()
  await using west = await temporaryDirectory()
  const file = join(east.path, 'workers/default/permissions.jsonc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '{ "bash": "deny" }')
  const [inEast, inWest] = [east, west].map(
    ({ path }) => openPermissions(configOf(both, path), db).permissions,
  )
  expect((await inEast?.load('default'))?.text).toBe('{ "bash": "deny" }')
  const { text, version } = (await inWest?.load('default')) ?? { text: '', version: '' }
  expect(text).toBe('{ "bash": "deny" }')
  expect(await inWest?.save('default', version, '{}')).toBe(true)
  expect((await inEast?.load('default'))?.text).toBe('{}')
  expect((await inWest?.load('other'))?.text).toBe(defaultPermissions)
})

test('GATE-04 CHAT-03 a gateway creates no rules, because it lacks the file that an agent may have', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const { read } = shownRules(configOf(both), false)
  expect(await read?.(db, 'default')).toBeUndefined()
  expect(await db.selectFrom('worker_permissions').selectAll().execute()).toEqual([])
  await openPermissions(configOf(both), db).permissions.load('default')
  expect(await read?.(db, 'default')).toBe(defaultPermissions)
  expect(shownRules(configOf({}), false).read).toBeUndefined()
})

import { existsSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { root } from '../../../build/product.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { packCluster, unpackCluster } from '../../../src/db/embedded/cluster-template.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { silentLog } from '../../../src/util/log.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const kind = { platform: 'linux', arch: 'x64', version: 'postgres (PostgreSQL) 18.4' }
const cluster = inject('preparedCluster')
const whenPrepared = test.skipIf(cluster === undefined)

whenPrepared(
  'SHIP-06 servers of one template start, and each has an identifier of its own',
  async () => {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, 'template.zst')
    await writeFile(file, await packCluster(cluster ?? '', kind))
    const identifiers: unknown[] = []
    for (const name of ['one', 'other']) {
      const dataDir = join(directory.path, name)
      const place = join(dataDir, 'postgres')
      await mkdir(place, { recursive: true, mode: 0o700 })
      expect(await unpackCluster(file, place, { ...kind, account: undefined })).toBe(true)
      expect((await stat(join(place, 'global'))).mode & 0o777).toBe(0o700)
      expect((await stat(join(place, 'PG_VERSION'))).mode & 0o777).toBe(0o600)
      await using postgres = await startEmbeddedPostgres({ dataDir, log: silentLog })
      await using opened = openDatabase(postgres.connection)
      const { rows } = await opened.pool.query(
        'select system_identifier::text as id, (select count(*)::int from audit_log) as rows from pg_control_system()',
      )
      expect(rows).toMatchObject([{ id: expect.stringMatching(/^\d+$/), rows: 0 }])
      identifiers.push(rows[0].id)
    }
    expect(new Set(identifiers).size).toBe(2)
  },
)

whenPrepared(
  'SHIP-06 a template for another PostgreSQL is not unpacked, and one that is cut is refused; files belong to the account of the server',
  async () => {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, 'template.zst')
    const packed = await packCluster(cluster ?? '', kind)
    await writeFile(file, packed)
    const place = join(directory.path, 'postgres')
    await mkdir(place)
    const others = [{ arch: 'arm64' }, { platform: 'darwin' }, { version: 'postgres 18.5' }]
    for (const other of others)
      expect(await unpackCluster(file, place, { ...kind, ...other, account: undefined })).toBe(
        false,
      )
    const account = { uid: process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0), gid: 0 }
    const owned = join(directory.path, 'owned')
    await mkdir(owned)
    expect(await unpackCluster(file, owned, { ...kind, account })).toBe(true)
    for (const name of ['base', 'PG_VERSION'])
      expect((await stat(join(owned, name))).uid).toBe(account.uid)
    await writeFile(file, packed.subarray(0, packed.length / 2))
    await expect(unpackCluster(file, place, { ...kind, account: undefined })).rejects.toThrow()
    expect(await readdir(place)).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('SHIP-06 the bundle has one for this machine', () => {
  expect(existsSync(join(root, 'dist/postgres', `linux-${process.arch}.zst`))).toBe(true)
})

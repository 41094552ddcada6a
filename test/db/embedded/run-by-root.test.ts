import { spawnSync } from 'node:child_process'
import {
  access,
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unprivilegedAccount } from '../../../src/db/embedded/copy-database.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { silentLog } from '../../../src/util/log.ts'
import { started, startInChild } from './fixtures/postgres-in-child.ts'
import { countRows, writeRows } from './fixtures/rows.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const log = silentLog
const isRoot = process.geteuid?.() === 0
const namespaces = spawnSync('unshare', ['--user', '--map-user=1', '--map-group=1', 'true'])
const hasNamespaces = namespaces.status === 0
const nobody = await unprivilegedAccount()
const nameless = 54_321

test('STORE-01 it runs below a directory that only its owner may enter', async () => {
  await using directory = await temporaryDirectory()
  const binaries = await copyOfBinaries(join(directory.path, 'checkout'))
  const dataDir = join(directory.path, 'data')
  await using postgres = await startEmbeddedPostgres({ dataDir, binaries, log })
  await writeRows(postgres.connection, 1)
  expect(await countRows(postgres.connection)).toBe(1)
})

describe.skipIf(!isRoot || !hasNamespaces)('run by root where user namespaces work', () => {
  test('STORE-01 runs in a namespace of its own, its files remaining those of root', async () => {
    await using directory = await temporaryDirectory()
    await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
    expect(postgres.mode).toBe('user-namespace')
    expect((await stat(join(directory.path, 'postgres'))).uid).toBe(0)
  })

  test('STORE-01 the same namespace lets a user without a name run it', async () => {
    await using directory = await ownedBy(nameless)
    const binaries = await reachableBinaries(directory.path)
    await using child = startInChild({
      dataDir: join(directory.path, 'data'),
      binaries,
      user: nameless,
    })
    expect(await started(child)).toMatchObject({ mode: 'user-namespace' })
  })
})

describe.skipIf(!isRoot || nobody === undefined)('run by root', () => {
  const uid = nobody?.uid ?? 0

  test('STORE-01 it runs from a copy as nobody if user namespaces do not work', async () => {
    await using directory = await temporaryDirectory()
    await using copies = await temporaryDirectory()
    await chmod(copies.path, 0o711)
    const dataDir = directory.path
    const asRoot = { userNamespace: false, copiesDir: copies.path }
    const runtimeDir = directory.path
    await using postgres = await startEmbeddedPostgres({ dataDir, runtimeDir, log, asRoot })
    expect(postgres.mode).toBe('copied')
    expect(postgres.connection.host).toMatch(/^\/tmp\/countersign-\w+$/)
    expect(await userOf(postgres.pid)).toBe(uid)
    await writeRows(postgres.connection, 10)
    expect(await countRows(postgres.connection)).toBe(10)
    expect((await lstat(join(dataDir, 'postgres'))).isSymbolicLink()).toBe(true)
    expect((await readdir(copies.path)).some((name) => name.startsWith('programs-'))).toBe(true)
  })

  test('STORE-01 takes the rows of an earlier run along when it has to run from a copy, and stays there', async () => {
    await using directory = await temporaryDirectory()
    await using copies = await temporaryDirectory()
    await chmod(copies.path, 0o711)
    const dataDir = directory.path
    const copiesDir = copies.path
    if (hasNamespaces) {
      await using first = await startEmbeddedPostgres({ dataDir, log })
      await writeRows(first.connection, 10)
    }
    for (const userNamespace of [false, true]) {
      const asRoot = { userNamespace, copiesDir }
      await using later = await startEmbeddedPostgres({ dataDir, log, asRoot })
      expect(later.mode).toBe('copied')
      if (hasNamespaces) expect(await countRows(later.connection)).toBe(10)
    }
    await expect(access(join(dataDir, 'postgres.moved'))).rejects.toThrow('ENOENT')
  })

  test('STORE-01 a deleted data directory starts empty', async () => {
    await using place = await temporaryDirectory()
    await using copies = await temporaryDirectory()
    await chmod(copies.path, 0o711)
    const asRoot = { userNamespace: false, copiesDir: copies.path }
    const options = { dataDir: join(place.path, 'data'), log, asRoot, durable: false }
    {
      await using first = await startEmbeddedPostgres(options)
      await writeRows(first.connection, 10)
    }
    await rm(options.dataDir, { recursive: true })
    await using second = await startEmbeddedPostgres(options)
    await expect(countRows(second.connection)).rejects.toThrow('does not exist')
    const all = await readdir(copies.path, { recursive: true })
    expect(all.some((name) => name.includes('postgres.replaced-'))).toBe(true)
  })

  test('STORE-01 the error names the remedy if nothing can be copied', async () => {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, 'file')
    await writeFile(file, '')
    const asRoot = { userNamespace: false, copiesDir: join(file, 'copies') }
    const dataDir = join(directory.path, 'data')
    await expect(startEmbeddedPostgres({ dataDir, log, asRoot })).rejects.toThrow(
      /could not be copied.*set DATABASE_URL/,
    )
    expect(await readdir(dataDir)).toEqual([])
  })

  test('STORE-01 the socket is not put into the runtime directory of another user', async () => {
    await using directory = await temporaryDirectory()
    const runtimeDir = join(directory.path, 'run')
    await mkdir(runtimeDir, { mode: 0o700 })
    await chown(runtimeDir, uid, uid)
    await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, runtimeDir, log })
    expect(postgres.connection.host).toMatch(/^\/tmp\//)
  })

  test('STORE-01 an unprivileged user runs it directly', async () => {
    await using directory = await ownedBy(uid)
    const binaries = await reachableBinaries(directory.path)
    await using child = startInChild({ dataDir: join(directory.path, 'data'), binaries, user: uid })
    const { mode, pid, connection } = await started(child)
    expect(mode).toBe('plain')
    expect(await userOf(pid)).toBe(uid)
    await writeRows(connection, 1)
    expect(await countRows(connection)).toBe(1)
  })

  test('STORE-01 libraries that npm did not link are linked elsewhere if the package is read-only', async () => {
    await using directory = await ownedBy(uid)
    const binaries = await copyOfBinaries(join(directory.path, 'package'), { links: false })
    await using child = startInChild({ dataDir: join(directory.path, 'data'), binaries, user: uid })
    expect(await started(child)).toMatchObject({ mode: 'plain' })
    await expect(access(join(binaries, 'lib', 'libpq.so.5'))).rejects.toThrow('ENOENT')
  })
})

test('STORE-01 libraries that npm did not link are linked in the package', async () => {
  await using directory = await temporaryDirectory()
  const binaries = await copyOfBinaries(join(directory.path, 'package'), { links: false })
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, binaries, log })
  expect(postgres.owned).toBe(true)
  const linked = await readdir(join(binaries, 'lib'))
  const original = await readdir(join(installed(), 'lib'))
  expect(linked.sort()).toEqual(original.sort())
})

function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
}

async function copyOfBinaries(to: string, { links = true } = {}): Promise<string> {
  const isWanted = async (path: string) => links || !(await lstat(path)).isSymbolicLink()
  await cp(installed(), to, { recursive: true, verbatimSymlinks: true, filter: isWanted })
  return to
}

/** The installed ones, or a copy where others may not enter the checkout. */
async function reachableBinaries(directory: string): Promise<string> {
  const program = join(installed(), 'bin', 'postgres')
  const tried = spawnSync(program, ['-V'], { uid: nameless, gid: nameless, cwd: '/' })
  return tried.status === 0 ? installed() : copyOfBinaries(join(directory, 'copy'))
}

async function ownedBy(uid: number): ReturnType<typeof temporaryDirectory> {
  const directory = await temporaryDirectory()
  await chmod(directory.path, 0o755)
  await mkdir(join(directory.path, 'data'), { mode: 0o700 })
  await chown(join(directory.path, 'data'), uid, uid)
  return directory
}

async function userOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
}

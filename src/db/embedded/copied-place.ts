import {
  access,
  chmod,
  chown,
  cp,
  lchown,
  lstat,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../util/new-id.ts'
import { runCommand } from '../../util/run-command.ts'
import { sha256 } from '../../util/sha256.ts'
import { type Binaries, locateBinaries } from './locate-binaries.ts'
import type { Account } from './unprivileged-account.ts'

/** Copies PostgreSQL's programs, once a version, to where every user can run them. */
export async function copyBinaries(binaries: Binaries, copiesDir: string): Promise<Binaries> {
  await makeOpenDirectory(copiesDir)
  const target = join(copiesDir, `programs-${await fingerprint(binaries)}`)
  if (!(await isThere(target))) {
    const beside = `${target}~${newId()}`
    await cp(binaries.directory, beside, { recursive: true, verbatimSymlinks: true })
    await makeOpen(beside)
    // Another start may have been faster; its copy is as good.
    await rename(beside, target).catch(() => rm(beside, { recursive: true, force: true }))
  }
  return locateBinaries(join(copiesDir, 'links'), target)
}

/**
 * The directory of the database outside the data directory, with `<dataDir>/postgres` a link to it, so that one can see where it went.
 * A database that is in the data directory already is moved there. A start that was cut short at any point can be repeated.
 */
export async function moveDatabase(
  dataDir: string,
  copiesDir: string,
  account: Account,
): Promise<string> {
  const here = join(dataDir, 'postgres')
  const linked = await readlink(here).catch(() => undefined)
  const there = linked ?? join(copiesDir, sha256(dataDir).slice(0, 16), 'postgres')
  await makeOpenDirectory(dirname(there))
  if (linked === undefined) {
    const moved = `${here}.moved`
    if (await isThere(here)) await copyThenRename(here, there, moved, account)
    // Nothing points at what is there: its data directory was deleted, this is a new one.
    else if (!(await isThere(moved))) await setAside(there)
    await symlink(there, here)
    await rm(moved, { recursive: true, force: true })
  }
  return there
}

async function copyThenRename(
  here: string,
  there: string,
  moved: string,
  account: Account,
): Promise<void> {
  const beside = `${there}~${newId()}`
  await cp(here, beside, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  await giveTree(beside, account)
  await setAside(there)
  await rename(beside, there)
  // The copy is on disk before the original goes.
  await runCommand('sync', [], { env: { PATH: '/usr/bin:/bin' } })
  await rename(here, moved)
}

async function setAside(directory: string): Promise<void> {
  if (await isThere(directory)) await rename(directory, `${directory}.replaced-${newId()}`)
}

async function giveTree(directory: string, { uid, gid }: Account): Promise<void> {
  await chown(directory, uid, gid)
  await chmod(directory, 0o700)
  const entries = await readdir(directory, { recursive: true })
  for (const entry of entries) await lchown(join(directory, entry), uid, gid)
}

async function makeOpen(directory: string): Promise<void> {
  for (const entry of ['', ...(await readdir(directory, { recursive: true }))]) {
    const path = join(directory, entry)
    const stat = await lstat(path)
    if (stat.isSymbolicLink()) continue
    await chmod(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}

async function makeOpenDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o711)
}

async function fingerprint({ directory }: Binaries): Promise<string> {
  const stat = await lstat(join(directory, 'bin', 'postgres'))
  return sha256(`${stat.size}:${stat.mtimeMs}`).slice(0, 16)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

import {
  access,
  chmod,
  chown,
  cp,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sha256 } from '../../util/digest.ts'
import { newId } from '../../util/ids.ts'
import { runCommand } from '../../util/run-command.ts'
import { type Binaries, locateBinaries } from './locate-binaries.ts'

/** Copies PostgreSQL's programs, once for each version, to a directory from which every user can run them. */
export async function copyBinaries(binaries: Binaries, copiesDir: string): Promise<Binaries> {
  await makeTraversable(copiesDir)
  const target = join(copiesDir, `programs-${await fingerprint(binaries)}`)
  if (!(await exists(target))) {
    const beside = `${target}~${newId()}`
    await cp(binaries.directory, beside, { recursive: true, verbatimSymlinks: true })
    await makeReadable(beside)
    // A concurrent start may have copied first; its copy is equivalent.
    await rename(beside, target).catch(() => rm(beside, { recursive: true, force: true }))
  }
  return locateBinaries(join(copiesDir, 'links'), target)
}

/**
 * Moves the database out of the data directory, leaving `<dataDir>/postgres` as a link to it, and returns its path. Can
 * be repeated after an interruption at any point.
 */
export async function moveDatabase(
  dataDir: string,
  copiesDir: string,
  account: Account,
): Promise<string> {
  const here = join(dataDir, 'postgres')
  const linked = await readlink(here).catch(() => undefined)
  const there = linked ?? join(copiesDir, sha256(dataDir).slice(0, 16), 'postgres')
  await makeTraversable(dirname(there))
  if (linked === undefined) {
    const moved = `${here}.moved`
    if (await exists(here)) await copyThenRename(here, there, moved, account)
    // Nothing links to the existing directory: its data directory was deleted, and this is a new one.
    else if (!(await exists(moved))) await moveAside(there)
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
  await changeOwner(beside, account)
  await moveAside(there)
  await rename(beside, there)
  // Flush the copy before the original is removed.
  await runCommand('sync', [], { env: { PATH: '/usr/bin:/bin' } })
  await rename(here, moved)
}

async function moveAside(directory: string): Promise<void> {
  if (await exists(directory)) await rename(directory, `${directory}.replaced-${newId()}`)
}

async function changeOwner(directory: string, { uid, gid }: Account): Promise<void> {
  await chown(directory, uid, gid)
  await chmod(directory, 0o700)
  const entries = await readdir(directory, { recursive: true })
  for (const entry of entries) await lchown(join(directory, entry), uid, gid)
}

async function makeReadable(directory: string): Promise<void> {
  for (const entry of ['', ...(await readdir(directory, { recursive: true }))]) {
    const path = join(directory, entry)
    const stat = await lstat(path)
    if (stat.isSymbolicLink()) continue
    await chmod(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}

async function makeTraversable(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o711)
}

async function fingerprint({ directory }: Binaries): Promise<string> {
  const stat = await lstat(join(directory, 'bin', 'postgres'))
  return sha256(`${stat.size}:${stat.mtimeMs}`).slice(0, 16)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** User of this machine other than root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns `nobody`, or the first other user except root; undefined if there is none. PostgreSQL requires its user to have
 * a name.
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const accounts = text.split('\n').flatMap(parseLine)
  return accounts.find(({ name }) => name === 'nobody') ?? accounts.find(({ uid }) => uid !== 0)
}

function parseLine(line: string): readonly (Account & { readonly name: string })[] {
  const [name, , uid, gid] = line.split(':')
  if (name === undefined || uid === undefined || gid === undefined) return []
  // macOS writes the uid of nobody as -2.
  return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }]
}

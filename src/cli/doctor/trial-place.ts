import { access, mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { hasDatabase } from '../../app/reach-server.ts'
import type { Config } from '../../config/config.ts'

/** Where database and sandbox are tried out. Disposing removes what was only for the trial. */
export interface TrialPlace extends AsyncDisposable {
  readonly config: Config
  /** Whether it stands for a data directory that was never used. */
  readonly isTemporary: boolean
}

/** The product's own data directory where it has run, else a temporary one: looking at it changes nothing. */
export async function openTrialPlace(config: Config): Promise<TrialPlace> {
  if (await wasUsed(config)) {
    return { config, isTemporary: false, [Symbol.asyncDispose]: async () => undefined }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-doctor-'))
  return {
    config: { ...config, dataDir },
    isTemporary: true,
    [Symbol.asyncDispose]: async () => {
      await removeCopy(join(dataDir, 'postgres'))
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function wasUsed({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl === undefined) return hasDatabase(dataDir)
  return access(dataDir).then(
    () => true,
    () => false,
  )
}

/** Root without user namespaces keeps the database elsewhere, in a directory of its own, behind a link. */
async function removeCopy(link: string): Promise<void> {
  const copy = await readlink(link).catch(() => '')
  const directory = dirname(copy)
  if (!isAbsolute(copy) || !/^[0-9a-f]{16}$/.test(basename(directory))) return
  await rm(directory, { recursive: true, force: true })
}

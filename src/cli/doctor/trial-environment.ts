import { access, mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { hasDatabase } from '../../app/reach-server.ts'
import type { Config } from '../../config/config.ts'

/** Environment in which database and sandbox are tried. Disposing removes temporary files. */
export interface TrialEnvironment extends AsyncDisposable {
  readonly config: Config
  /** True if it replaces a data directory that was never used. */
  readonly isTemporary: boolean
}

/** Opens the product's data directory if it was used, otherwise a temporary one, so that checking changes nothing. */
export async function openTrialEnvironment(config: Config): Promise<TrialEnvironment> {
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

/** Removes the copy of the database that root without user namespaces keeps behind a link. */
async function removeCopy(link: string): Promise<void> {
  const copy = await readlink(link).catch(() => '')
  const directory = dirname(copy)
  if (!isAbsolute(copy) || !/^[0-9a-f]{16}$/.test(basename(directory))) return
  await rm(directory, { recursive: true, force: true })
}

import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { readablePaths } from '../../../app/settings/readable-paths.ts'
import type { Config } from '../../../config/config.ts'
import { CommandError } from '../../../domain/command-error.ts'
import { isPathInside } from '../../../util/is-path-inside.ts'
import { dataParts } from './manifest.ts'

type Places = Pick<Config, 'dataDir' | 'tools' | 'worker'>

/** Throws CommandError if a backup file would be accessible to boxes, or be part of itself. */
export async function assertBackupPath(config: Places, file: string): Promise<void> {
  const directory = await realpath(dirname(file))
  for (const place of accessiblePaths(config)) {
    const real = await realpath(place).catch(() => place)
    if (!isPathInside(real, directory)) continue
    throw new CommandError(
      `${file} lies in ${place}, which commands and file tools may reach, and a backup holds the signing key: name a file elsewhere`,
    )
  }
}

/** Absolute `allowed_paths` only; relative ones are parts of the workspace. */
function accessiblePaths({ dataDir, tools, worker }: Places): readonly string[] {
  const { file, shell } = tools
  return [
    ...(worker.workspace === undefined ? [] : [worker.workspace]),
    ...dataParts.map((name) => join(dataDir, name)),
    ...[...file.allowedPaths, ...shell.allowedPaths].filter((path) => isAbsolute(path)),
    ...readablePaths(file.allowRead),
  ]
}

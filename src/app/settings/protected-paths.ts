import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config/config.ts'
import { filtersPathOf } from '../../config/read-filters-file.ts'
import { readRunFile } from '../../db/embedded/run-file.ts'
import { isPathInside } from '../../util/is-path-inside.ts'

const installation = fileURLToPath(new URL('../../..', import.meta.url))

/** GATE-12: host paths that no tool reads or changes: data, configuration and rules, keys, the installation. */
function protectedHostPaths(config: Config): readonly string[] {
  return [
    config.dataDir,
    config.configFile ?? join(config.configDir, 'countersign.toml'),
    filtersPathOf(config),
    ...(config.tools.shadowPermissions === undefined ? [] : [config.tools.shadowPermissions]),
    ...(config.signingKeyFile === undefined ? [] : [config.signingKeyFile]),
    ...(config.verifyKeysFile === undefined ? [] : [config.verifyKeysFile]),
    ...config.worker.skillFolders,
    ...(isInstallation(config.worker.workspace) ? [] : [installation.replace(/\/$/, '')]),
  ]
}

/**
 * Returns the paths that boxes mask: the protected ones and the socket directory of the embedded PostgreSQL. That server
 * asks for no password, and its socket lies in `/tmp` or the runtime directory, which may be mounted as part of a
 * workspace (BOX-05).
 */
export async function maskedHostPaths(config: Config): Promise<readonly string[]> {
  const running = await readRunFile(config.dataDir)
  const own = protectedHostPaths(config)
  return running === undefined ? own : [...own, running.connection.host]
}

/**
 * Returns the protected paths as a box sees them: under their host names, and below the box's name of the workspace if
 * one configured workspace contains them.
 */
export function protectedPathsOf(config: Config): (boxWorkspace: string) => readonly string[] {
  const host = protectedHostPaths(config)
  const { workspace } = config.worker
  return (boxWorkspace) => {
    if (workspace === undefined || workspace === boxWorkspace) return host
    const inside = host.filter((path) => path !== workspace && isPathInside(workspace, path))
    return [...host, ...inside.map((path) => join(boxWorkspace, relative(workspace, path)))]
  }
}

function isInstallation(workspace: string | undefined): boolean {
  return workspace !== undefined && isPathInside(installation, workspace)
}

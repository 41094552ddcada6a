import { existsSync, globSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config/config.ts'
import { filtersPathOf } from '../../config/read-filters-file.ts'
import { readRunFile } from '../../db/embedded/run-file.ts'
import { literalPath, toPathGlob } from '../../shared/glob/path-glob.ts'
import { isPathInside } from '../../util/files.ts'

const installation = fileURLToPath(new URL('../../..', import.meta.url))

/** Directories that a box has itself, which no mount of the host may hide. */
const boxesOwn = ['', '/bin', '/dev', '/etc', '/lib', '/lib64', '/opt', '/proc', '/sbin', '/sys']

const hidden: ReadonlySet<string> = new Set([...boxesOwn, '/tmp', '/usr', '/workspace'])

const maxPaths = 100

/**
 * FILE-02: returns the host paths that `allow_read` makes readable, for boxes to mount: absolute paths, directories
 * followed by `/**` or `/*`, and the present matches of such globs with further wildcards, 100 per glob at most.
 */
export function readablePaths(globs: readonly string[]): readonly string[] {
  return [...new Set(globs.filter((glob) => glob.startsWith('/')).flatMap(pathsOf))]
}

function pathsOf(glob: string): readonly string[] {
  const top = glob.replace(/(?:\/\*+)+$/, '')
  const place = literalPath(top)
  if (place !== undefined) {
    return existsSync(place) && (top === glob || !hidden.has(place)) ? [place] : []
  }
  // A glob that crosses directories could match anywhere.
  if (top.includes('**')) return []
  // Node's globs match more than those of the rules.
  const isMeant = toPathGlob(top) ?? (() => false)
  return globSync(top)
    .filter((found) => !hidden.has(found) && isMeant(found))
    .slice(0, maxPaths)
}

/**
 * FILE-01, BASH-10: translates `allowed_paths` into paths inside a box. Host paths keep their names; the workspace has
 * its own name there, against which relative paths are resolved. A path that is, contains or lies in the workspace is
 * listed under both names.
 */
export function allowedPathsOf(
  { worker }: Pick<Config, 'worker'>,
  paths: readonly string[],
): (boxWorkspace: string) => readonly string[] {
  const outside = paths.filter(isAbsolute)
  const parts = workspaceParts(paths, worker.workspace)
  return (boxWorkspace) => {
    const inside = paths.length === 0 ? [] : parts.map((part) => join(boxWorkspace, part))
    return [...new Set([...outside, ...inside])]
  }
}

/**
 * Returns the parts of the workspace that `allowed_paths` covers, relative to it; `.` means all of it, also for an empty
 * list.
 */
export function workspaceParts(
  paths: readonly string[],
  workspace: string | undefined,
): readonly string[] {
  if (paths.length === 0) return ['.']
  const parts = paths.flatMap((path) => partOf(path, workspace))
  return parts.includes('.') ? ['.'] : [...new Set(parts)]
}

function partOf(path: string, workspace: string | undefined): readonly string[] {
  if (!isAbsolute(path)) return [join(path, '.')]
  if (workspace === undefined) return []
  if (isPathInside(path, workspace)) return ['.']
  return isPathInside(workspace, path) ? [relative(workspace, path)] : []
}

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

import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config/config.ts'
import type { ConfigProblem } from '../../config/problems.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Oldest version of Node that the bundle runs on, as in `engines` of `package.json`. */
const oldest = /\d+\.\d+/.exec(manifest.engines.node)?.[0] ?? ''

/** Remedy for a version that is too old. */
export const newerNode = `use Node ${oldest} or newer`

const what = 'data directory'

const littleSpaceBytes = 1024 ** 3

/** Checks that the data directory can be written and is private. */
export async function checkDataDirectory(dataDir: string): Promise<readonly Finding[]> {
  const found = await stat(dataDir).catch(() => undefined)
  if (found === undefined) return [await checkMissing(dataDir)]
  if (!found.isDirectory()) {
    return [fail(what, `${dataDir} is no directory`, 'choose another with COUNTERSIGN_DATA_DIR')]
  }
  if (!(await isWritable(dataDir))) {
    const mend = 'give it to the user who runs Countersign, or set COUNTERSIGN_DATA_DIR'
    return [fail(what, `${dataDir} cannot be written to`, mend)]
  }
  return [checkOwner(dataDir, found), ...(await checkSpace(dataDir))]
}

async function checkMissing(dataDir: string): Promise<Finding> {
  const parent = await nearestParent(dataDir)
  if (await isWritable(parent)) return ok(what, `${dataDir} is made at the first start`)
  const mend = 'make it yourself, or choose another with COUNTERSIGN_DATA_DIR'
  return fail(what, `${dataDir} cannot be made: ${parent} cannot be written to`, mend)
}

async function nearestParent(path: string): Promise<string> {
  const parent = dirname(path)
  const isThere = parent === path || (await stat(parent).catch(() => undefined)) !== undefined
  return isThere ? parent : nearestParent(parent)
}

function checkOwner(dataDir: string, found: { uid: number; mode: number }): Finding {
  const mode = (found.mode & 0o777).toString(8)
  const own = process.geteuid?.()
  if (own !== undefined && own !== found.uid) {
    const finding = `${dataDir} belongs to user ${found.uid}, but this is user ${own}`
    return warn(what, finding, 'run Countersign as its owner, or change the owner of all in it')
  }
  if ((found.mode & 0o077) === 0) return ok(what, `${dataDir} (mode ${mode}, ours)`)
  const finding = `${dataDir} can be entered by other users of this machine (mode ${mode})`
  return warn(what, finding, `chmod 700 ${dataDir}`)
}

async function checkSpace(dataDir: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = bavail * bsize
  if (free >= littleSpaceBytes) return []
  const finding = `only ${Math.round(free / 1024 ** 2)} MiB are free in ${dataDir}`
  return [warn(what, finding, 'make room: a full disk stops the database')]
}

async function isWritable(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

export function checkConfiguration(config: Config): Finding {
  const words = config.configFile ?? `no countersign.toml in ${config.configDir}: defaults`
  return ok('configuration', words)
}

/** Returns one finding for each problem. */
export function configurationFailures(problems: readonly ConfigProblem[]): readonly Finding[] {
  return problems.map(({ source, line, key, message }) => {
    const place = line === undefined ? source : `${source}:${line}`
    const words = key === undefined ? message : `${key}: ${message}`
    return fail(
      'configuration',
      `${place}: ${words}`,
      'docs/reference/configuration.md lists every key',
    )
  })
}

/** True if the bundle runs on this version of Node. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** Checks that the bundle runs on this version of Node. */
export function checkNode(version = process.versions.node): Finding {
  const words = `${version} on ${process.platform}-${process.arch}`
  if (isSupportedNode(version)) return ok('node', words)
  return fail('node', `${words} is too old`, newerNode)
}

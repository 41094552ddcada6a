import manifest from '../../../package.json' with { type: 'json' }
import { type Finding, fail, ok } from './finding.ts'

/** Oldest version of Node that the bundle runs on, as in `engines` of `package.json`. */
const oldest = /\d+\.\d+/.exec(manifest.engines.node)?.[0] ?? ''

/** True if the bundle runs on this version of Node. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/** Remedy for a version that is too old. */
export const newerNode = `use Node ${oldest} or newer`

/** Checks that the bundle runs on this version of Node. */
export function checkNode(version = process.versions.node): Finding {
  const words = `${version} on ${process.platform}-${process.arch}`
  if (isSupportedNode(version)) return ok('node', words)
  return fail('node', `${words} is too old`, newerNode)
}

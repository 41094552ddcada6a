import { type Finding, fail, ok } from './finding.ts'

const oldestMajor = 24

/** Checks that this Node version runs TypeScript directly. */
export function checkNode(version = process.versions.node): Finding {
  const major = Number.parseInt(version, 10)
  const words = `${version} on ${process.platform}-${process.arch}`
  if (major >= oldestMajor) return ok('node', words)
  return fail('node', `${words} is too old`, `use Node ${oldestMajor} or newer; npx does by itself`)
}

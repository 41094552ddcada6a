import { findTrust } from '../../db/call/tool-trust.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, ok, warn } from './finding.ts'

/** POL-03: warns about quarantined and blocked tools, which are easily forgotten. */
export async function checkTrust(db: Db): Promise<Finding> {
  const kept = [...(await findTrust(db))].flatMap(([tool, level]) =>
    level === 'verified' ? [] : [`${tool} is ${level}`],
  )
  if (kept.length === 0) return ok('trust', 'no tool is quarantined or blocked')
  const mend = 'countersign trust list says since when and why, countersign trust set changes it'
  return warn('trust', kept.join(', '), mend)
}

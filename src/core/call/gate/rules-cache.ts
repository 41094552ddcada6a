import { readPermissions } from '../../../rules/gate/permissions/read-permissions.ts'
import type { WorkerRules } from '../../../rules/gate/permissions/rule.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'

/** A worker's rules as parsed: the same object for the same text and home, so that what was made of it counts again. */
export type ParseRules = (text: string, home: string) => WorkerRules

/** Homes differ by conversation in some sandboxes; a text that was changed is not asked for again. */
const maxKept = 100

/** Parses each text, and tries its examples, once: it is asked for in every transition of a turn and changes once in a while. */
export function createRulesCache(): ParseRules {
  const kept = new Map<string, WorkerRules>()
  return (text, home) => {
    const key = `${home}\n${text}`
    const rules = kept.get(key) ?? readPermissions(text, { home })
    kept.delete(key)
    kept.set(key, rules)
    dropOldest(kept, maxKept)
    return rules
  }
}

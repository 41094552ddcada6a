import type { WorkerRules } from './rule.ts'

/** GATE-10: whether a worker's permissions are exactly `{"*": "allow"}`: the gate is switched off. */
export function allowsEverything(worker: WorkerRules): boolean {
  if (worker.kind !== 'rules' || (worker.failed ?? []).length > 0) return false
  const only = worker.rules[0]
  return (
    worker.rules.length === 1 &&
    only?.tool === '*' &&
    only.matchesAll &&
    only.action === 'allow' &&
    !only.grant
  )
}

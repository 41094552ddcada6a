import { tryExamples } from './check-examples.ts'
import { parsePermissions } from './parse-permissions.ts'
import type { WorkerRules } from './rule.ts'

/** Parses a worker's rules and runs their examples (APPR-21), for use by the gate. Never throws. */
export function readPermissions(text: string, options: { readonly home: string }): WorkerRules {
  const worker = parsePermissions(text, options)
  if (worker.kind === 'damaged' || worker.examples === undefined) return worker
  const tried = tryExamples(worker, options.home)
  const wrong = tried.flatMap(({ example: { line }, fault }) =>
    fault === undefined ? [] : [{ line, message: fault }],
  )
  const failed = [...(worker.failed ?? []), ...wrong].sort((a, b) => a.line - b.line)
  return failed.length === 0 ? worker : { ...worker, failed }
}

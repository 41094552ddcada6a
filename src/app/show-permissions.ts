import { allowsEverything } from '../rules/gate/permissions/allows-everything.ts'
import { defaultPermissions } from '../rules/gate/permissions/default-permissions.ts'
import { readPermissions } from '../rules/gate/permissions/read-permissions.ts'
import type { RuleProblem } from '../rules/gate/permissions/rule.ts'
import { findRules } from './find-rules.ts'
import type { CommandInput } from './open-beside.ts'

/** What there is to say of a text of rules. */
export interface CheckedRules {
  readonly rules: number
  /** With one of them, no rule of the text counts: every call asks (GATE-09). */
  readonly problems: readonly RuleProblem[]
  /** Examples that do not hold: with one of them, whatever the text does not deny asks (APPR-21). */
  readonly failed: readonly RuleProblem[]
  /** What is most likely not meant so, and changes nothing. */
  readonly notes: readonly RuleProblem[]
  /** GATE-10: the gate is switched off. */
  readonly allowsEverything: boolean
}

/** A worker's rules as they count now. */
export interface PermissionsView extends CheckedRules {
  /** Of the file, or words for the row of the database. */
  readonly path: string
  /** False where the worker has not run yet: then the defaults count. */
  readonly isThere: boolean
  readonly text: string
  /** A file that is there although the rules are kept in the database: nobody reads it. */
  readonly unread?: string
}

/** Where tools most often see the workspace: what `~/` means, and where the examples' relative paths start. */
export const usualWorkspace = '/workspace'

/** Reads a worker's rules, the configured one's unless named. Makes none. */
export async function showPermissions(
  input: CommandInput & { readonly signal: AbortSignal },
  worker = input.config.worker.name,
): Promise<PermissionsView> {
  const { path, text: found, unread } = await findRules(input, worker)
  const text = found ?? defaultPermissions
  return {
    path,
    isThere: found !== undefined,
    text,
    ...checkRules(text),
    ...(unread === undefined ? {} : { unread }),
  }
}

/** Parses a text of rules and tries its examples. */
export function checkRules(text: string): CheckedRules {
  const parsed = readPermissions(text, { home: usualWorkspace })
  const isRules = parsed.kind === 'rules'
  return {
    rules: isRules ? parsed.rules.length : 0,
    problems: isRules ? [] : parsed.problems,
    failed: isRules ? (parsed.failed ?? []) : [],
    notes: isRules ? (parsed.notes ?? []) : [],
    allowsEverything: allowsEverything(parsed),
  }
}

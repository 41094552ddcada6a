import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { createFilePermissionsStore } from '../edges/permissions/file-store.ts'
import { allowsEverything } from '../rules/gate/permissions/allows-everything.ts'
import { defaultPermissions } from '../rules/gate/permissions/default-permissions.ts'
import { parsePermissions } from '../rules/gate/permissions/parse-permissions.ts'
import type { RuleProblem } from '../rules/gate/permissions/rule.ts'
import { hasCode } from '../util/has-code.ts'
import { CommandError } from './command-error.ts'

/** A worker's rules as they count now. */
export interface PermissionsView {
  readonly path: string
  /** False where the worker has not run yet: then the defaults count. */
  readonly isThere: boolean
  readonly text: string
  readonly rules: number
  /** With one of them, no rule of the file counts: every call asks (GATE-09). */
  readonly problems: readonly RuleProblem[]
  /** GATE-10: the gate is switched off. */
  readonly allowsEverything: boolean
}

/** Reads a worker's rules, the configured one's unless named. Does not make the file. */
export async function showPermissions(
  config: Config,
  worker = config.worker.name,
): Promise<PermissionsView> {
  const path = permissionsPath(config, worker)
  const found = await readIfThere(path)
  const text = found ?? defaultPermissions
  // Only the number of rules counts here, not what the home directory in them means.
  const parsed = parsePermissions(text, { home: '/home' })
  return {
    path,
    isThere: found !== undefined,
    text,
    rules: parsed.kind === 'rules' ? parsed.rules.length : 0,
    problems: parsed.kind === 'damaged' ? parsed.problems : [],
    allowsEverything: allowsEverything(parsed),
  }
}

/** Where a worker's rules are, made or not. */
export function permissionsPath(config: Config, worker = config.worker.name): string {
  const store = createFilePermissionsStore({ dataDir: config.dataDir, seed: defaultPermissions })
  try {
    return store.describe(worker)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${JSON.stringify(worker)} names no worker: ${why}`, {
      exitCode: 2,
      cause: error,
    })
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

import { readFile } from 'node:fs/promises'
import { rulesIn } from '../../app/find-rules.ts'
import { gatePartsOf } from '../../app/gate-parts.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { formatProblems } from '../../config/problems.ts'
import type { Db } from '../../db/schema.ts'
import { CommandError } from '../../domain/command-error.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'
import { parsePermissions } from '../../rules/gate/permissions/parse-permissions.ts'
import { reevaluate } from '../../rules/gate/replay/rejudge.ts'
import { type ReplayReport, Tally } from '../../rules/gate/replay/tally.ts'
import { toolFinder } from '../../rules/tools/presumed-tool.ts'
import { pastCalls } from './past-calls.ts'

export interface ReplayInput extends CommandInput {
  readonly since: Date
  readonly signal: AbortSignal
  /** Absolute path of a `permissions.jsonc` that replaces the rules of every worker. */
  readonly rulesFile?: string
  /** Absolute path of a configuration whose `[tools]` section replaces the current one. */
  readonly operatorFile?: string
}

/** APPR-12: evaluates audited calls by other rules. Changes nothing. */
export async function replayRules(input: ReplayInput): Promise<ReplayReport> {
  const { config, since, signal, rulesFile, operatorFile } = input
  const rules = rulesFile === undefined ? undefined : await readRules(rulesFile)
  const tools = operatorFile === undefined ? config : operatorConfig(input, operatorFile)
  const parts = gatePartsOf({ ...config, tools: tools.tools })
  return await withDatabase(input, async ({ db }) => {
    const rulesOf = rulesReader(config, db, rules)
    const tally = new Tally()
    const find = toolFinder(Object.keys(config.mcp))
    for await (const { call, facts, why } of pastCalls({ db, parts, rulesOf, since, signal })) {
      tally.add(
        call,
        facts === undefined ? { kind: 'uncertain', why } : reevaluate(call, facts, find),
      )
    }
    return tally.report()
  })
}

/** Returns a reader of a worker's current rules, or of `rules` if given. */
export function rulesReader(
  config: Config,
  db: Db,
  rules: string | undefined,
): (worker: string) => Promise<string | undefined> {
  return async (worker) => rules ?? (await ownRules(config, db, worker))
}

async function ownRules(config: Config, db: Db, worker: string): Promise<string | undefined> {
  try {
    return (await rulesIn(config, db, worker)) ?? defaultPermissions
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

async function readRules(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const parsed = parsePermissions(text, { home: '/workspace' })
  if (parsed.kind === 'rules') return text
  const lines = parsed.problems.map(({ line, message }) => `${file}:${line}: ${message}`)
  throw new CommandError(lines.join('\n'), { code: 'RULES_INVALID' })
}

function operatorConfig({ config, environment }: ReplayInput, file: string): Config {
  const loaded = loadConfig({
    cwd: config.configDir,
    environment: environment.with({ COUNTERSIGN_CONFIG: file }),
  })
  if (loaded.kind === 'ok') return loaded.config
  throw new CommandError(formatProblems(loaded.problems), { code: 'CONFIG_INVALID' })
}

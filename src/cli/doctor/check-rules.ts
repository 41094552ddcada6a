import { createRulesFile } from '../../adapters/permissions/file-store.ts'
import { idleSections } from '../../app/idle-sections.ts'
import { loadFilters } from '../../app/load-filters.ts'
import { extraShapes } from '../../app/logs/create-product-redactor.ts'
import { shadowFaults } from '../../app/open-shadow-rules.ts'
import { idleRules, unknownTools } from '../../app/unknown-tools.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { findTrust } from '../../db/call/tool-trust.ts'
import type { Db } from '../../db/schema.ts'
import { findOffered, findServers } from '../../db/worker/mcp-tools.ts'
import { type PermissionsView, showPermissions } from '../permissions/show-permissions.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const what = 'permissions'

/** Checks the rules of the configured worker. */
export async function checkPermissions(config: Config, environment: Environment): Promise<Finding> {
  const { signal } = new AbortController()
  const view = await showPermissions({ config, environment, signal })
  return toFailure(view) ?? toWarning(view) ?? ok(what, `${view.rules} rules, ${placeOf(view)}`)
}

function toFailure({ path, problems, failed }: PermissionsView): Finding | undefined {
  const [problem] = problems
  if (problem !== undefined) {
    const finding = `${path}:${problem.line}: ${problem.message}; until it is mended every call asks`
    return fail(what, finding, 'countersign permissions show lists all that is wrong')
  }
  const [example] = failed
  if (example === undefined) return undefined
  const finding = `${path}:${example.line}: ${example.message}; until it holds, all that is not denied asks`
  return fail(what, finding, 'countersign permissions test tries every example')
}

function toWarning({ path, unread, notes, ...view }: PermissionsView): Finding | undefined {
  if (view.allowsEverything) {
    const finding = 'the gate is switched off: the rules allow everything, and nothing asks'
    return warn(what, finding, 'countersign permissions edit changes them')
  }
  if (unread !== undefined) {
    const finding = `nobody reads ${unread}: the rules are kept in the database`
    return warn(
      what,
      finding,
      `countersign permissions set < ${unread} puts them there; else remove it`,
    )
  }
  const [note] = notes
  if (note === undefined) return undefined
  return warn(what, `${path}:${note.line}: ${note.message}`, 'countersign permissions edit')
}

function placeOf({ path, isThere }: PermissionsView): string {
  return isThere ? path : 'the defaults, written at the first start'
}

/** OUT-07: warns about operator filters that are not used. */
export async function checkFilters(config: Config): Promise<readonly Finding[]> {
  const { warnings } = await loadFilters(config)
  const mend = 'mend the rule, or take it out; docs/reference/filters.md says what one holds'
  return warnings.map((warning) => warn('output filters', warning, mend))
}

/** OUT-07: warns about secret patterns that are not used. */
export function checkSecretPatterns(config: Config): readonly Finding[] {
  return extraShapes(config).skipped.map(({ number, why }) =>
    warn(
      'secrets',
      `pattern ${number} of extra_patterns is not used: it ${why}`,
      'mend it in [tools.filters.security]',
    ),
  )
}

/** Checks the shadow rules, if configured. */
export async function checkShadow({ tools }: Config): Promise<readonly Finding[]> {
  const path = tools.shadowPermissions
  if (path === undefined) return []
  const [fault] = shadowFaults(await createRulesFile(path)().catch(() => undefined))
  if (fault === undefined) return [ok('shadow rules', `are compared: ${path}`)]
  const mend = 'mend the file, or take shadow_permissions out of [tools]'
  return [warn('shadow rules', `nothing is compared with ${path}: ${fault}`, mend)]
}

/** SCH-03: checks that tools named in the configuration exist. */
export function checkTools(config: Config): readonly Finding[] {
  const mend = 'countersign tools list shows the names'
  return [
    ...unknownTools(config).map((problem) => fail('tools', problem, mend)),
    ...idleRules(config).map((problem) => warn('tools', problem, mend)),
    ...idleSections(config).map((problem) => warn('configuration', problem, 'leave it out')),
  ]
}

/** REACH-02: warns about MCP servers that are away, and about tools that wait for an operator. */
export async function checkServers(db: Db): Promise<readonly Finding[]> {
  const servers = await findServers(db)
  if (servers.length === 0) return []
  const away = servers.filter(({ state }) => state === 'away')
  const waiting = (await findOffered(db)).filter(({ state }) => state === 'waiting')
  const look = 'countersign mcp list says more'
  const faults = [
    ...away.map(({ server, note }) =>
      warn('mcp', `${server} is away: ${note ?? 'no reason'}`, look),
    ),
    ...(waiting.length === 0
      ? []
      : [warn('mcp', `${waiting.length} tools wait for an operator`, look)]),
  ]
  return faults.length > 0 ? faults : [ok('mcp', `${servers.length} reachable`)]
}

/** POL-03: warns about quarantined and blocked tools, which are easily forgotten. */
export async function checkTrust(db: Db): Promise<Finding> {
  const kept = [...(await findTrust(db))].flatMap(([tool, level]) =>
    level === 'verified' ? [] : [`${tool} is ${level}`],
  )
  if (kept.length === 0) return ok('trust', 'no tool is quarantined or blocked')
  const mend = 'countersign trust list says since when and why, countersign trust set changes it'
  return warn('trust', kept.join(', '), mend)
}

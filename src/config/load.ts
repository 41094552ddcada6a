import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isRecord } from '../util/guards.ts'
import { buildConfig } from './build-config.ts'
import type { Config } from './config.ts'
import type { Environment } from './env.ts'
import { type EnvironmentSetting, readEnvironmentSettings } from './env-settings.ts'
import { explainIssue, type Fault, pathText } from './explain-issue.ts'
import type { ConfigProblem } from './problems.ts'
import { errorCode, type ReadFile, readExternalVariables } from './read-outside.ts'
import { readToml, type Table, type TomlFile } from './read-toml.ts'
import { type Settings, settingsSchema } from './schema/schema.ts'
import type { Path } from './shape.ts'

export interface LoadInput {
  /** Absolute: the base of relative paths. */
  readonly cwd: string
  readonly environment: Environment
  readonly readFile?: ReadFile
}

export type LoadResult =
  | { readonly kind: 'ok'; readonly config: Config }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] }

/**
 * CONF-01: merges defaults, `countersign.toml` and variables; later ones win. Reports all problems at once; bad input gives
 * `invalid` and never throws.
 */
export function loadConfig({ cwd, environment, readFile = readFileSync }: LoadInput): LoadResult {
  const outside = readExternalVariables(environment, cwd, readFile)
  const file = readConfigFile(outside.values.configFile, cwd, readFile)
  const variables = readEnvironmentSettings(environment)
  const problems = [
    ...(file.kind === 'ok' ? fileProblems(file) : file.problems),
    ...variables.problems,
    ...faultsIn(withSettings({}, variables.settings)).map(inVariables(variables.settings)),
    ...outside.problems,
  ]
  if (file.kind === 'invalid' || problems.length > 0) return { kind: 'invalid', problems }
  const settings = settingsSchema.parse(withSettings(file.tree, variables.settings))
  const conflicts = conflictsIn(settings).map((fault) =>
    settingAt(variables.settings, fault.path)
      ? inVariables(variables.settings)(fault)
      : inFile(file)(fault),
  )
  if (conflicts.length > 0) return { kind: 'invalid', problems: conflicts }
  const config = buildConfig({
    settings,
    schema: settingsSchema,
    environment,
    outside: outside.values,
    cwd,
    configFile: file.name,
    isFromEnvironment: (key) => settingAt(variables.settings, key) !== undefined,
  })
  return { kind: 'ok', config }
}

type ReadableFile = Extract<TomlFile, { kind: 'ok' }> & { readonly name: string | undefined }

const noFile: ReadableFile = { kind: 'ok', name: undefined, tree: {}, lineOf: () => 1 }

function readConfigFile(
  named: string | undefined,
  cwd: string,
  readFile: ReadFile,
): ReadableFile | Extract<TomlFile, { kind: 'invalid' }> {
  const name = named ?? path.join(cwd, 'countersign.toml')
  try {
    const file = readToml(readFile(name), name)
    return file.kind === 'ok' ? { ...file, name } : file
  } catch (error) {
    const code = errorCode(error)
    if (named === undefined && code === 'ENOENT') return noFile
    const message = `cannot be read: ${code}`
    return { kind: 'invalid', problems: [{ source: name, message }] }
  }
}

function fileProblems(file: ReadableFile): readonly ConfigProblem[] {
  const problems = faultsIn(file.tree).map(inFile(file))
  return problems.sort((a, b) => a.line - b.line)
}

function inFile({ name = 'countersign.toml', lineOf }: ReadableFile) {
  return ({ path: key, message }: Fault) => ({
    source: name,
    line: lineOf(key),
    key: pathText(key),
    message,
  })
}

function inVariables(settings: readonly EnvironmentSetting[]) {
  return ({ path: key, message }: Fault): ConfigProblem => {
    const source = settingAt(settings, key)?.variable ?? 'the environment'
    return { source, key: pathText(key), message }
  }
}

function faultsIn(tree: Table): readonly Fault[] {
  const checked = settingsSchema.safeParse(tree)
  const issues = checked.success ? [] : checked.error.issues
  return issues.flatMap((issue) => explainIssue(issue, tree))
}

function settingAt(
  settings: readonly EnvironmentSetting[],
  key: Path,
): EnvironmentSetting | undefined {
  return settings.find((setting) => setting.path.every((name, index) => key[index] === name))
}

/** Copies the tree with the settings applied; tables and lists are replaced whole. */
function withSettings(tree: Table, settings: readonly EnvironmentSetting[]): Table {
  return settings.reduce((whole, { path: at, value }) => withValue(whole, at, value), tree)
}

function withValue(table: Table, [name = '', ...rest]: readonly string[], value: unknown): Table {
  if (rest.length === 0) return { ...table, [name]: value }
  const inner = table[name]
  return { ...table, [name]: withValue(isRecord(inner) ? inner : {}, rest, value) }
}

/** Problems that show only across several keys, which the file and variables may set separately. */
function conflictsIn(settings: Settings): readonly Fault[] {
  const { model, models, approval, tools, sandbox, worker } = settings
  const conflicts: Fault[] = []
  if (model.fallback !== undefined && !Object.hasOwn(models, model.fallback)) {
    const known = Object.keys(models).join(', ') || 'none'
    const message = `names none of the models in [models.<name>] (there: ${known})`
    conflicts.push({ path: ['model', 'fallback'], message })
  }
  if (approval.route === 'channel' && approval.channel === undefined) {
    const message = '"channel" needs [approval] channel to say which one'
    conflicts.push({ path: ['approval', 'route'], message })
  }
  // BASH-07: a command may hold its own box while it waits for the box of file tools.
  if (tools.shell.transactional && sandbox.max_boxes <= worker.concurrency) {
    const message = `must be above [worker] concurrency (${worker.concurrency}) with [tools.shell] transactional`
    conflicts.push({ path: ['sandbox', 'max_boxes'], message })
  }
  const { policy, authorization } = tools
  if (policy.rules.length + authorization.rules.length > 256) {
    const message = `has ${authorization.rules.length} rules and [tools.policy] ${policy.rules.length}: at most 256 together`
    conflicts.push({ path: ['tools', 'authorization', 'rules'], message })
  }
  return conflicts
}

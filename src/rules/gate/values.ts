import { escapePathGlob } from '../../shared/glob/path-glob.ts'
import { type PathForms, toPathForms } from '../../shared/paths/path-forms.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { escapeWildcard, wildcardMatch } from '../../util/text/wildcard-match.ts'
import { checkUrl, type WebRules } from '../web/check-url.ts'
import type { GateCall, GateFacts } from './gate-facts.ts'
import { urlMatcher } from './paths/matches-url.ts'
import { matchesUse } from './paths/matches-use.ts'
import { matchesText, type Rule } from './permissions/rule.ts'

/** One thing that rules are matched against (GATE-06); with several the strictest counts. */
export interface Value {
  readonly text: string
  /** APPR-23: what *Always* would allow for it. */
  readonly always: string | undefined
  readonly matches: (rule: Rule) => boolean
  /** What the call does to it beyond the least that its tool may do. */
  readonly does?: readonly string[]
  readonly path?: PathValue
}

/** What a call does to a path. */
export interface PathValue {
  readonly forms: PathForms
  readonly use: 'read' | 'write' | 'remove'
}

const uses: Readonly<
  Record<string, readonly (readonly [argument: string, use: PathValue['use']])[]>
> = {
  read: [['path', 'read']],
  write: [['path', 'write']],
  edit: [['path', 'write']],
  put_file: [['path', 'write']],
  list_directory: [['path', 'read']],
  create_directory: [['path', 'write']],
  delete_path: [['path', 'remove']],
  move_path: [
    ['source', 'remove'],
    ['destination', 'write'],
  ],
  copy_path: [
    ['source', 'read'],
    ['destination', 'write'],
  ],
  find_path: [['path', 'read']],
  grep: [['path', 'read']],
  diagnostics: [['path', 'read']],
}

/** The values of every tool but bash. */
export function valuesOf(
  call: GateCall,
  facts: Pick<GateFacts, 'workspace' | 'alwaysByName'>,
): readonly Value[] {
  const { name } = call.spec
  if (Object.hasOwn(uses, name) && name !== 'diagnostics') return pathValues(call, facts.workspace)
  if (name === 'fetch' || name === 'web_scrape') return [urlValue(textOf(call.args['url']))]
  if (name === 'skill') return [nameValue(textOf(call.args['name']))]
  return [namelessValue(call, facts.alwaysByName ?? [])]
}

/** The paths a call names, absolute in the box; for bash none, since a command is judged by its words. */
export function namedPaths(call: GateCall, workspace: string): readonly PathValue[] {
  const named = Object.hasOwn(uses, call.spec.name) ? uses[call.spec.name] : undefined
  return (named ?? []).map(([argument, use]) => ({
    use,
    forms: toPathForms(pathArgument(call.args, argument), workspace),
  }))
}

function pathValues(call: GateCall, workspace: string): Value[] {
  const named = namedPaths(call, workspace)
  const canonical = (call.canonical ?? []).map((path, index) => ({
    use: named[Math.min(index, named.length - 1)]?.use ?? 'read',
    forms: toPathForms(path, workspace),
  }))
  const values = [...named, ...canonical].map((path) => pathValue(path, doesTo(call, path)))
  if (call.spec.name === 'find_path') {
    const directory = named[0]?.forms.absolute ?? workspace
    const pattern = textOf(call.args['pattern'])
    values.push(pathValue({ use: 'read', forms: toPathForms(pattern, workspace, directory) }, []))
  }
  const seen = new Set<string>()
  return values.filter(({ path }) => {
    const key = `${path?.use} ${path?.forms.given}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Of two paths each keeps its part: a copy that was granted is not one the other way round. */
function doesTo({ spec, args }: GateCall, { use }: PathValue): readonly string[] {
  if (/^(?:move|copy)_path$/.test(spec.name) && use === 'write') return ['writes it']
  return spec.name === 'delete_path' && args['recursive'] !== false ? ['deletes all below it'] : []
}

function pathValue(path: PathValue, does: readonly string[]): Value {
  const { forms, use } = path
  return {
    text: forms.given,
    always: escapePathGlob(forms.inWorkspace ? forms.relative : forms.absolute),
    matches: (rule) => matchesUse(rule, forms, use),
    does,
    path,
  }
}

const anyDomain: WebRules = { allowedDomains: [], deniedDomains: [], allowedPorts: [] }

function urlValue(url: string): Value {
  const checked = checkUrl(url, anyDomain)
  const host = checked.kind === 'ok' ? checked.host : hostOf(url)
  const matches = urlMatcher(url, host)
  return {
    text: url,
    always: host === '' ? undefined : escapeWildcard(host),
    matches: (rule) => rule.matchesAll || matches(rule),
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}

function nameValue(name: string): Value {
  return {
    text: name,
    always: escapeWildcard(name),
    matches: (rule) => matchesText(rule, name),
  }
}

/** Matched by the tool's name alone; only a grant may hold the exact arguments, and does unless the operator named the tool. */
function namelessValue(call: GateCall, byName: readonly string[]): Value {
  const exact = canonicalJson(call.args)
  return {
    text: '',
    always: byName.some((name) => wildcardMatch(name, call.spec.name))
      ? '*'
      : escapeWildcard(exact),
    matches: (rule) => rule.matchesAll || (rule.grant && rule.literal === exact),
  }
}

function pathArgument(args: GateCall['args'], name: string): string {
  const value = args[name] ?? (name === 'path' ? args['file_path'] : undefined)
  return textOf(value ?? '.')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

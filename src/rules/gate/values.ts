import { escapePathGlob } from '../../shared/glob/path-glob.ts'
import { type PathForms, toPathForms } from '../../shared/paths/path-forms.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { shorten } from '../../util/text/shorten.ts'
import { escapeWildcard, wildcardMatch } from '../../util/text/wildcard-match.ts'
import { namesTool } from '../tools/mcp-names.ts'
import type { PathArgument } from '../tools/tool-spec.ts'
import { checkUrl, type WebRules } from '../web/check-url.ts'
import { anyArguments, exactArguments } from './arguments/exact-arguments.ts'
import { argumentMatcher } from './arguments/match-arguments.ts'
import type { GateCall, GateFacts } from './gate-facts.ts'
import { urlMatcher } from './paths/matches-url.ts'
import { matchesUse } from './paths/matches-use.ts'
import { matchesText, type Rule } from './permissions/rule.ts'

/** A value that rules are matched against (GATE-06); of several the strictest result counts. */
export interface Value {
  readonly text: string
  /** APPR-23: the pattern that *Always* would grant for it. */
  readonly always: string | undefined
  readonly matches: (rule: Rule) => boolean
  /** MCP-03: whether a rule may apply though the call does not tell. */
  readonly mayMatch?: (rule: Rule) => boolean
  /** The call's effect on it beyond the tool's minimum. */
  readonly does?: readonly string[]
  readonly path?: PathValue
}

/** A path with the call's effect on it. */
export interface PathValue {
  readonly forms: PathForms
  readonly use: PathArgument['use']
  /** The tool whose deny rules apply too. */
  readonly deniedLike?: PathArgument['deniedLike']
}

/** The values of all tools but bash. */
export function valuesOf(
  call: GateCall,
  facts: Pick<GateFacts, 'workspace' | 'alwaysByName'>,
): readonly Value[] {
  const { ruledBy } = call.spec
  switch (ruledBy?.kind) {
    case 'paths':
      return pathValues(call, facts.workspace, ruledBy.pattern)
    case 'url':
      return [urlValue(textOf(call.args[ruledBy.argument]))]
    case 'name':
      return [nameValue(textOf(call.args[ruledBy.argument]))]
    case 'arguments':
      return [argumentsValue(call, facts.alwaysByName ?? [])]
    default:
      return [namelessValue(call, facts.alwaysByName ?? [])]
  }
}

/** The paths in a call's arguments, absolute in the box; none for bash, whose commands are evaluated by their words. */
export function namedPaths(call: GateCall, workspace: string): readonly PathValue[] {
  return (call.spec.paths ?? []).map((path) =>
    toPath(path, pathArgument(call.args, path), workspace),
  )
}

function toPath({ use, deniedLike }: PathArgument, path: string, workspace: string): PathValue {
  const forms = toPathForms(path, workspace)
  return { use, forms, ...(deniedLike !== undefined && { deniedLike }) }
}

function pathValues(call: GateCall, workspace: string, pattern: string | undefined): Value[] {
  const { args, canonical = [], spec } = call
  const paths = spec.paths ?? []
  const toValue = (path: PathArgument, text: string): Value =>
    pathValue(toPath(path, text, workspace), path.effectOf?.(args))
  const values = paths.map((path) => toValue(path, pathArgument(args, path)))
  for (const [index, text] of canonical.entries()) {
    const path = paths[Math.min(index, paths.length - 1)]
    if (path !== undefined) values.push(toValue(path, text))
  }
  if (pattern !== undefined) {
    const directory = values[0]?.path?.forms.absolute ?? workspace
    const forms = toPathForms(textOf(args[pattern]), workspace, directory)
    values.push(pathValue({ use: 'read', forms }))
  }
  const seen = new Set<string>()
  return values.filter(({ path }) => {
    const key = `${path?.use} ${path?.forms.given}`
    return !seen.has(key) && seen.add(key)
  })
}

function pathValue(path: PathValue, does?: string): Value {
  const { forms, use } = path
  return {
    text: forms.given,
    always: escapePathGlob(forms.inWorkspace ? forms.relative : forms.absolute),
    matches: (rule) => matchesUse(rule, forms, use),
    does: does === undefined ? [] : [does],
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

/** Matched by the tool's name only; a grant may hold the exact arguments, and does unless the operator listed the tool. */
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

const longestShown = 200

/** MCP-03: matched by conditions on all arguments; for people their JSON, shortened. */
function argumentsValue({ spec, args }: GateCall, byName: readonly string[]): Value {
  const { origin } = spec
  const match = argumentMatcher(args, origin?.pin)
  const isByName = byName.some((name) => namesTool(name, spec, 'allow'))
  return {
    text: shorten(canonicalJson(args), longestShown),
    always: isByName ? anyArguments(origin) : exactArguments(args, origin),
    matches: (rule) => match(rule) === 'yes',
    mayMatch: (rule) => match(rule) === 'perhaps',
  }
}

function pathArgument(args: GateCall['args'], { argument }: PathArgument): string {
  const value = args[argument] ?? (argument === 'path' ? args['file_path'] : undefined)
  return textOf(value ?? '.')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

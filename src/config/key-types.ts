import { z } from 'zod'
import { loneBracketProblem, pathPatternProblem } from '../shared/glob/path-glob.ts'
import { toLinearRegex } from '../util/text/linear-regex.ts'

/** Milliseconds, parsed from seconds or text with a unit; the loaded key's name ends in `Ms`. */
export type Milliseconds = number & z.$brand<'Milliseconds'>

/** The description of a key for people and the way it is loaded, where its zod type does not define them. */
interface KeyKind {
  readonly kind: 'duration' | 'host_path' | 'place' | 'number' | 'text'
  readonly expected: string
}

export const keyKinds = z.registry<KeyKind>()

/** An integer within inclusive bounds. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  return z.int().min(min).max(max)
}

/** A number from 0 to 1. */
export function fraction() {
  return z.number().min(0).max(1)
}

export function text() {
  return z.string().min(1).register(keyKinds, { kind: 'text', expected: 'text' })
}

/** Text of limited length, in UTF-16 units. */
export function longText(most: number) {
  // Not by a locale: that would load 9 ms of data at each start.
  const expected = `text of at most ${String(most).replace(/\B(?=(?:\d{3})+$)/g, ',')} characters`
  return z.string().min(1).max(most).register(keyKinds, { kind: 'text', expected })
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A duration: a number of seconds, or text such as "250ms", "30s", "10m", "24h", "7d". Bounds in seconds. */
export function duration(minSeconds: number, maxSeconds = 366 * 86_400) {
  const bounds = `from ${inWords(minSeconds)} to ${inWords(maxSeconds)}`
  const expected = `seconds, or text such as "30s", "10m" or "24h", ${bounds}`
  return z
    .custom<number | string>((value) => {
      const ms = toMilliseconds(value)
      return ms !== undefined && ms >= minSeconds * 1_000 && ms <= maxSeconds * 1_000
    })
    .transform((value) => (toMilliseconds(value) ?? 0) as Milliseconds)
    .register(keyKinds, { kind: 'duration', expected })
}

function toMilliseconds(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) ? Math.round(value * 1_000) : undefined
  const match = typeof value === 'string' && /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)?$/u.exec(value)
  if (!match) return undefined
  const unit = (match[2] ?? 's') as keyof typeof unitMs
  return Math.round(Number(match[1]) * unitMs[unit])
}

function inWords(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
  ] as const
  const unit = units.find(([, size]) => seconds >= size && seconds % size === 0)
  return unit ? `${seconds / unit[1]}${unit[0]}` : `${seconds}s`
}

/** A path on this machine, relative to the configuration file; `~/` is the home directory. */
export function hostPath() {
  return faultless(z.string().min(1), pathFault).register(keyKinds, {
    kind: 'host_path',
    expected: 'a path',
  })
}

/** A directory that tools may access: absolute, from `~/`, or inside the workspace. */
export function toolDirectory() {
  return faultless(z.string(), toolDirectoryProblem).register(keyKinds, {
    kind: 'place',
    expected: 'a directory: absolute, from "~/", or inside the workspace',
  })
}

export function pathGlob() {
  return faultless(z.string(), pathGlobFault).register(keyKinds, {
    kind: 'text',
    expected: 'a path glob',
  })
}

export function wildcard() {
  return faultless(z.string(), wildcardFault).register(keyKinds, {
    kind: 'text',
    expected: 'a pattern',
  })
}

/** A command pattern, always matched against the whole text: without `*` or `?` it becomes `*pattern*`. */
export function commandPattern() {
  return wildcard()
    .transform((pattern) => (/[*?]/u.test(pattern) ? pattern : `*${pattern}*`))
    .register(keyKinds, { kind: 'text', expected: 'a pattern' })
}

export function regex() {
  return faultless(z.string(), regexFault).register(keyKinds, {
    kind: 'text',
    expected: 'a regular expression',
  })
}

/** A URL with one of the schemes, kept as written. */
export function url(...schemes: readonly string[]) {
  const expected = `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`
  return z
    .string()
    .refine((value) => isUrl(value, schemes))
    .register(keyKinds, { kind: 'text', expected })
}

/** Text that matches a form; `expected` describes it to people. */
export function textLike(form: RegExp, expected: string) {
  return z.string().regex(form).register(keyKinds, { kind: 'text', expected })
}

export function isUrl(value: string, schemes: readonly string[]): boolean {
  // libpq accepts a user without a host (`postgresql://user@/db?host=/socket`); `URL` does not.
  const parsable = value.replace(/^(postgres(?:ql)?:\/\/)[^/@]*@\//u, '$1/')
  return URL.canParse(parsable) && schemes.includes(new URL(parsable).protocol.slice(0, -1))
}

function faultless(schema: z.ZodString, faultOf: (value: string) => string | undefined) {
  return schema.superRefine((value, context) => {
    const message = faultOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  })
}

function pathFault(path: string): string | undefined {
  return path.includes('\0') ? 'a path cannot hold a NUL character' : undefined
}

function toolDirectoryProblem(path: string): string | undefined {
  if (path === '') return 'a directory cannot be empty'
  const leaves = !/^[/~]/u.test(path) && path.split('/').includes('..')
  return leaves ? `"${path}" leaves the workspace: write it as an absolute path` : pathFault(path)
}

/** Describes why a path glob is invalid (GATE-08); undefined if it is valid. */
export function pathGlobFault(glob: string): string | undefined {
  const problem = pathPatternProblem(glob) ?? loneBracketProblem(glob)
  return problem === undefined ? undefined : `the glob "${glob}" cannot be used: ${problem}`
}

/** Describes why a linear wildcard for commands, URLs and names is invalid (GATE-08); undefined if it is valid. */
function wildcardFault(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern cannot be empty'
  if (pattern.length > 4096) {
    return `a pattern has at most 4096 characters, this one has ${pattern.length}`
  }
  return undefined
}

/** Describes why a regular expression is invalid for the linear-time engine (POL-01); undefined if it is valid. */
export function regexFault(text: string): string | undefined {
  const result = toLinearRegex(text)
  return result.kind === 'regex' ? undefined : `the regular expression ${result.why}`
}

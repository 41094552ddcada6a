import type { Environment } from './env.ts'
import { isUrl } from './key-types.ts'
import { parseOtlpHeaders } from './otlp-headers.ts'
import { type ExternalVariable, externalVariables } from './outside-names.ts'
import type { ConfigProblem } from './problems.ts'
import { resolvePath } from './to-loaded.ts'

/** Reads a whole file; throws an error with a `code`, as Node does. */
export type ReadFile = (file: string) => Uint8Array

export interface ExternalValues {
  readonly values: Readonly<Partial<Record<keyof typeof externalVariables, string>>>
  readonly problems: readonly ConfigProblem[]
}

/** CONF-03: reads the external variables, secrets from their files, with paths made absolute. */
export function readExternalVariables(
  environment: Environment,
  cwd: string,
  readFile: ReadFile,
): ExternalValues {
  const values: Partial<Record<keyof typeof externalVariables, string>> = {}
  const problems: ConfigProblem[] = []
  for (const [key, outside] of Object.entries(externalVariables)) {
    const found = readOne(outside, environment, cwd, readFile)
    if (found?.kind === 'problem') problems.push(found.problem)
    else if (found) values[key as keyof typeof externalVariables] = found.value
  }
  return { values, problems }
}

/** A larger file cannot be a secret. */
const maxSecretBytes = 65_536

type Found =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'problem'; readonly problem: ConfigProblem }

function readOne(
  outside: ExternalVariable,
  environment: Environment,
  cwd: string,
  readFile: ReadFile,
): Found | undefined {
  const { name, kind } = outside
  const direct = environment.get(name)
  if (kind === 'path') return direct ? value(resolvePath(direct, cwd, environment.home)) : undefined
  const fileVariable = `${name}_FILE`
  const file = kind === 'url' ? undefined : environment.get(fileVariable)
  if (file === undefined) return direct === undefined ? undefined : checked(outside, direct, name)
  if (direct !== undefined) return problem(fileVariable, `is set beside ${name}: set one of them`)
  const content = readSecret(resolvePath(file, cwd, environment.home), readFile)
  return content.kind === 'value'
    ? checked(outside, content.value, fileVariable)
    : problem(fileVariable, content.message)
}

function value(text: string): Found {
  return { kind: 'value', value: text }
}

function problem(source: string, message: string): Found {
  return { kind: 'problem', problem: { source, message } }
}

function readSecret(
  file: string,
  readFile: ReadFile,
): { kind: 'value'; value: string } | { kind: 'fault'; message: string } {
  try {
    const bytes = readFile(file)
    const text = bytes.length > maxSecretBytes ? '' : Buffer.from(bytes).toString('utf8').trim()
    if (text !== '') return { kind: 'value', value: text }
    return { kind: 'fault', message: `expected a file that holds the value, found none in ${file}` }
  } catch (error) {
    return { kind: 'fault', message: `cannot read ${file}: ${errorCode(error)}` }
  }
}

/** The code, such as `ENOENT`; messages of other errors may quote file content. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unreadable'
}

function checked({ kind, schemes = [] }: ExternalVariable, text: string, source: string): Found {
  if (kind === 'secret') {
    return /[\s\0]/u.test(text)
      ? problem(source, 'expected a secret without white space')
      : value(text)
  }
  if (kind === 'secret_headers') {
    const parsed = parseOtlpHeaders(text)
    return parsed.kind === 'fault' ? problem(source, parsed.message) : value(text)
  }
  if (isUrl(text, schemes)) return value(text)
  const expected = schemes.map((scheme) => `${scheme}://`).join(' or ')
  return problem(source, `expected a URL that begins with ${expected}`)
}

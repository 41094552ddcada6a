import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import { numberArgument, optionalText } from '../arguments.ts'
import { commandPath } from '../bash/child-environment.ts'
import { type Program, runProgram } from '../bash/run-program.ts'
import { type Run, toShellOutcome } from '../bash/shell-outcome.ts'
import type { Call } from '../call.ts'
import { isWithin } from '../files/canonical-path.ts'
import { type LocatedPath, locateOptional } from '../files/locate.ts'
import { findProgram, isExecutable } from '../find-program.ts'
import { fail } from '../refusal.ts'
import { toStorableText } from '../show-text.ts'
import { type Diagnostic, parseCargo, toMessage } from './parse-cargo.ts'

const located =
  /^(?<file>.+)\((?<line>\d{1,9}),(?<col>\d{1,9})\): (?<severity>error|warning) (?<message>TS\d+: .*)$/

const general = /^(?<severity>error|warning) (?<message>TS\d+: .*)$/

const kinds = {
  check: { program: 'cargo', manifest: 'Cargo.toml', args: ['check'] },
  clippy: { program: 'cargo', manifest: 'Cargo.toml', args: ['clippy'] },
  tsc: { program: 'tsc', manifest: 'tsconfig.json', args: ['--noEmit', '--pretty', 'false'] },
} as const
type Kind = keyof typeof kinds

/**
 * Implements the tool `diagnostics` (FILE-09): runs a project's compiler, which may run code of the project, and returns
 * its messages.
 */
export async function diagnostics(call: Call): Promise<ExecutorOutcome> {
  const kind = kindOf(call)
  const most = Math.min(
    numberArgument(call.request, 'max_diagnostics') ?? call.request.maxDiagnostics,
    call.request.maxDiagnostics,
  )
  const place = await locateOptional(call, 'path', 'read')
  const project = await findProject(place, kinds[kind].manifest)
  if (project === undefined) return nothing(`there is no ${kinds[kind].manifest} here or above`)
  const file = await findCompiler(call, kind, project)
  if (file === undefined)
    return nothing(
      `${kinds[kind].program} is not in this box: [tools.shell] toolchains can name its folder (docs/reference/tools.md)`,
    )
  const run = await runProgram(call, toProgram(kind, file, project))
  if (run.ending.kind !== 'exited') {
    return toShellOutcome(run, call.surroundings.hasNetwork)
  }
  return toAnswer(kind, run, { place, project, most })
}

function kindOf(call: Call): Kind {
  const kind = optionalText(call.request, 'kind') ?? 'check'
  if (kind === 'check' || kind === 'clippy' || kind === 'tsc') return kind
  return fail('invalid_parameters', 'kind: one of check, clippy, tsc')
}

/** Finds the nearest readable directory at or above the path that has the manifest. */
async function findProject(
  { canonical, access }: LocatedPath,
  manifest: string,
): Promise<string | undefined> {
  for (let at = canonical; access.whyNot(at, 'read') === undefined; at = dirname(at)) {
    if (await isFile(join(at, manifest))) return at
    if (at === dirname(at)) return undefined
  }
  return undefined
}

/** Finds the compiler; the project's own TypeScript takes precedence. */
async function findCompiler(call: Call, kind: Kind, project: string): Promise<string | undefined> {
  const path = commandPath(call.surroundings, call.request.env)
  if (kind !== 'tsc') return findProgram('cargo', path)
  for (let at = project; ; at = dirname(at)) {
    const own = join(at, 'node_modules', '.bin', 'tsc')
    if (await isExecutable(own)) return own
    if (at === dirname(at)) return findProgram('tsc', path)
  }
}

function toProgram(kind: Kind, file: string, directory: string): Program {
  const args = kind === 'tsc' ? kinds.tsc.args : [...kinds[kind].args, '--message-format=json']
  return { file, args, directory }
}

interface Wanted {
  readonly place: LocatedPath
  readonly project: string
  readonly most: number
}

function toAnswer(kind: Kind, run: Run, wanted: Wanted): ExecutorOutcome {
  const stdout = run.printed.stdout.toString()
  const all = kind === 'tsc' ? parseTsc(stdout) : parseCargo(stdout)
  const found = all.flatMap((each) => {
    const named = nameIn(each, wanted)
    return named === undefined ? [] : [named]
  })
  const shown = found.slice(0, wanted.most)
  return answer(shown, found.length - shown.length, warningsOf(run, all, kind))
}

/** Converts the path to the form used by other tools; undefined if the file is outside the requested path or may not be shown. */
function nameIn(entry: Diagnostic, { place, project }: Wanted): Diagnostic | undefined {
  if (entry.file === undefined) return entry
  const canonical = isAbsolute(entry.file) ? resolve(entry.file) : resolve(project, entry.file)
  const { access } = place
  if (!isWithin(canonical, place.canonical)) return undefined
  if (!access.mayShow(canonical)) return undefined
  const isOurs = isWithin(canonical, access.workspace)
  const file = isOurs ? relative(access.workspace, canonical) : canonical
  return { ...entry, file }
}

/** Reports the output of a compiler that failed without a message. */
function warningsOf(run: Run, all: readonly Diagnostic[], kind: Kind): readonly string[] {
  const { ending, printed } = run
  const cut = printed.stdout.truncated ? ['its output was cut: there is more'] : []
  if (ending.kind !== 'exited' || ending.code === 0 || all.length > 0) return cut
  const printedText = `${printed.stdout.toString()}${printed.stderr.toString()}`.trim().slice(-1000)
  const how = ending.code === null ? `signal ${ending.signal}` : `exit code ${ending.code}`
  return [...cut, `${kinds[kind].program} failed (${how}): ${printedText}`]
}

function nothing(warning: string): ExecutorOutcome {
  return answer([], 0, [warning])
}

function answer(
  found: readonly Diagnostic[],
  cut: number,
  warnings: readonly string[],
): ExecutorOutcome {
  const text = JSON.stringify({ diagnostics: found, cut, warnings }, undefined, 1)
  return { kind: 'ok', output: toStorableText(text) }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Parses the output of `tsc --pretty false`: one line a message; indented lines continue it. */
export function parseTsc(output: string): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (const line of output.split(/\r?\n/)) {
    const last = found.at(-1)
    const diagnostic = parseLine(line)
    if (diagnostic !== undefined) found.push(diagnostic)
    else if (/^\s+\S/.test(line) && last !== undefined) {
      found[found.length - 1] = { ...last, message: toMessage(`${last.message}\n${line}`) }
    }
  }
  return found
}

function parseLine(line: string): Diagnostic | undefined {
  const groups = (located.exec(line) ?? general.exec(line))?.groups
  if (groups === undefined) return undefined
  const { file, line: at, col, severity, message = '' } = groups
  return {
    severity: severity === 'warning' ? 'warning' : 'error',
    message: toMessage(message),
    file,
    line: at === undefined ? undefined : Number(at),
    col: col === undefined ? undefined : Number(col),
  }
}

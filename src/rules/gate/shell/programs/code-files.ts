import { operandScripts, scriptName } from '../untold-programs.ts'
import { type CodeFiles, codeFileTable } from './code-file-table.ts'

const known: ReadonlyMap<string, readonly CodeFiles[]> = toMap()

function toMap(): ReadonlyMap<string, readonly CodeFiles[]> {
  const map = new Map<string, CodeFiles[]>()
  for (const [names, files] of Object.entries(codeFileTable)) {
    for (const name of names.split(' ')) map.set(name, [...(map.get(name) ?? []), files])
  }
  return map
}

/** The code files of a command, by its program's table, and whether it may run more than these. */
export interface NamedCode {
  readonly files: readonly string[]
  readonly runsMore: boolean
}

/** Limit of files of one program; possible directories multiply them. */
const maxFiles = 128
const maxDirectories = 4

export function codeFilesOf(program: string, rest: readonly string[]): NamedCode {
  const rows = (known.get(program) ?? []).filter(
    ({ when }) => when === undefined || rest.some((word) => when.test(word)),
  )
  const found = rows.map((row) => filesOf(row, rest))
  return {
    files: found.flatMap(({ files }) => files),
    runsMore: found.some(({ runsMore }) => runsMore),
  }
}

/** Whether a program runs its operands as an interpreter runs scripts; test runners do not count. */
export function runsOperands(program: string, rest: readonly string[]): boolean {
  if (testRunners.test(program) || rest.some((word) => /^(?:test|bench)$/.test(word))) return false
  const rows = known.get(program) ?? []
  return rows.some(
    ({ isRunner, when }) =>
      isRunner === true && (when === undefined || rest.some((word) => when.test(word))),
  )
}

const testRunners = /^(?:bats|behave|robot)$/

function filesOf(row: CodeFiles, rest: readonly string[]): NamedCode {
  const named = valuesOf(row.options ?? [], rest)
  const operands = operandsOf(row, rest)
  const directories = valuesOf(row.directory ?? [], rest)
  const own = [...(named.length > 0 ? named : (row.defaults ?? [])), ...operands].slice(0, maxFiles)
  const places = directories.slice(0, maxDirectories).map((at) => `${at}/`)
  const isCut = named.length + operands.length > maxFiles || directories.length > maxDirectories
  return {
    files: ['', ...places].flatMap((place) => own.map((file) => `${place}${file}`)),
    runsMore: row.runsMore === true || isCut,
  }
}

function operandsOf(row: CodeFiles, rest: readonly string[]): readonly string[] {
  const { when, operands, attached, modules } = row
  const at = when === undefined ? -1 : rest.findIndex((word) => when.test(word))
  const behind = rest.slice(scriptName.test(rest[at] ?? '') ? at : at + 1)
  return [
    ...behind.filter((word) => !word.startsWith('-') && operands?.test(word) === true),
    ...(row.isRunner === true ? operandScripts(behind) : []),
    ...rest.flatMap((word) => attached?.exec(word)?.[1] ?? []),
    ...(modules === undefined ? [] : modulesOf(modules, rest)).flatMap(moduleFiles),
  ]
}

function modulesOf(options: readonly string[], rest: readonly string[]): readonly string[] {
  const named = options.length > 0 ? valuesOf(options, rest) : rest
  return named.filter((word) => options.length > 0 || /^[\w./]+:[\w.()]+$/.test(word))
}

/** The file of a Python module: `app.main:app` in `app/main.py`. */
function moduleFiles(module: string): readonly string[] {
  const name = module.split(':', 1)[0] ?? ''
  if (name.endsWith('.py')) return [name]
  const path = name.replaceAll('.', '/')
  return [`${path}.py`, `${path}/__init__.py`, `${path}/celery.py`]
}

/** The values of some options, as separate words or attached. */
function valuesOf(options: readonly string[], rest: readonly string[]): readonly string[] {
  const values = rest.flatMap((word, at) => {
    if (!word.startsWith('-')) return []
    return options.flatMap((option) => {
      const value = attachedTo(option, word)
      return value === '' ? (rest[at + 1] ?? []) : (value ?? [])
    })
  })
  return [...new Set(values)]
}

/** The part of a word that is an option's value, also after a cluster (`-qf x`); undefined: another option. */
function attachedTo(option: string, word: string): string | undefined {
  if (word === option) return ''
  if (word.startsWith(`${option}=`)) return word.slice(option.length + 1)
  if (word.startsWith('--') || option.length !== 2) return undefined
  const at = word.indexOf(option.charAt(1), 1)
  return at > 0 && at <= 7 && /^[A-Za-z]*$/.test(word.slice(1, at)) ? word.slice(at + 1) : undefined
}

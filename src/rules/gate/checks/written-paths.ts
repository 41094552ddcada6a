import { isExecutableConfig } from '../../../shared/executable-config.ts'
import { type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { incomingFilesOf } from '../orders/arriving-files.ts'
import { isReader } from '../orders/is-reader.ts'
import type { ShellAnalysis } from '../shell/analysis.ts'
import { directoriesOf, namedPathsOf, possibleDirectories } from '../shell/named-paths.ts'
import { baseName } from '../shell/programs/program-name.ts'

/** A path that a command may write, absolute in the box. */
export interface WrittenPath {
  readonly path: string
  /** Files and directories that are copied there. */
  readonly from?: string[]
}

/**
 * SHELL-11, THREAT-1: the paths that a command may write, for the box, which knows links and what directories hold. Those that
 * name a file of orders in the text are left out, since the command asks for them already.
 */
export function writtenPaths(
  analysis: ShellAnalysis,
  { workspace }: Pick<GateFacts, 'workspace'>,
): readonly WrittenPath[] {
  const all = possibleDirectories(analysis.commands, workspace)
  const found = new Map<string, Set<string>>()
  const add = (path: PathForms, from: readonly PathForms[] = []): void => {
    if (!path.inWorkspace || isExecutableConfig(path.relative)) return
    const sources = found.get(path.absolute) ?? new Set()
    for (const source of from)
      if (!isExecutableConfig(source.relative)) sources.add(source.absolute)
    found.set(path.absolute, sources)
  }
  for (const redirection of analysis.redirections) {
    const { use, path } = redirection
    if (use === 'read' || path === undefined) continue
    for (const directory of directoriesOf(redirection, workspace, all))
      add(toPathForms(path, workspace, directory))
  }
  for (const command of analysis.commands) {
    if (command.standing === 'perhaps' || isReader(command.words)) continue
    const directories = directoriesOf(command, workspace, all)
    for (const { text, forms } of namedPathsOf([command], workspace, directories))
      if (text !== command.words[0] && !text.startsWith('-')) for (const form of forms) add(form)
    for (const { into, from } of copiesOf(command.words))
      for (const directory of directories) {
        const formsOf = (name: string) => toPathForms(name, workspace, directory)
        add(formsOf(into), from.map(formsOf))
      }
  }
  return [...found].map(([path, from]) => (from.size === 0 ? { path } : { path, from: [...from] }))
}

interface Copy {
  readonly into: string
  readonly from: readonly string[]
}

/** The beginning of the names that a program makes, where its words name none. */
const defaultPrefix: Readonly<Record<string, readonly string[]>> = { split: ['x'], csplit: ['xx'] }

const copiers = /^g?(?:cp|mv|install|ln|link)$|^rsync$/

/** What a command puts under its own name into a directory, or as the last of its words. */
function copiesOf(words: readonly string[]): readonly Copy[] {
  const [program = '', ...rest] = words
  const name = baseName(program)
  if (copiers.test(name)) return copyOf(rest, name !== 'rsync')
  if (name === 'git' && rest[0] === 'mv') return copyOf(rest.slice(1), false)
  const names = [...incomingFilesOf(words).names, ...(defaultPrefix[name] ?? [])]
  if (names.length === 0) return []
  const directories = rest.filter((word) => !/^-|:\/\//.test(word))
  return ['.', ...directories].map((into) => ({ into, from: names }))
}

/** `-t dir`, `-tdir`, `--target-directory=dir`. */
const intoOption = /^(?:-[A-Za-su-z]*t|--t[a-z-]*=?)(.*)$/

function copyOf(rest: readonly string[], hasOption: boolean): readonly Copy[] {
  const at = hasOption ? rest.findIndex((word) => intoOption.test(word)) : -1
  const attached = intoOption.exec(rest[at] ?? '')?.[1] ?? ''
  const isNext = at !== -1 && attached === ''
  const end = rest.indexOf('--')
  const isBehindEnd = (index: number): boolean => end !== -1 && index > end
  const operands = rest.filter((word, index) => {
    const isValue = isNext && index === at + 1
    return !isValue && (!word.startsWith('-') || isBehindEnd(index)) && word !== '--'
  })
  if (at !== -1) return [{ into: (isNext ? rest[at + 1] : attached) ?? '.', from: operands }]
  const into = operands.at(-1)
  return into === undefined ? [] : [{ into, from: operands.slice(0, -1) }]
}

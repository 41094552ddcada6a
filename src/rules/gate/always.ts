import { escapeWildcard } from '../../util/wildcard-match.ts'
import type { GateFacts } from './gate-facts.ts'
import type { ShellAnalysis, SubCommand } from './shell/analysis.ts'
import { arityOf } from './shell/arity.ts'
import { baseName, isSystemProgram } from './shell/program-name.ts'
import { destructive, isInterpreter } from './shell/programs.ts'

/**
 * SHELL-08: one pattern for every command of a shell call: `git push *` for `git push origin main`, the exact command for
 * unknown programs, wrappers, interpreters and what destroys. Nothing where a rule could not make the call silent
 * (SHELL-03), nor where commands run unconfined (APPR-23).
 */
export function alwaysForCommand(
  analysis: ShellAnalysis,
  hasNotice: boolean,
  facts: Pick<GateFacts, 'confined'>,
): readonly string[] {
  if (!facts.confined || hasNotice || analysis.hazards.length > 0) return []
  const commands = analysis.commands.filter((command) => command.standing === 'plain')
  return [...new Set(commands.map(alwaysPattern))]
}

function alwaysPattern(command: SubCommand): string {
  const [program = '', ...rest] = command.words
  if (command.form !== undefined && isPlainModule(command))
    return `${escapeWildcard(command.form)} *`
  if (command.hazards.length > 0) return escapeWildcard(command.source)
  const words = isSystemProgram(program) ? [baseName(program), ...rest] : command.words
  const arity = arityOf(words)
  const name = words[0] ?? ''
  const head = words.slice(0, arity)
  const isVague = head.some((word, index) => index > 0 && !/^[\w@:./-]*$/.test(word))
  if (arity === undefined || isNarrow(name) || head.length < arity || isVague) {
    return escapeWildcard(command.words.join(' '))
  }
  if (head.slice(1).some((word) => word.startsWith('-'))) {
    return escapeWildcard(command.words.join(' '))
  }
  const text = escapeWildcard(head.join(' '))
  return words.length > arity ? `${text} *` : text
}

/** What destroys, and what runs the code that its words name: only the exact command. */
function isNarrow(name: string): boolean {
  return destructive.has(name) || runsCode.test(name) || (isInterpreter(name) && !/awk$/.test(name))
}

const runsCode = /^(?:java|npx|pnpx|bunx|uvx|dotnet-script|mkfs\..*|(?:ba|z|da|k|c|tc|fi)?sh)$/

/** `python -m pytest`; not the modules that run what their words say. */
function isPlainModule({ words, runs }: SubCommand): boolean {
  return runs === undefined && !codeModules.has(words[2] ?? '')
}

const codeModules: ReadonlySet<string> = new Set(
  'timeit pdb code cProfile profile trace runpy idlelib ipykernel IPython pip pipx uv venv ensurepip coverage'.split(
    ' ',
  ),
)

import type { Command, Redirection } from 'unbash'
import { unwrapped } from './plain-wrappers.ts'
import { readsStatements } from './programs/database-hazard.ts'
import { execForm } from './programs/exec-forms.ts'
import { isSystemProgram } from './programs/program-name.ts'
import { commandWords } from './words/command-words.ts'
import { documentHazard } from './words/here-document.ts'

/**
 * SHELL-12: the here-document with which a database client is fed, as one more word: rules, and the search for statements that run
 * commands, treat it like a statement on the command line. Empty for other programs and inputs.
 */
export function fedStatements(command: Command): readonly string[] {
  const inputs = command.redirects.filter(({ operator }) => operator.startsWith('<'))
  const [only] = inputs
  if (inputs.length !== 1 || only === undefined || !takesDocument(commandWords(command))) return []
  return statementsIn(only)
}

function statementsIn(input: Redirection): readonly string[] {
  if (input.type !== 'HereDoc' || documentHazard(input) !== undefined) return []
  const text = input.body.text.trim()
  return text === '' ? [] : [`\n${text}`]
}

/** Whether a client is the command itself, or the one that a container runs. */
function takesDocument(words: readonly string[]): boolean {
  const inner = unwrapped(words)
  const [program = ''] = inner
  if (isSystemProgram(program) && readsStatements(program)) return true
  const commands = execForm(inner)?.commands ?? []
  return commands.length === 1 && readsStatements(commands[0]?.[0] ?? '')
}

import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { mainArgument, type ToolSpec } from './tool-spec.ts'

export type EditedArguments =
  | {
      readonly kind: 'arguments'
      readonly text: string
      /** The user wrote every argument. */
      readonly isWhole: boolean
    }
  | { readonly kind: 'wrong'; readonly why: string }

/**
 * APPR-14: applies a user's edit to a call's arguments: a command or URL as plain text, other tools as a JSON object with the
 * arguments to change. Arguments not named stay. `present` is the call's own argument text.
 */
export function editedArguments(
  spec: ToolSpec | undefined,
  present: string,
  written: string,
): EditedArguments {
  const args = tryParseJson(present)
  if (!isRecord(args)) return { kind: 'wrong', why: 'its arguments cannot be read' }
  const main = mainArgument(spec)
  const change = main === undefined ? tryParseJson(written) : { [main]: written.trim() }
  if (!isRecord(change)) {
    const why = `write the arguments to change as a JSON object, such as ${exampleOf(args)}`
    return { kind: 'wrong', why }
  }
  const isWhole = Object.keys(args).every((name) => Object.hasOwn(change, name))
  return { kind: 'arguments', text: JSON.stringify({ ...args, ...change }), isWhole }
}

function exampleOf(args: Readonly<Record<string, unknown>>): string {
  const [name = 'name'] = Object.keys(args)
  return JSON.stringify({ [name]: '…' })
}

/** The text that a user edits: the main argument alone, or all arguments as JSON. */
export function editableText(spec: ToolSpec | undefined, present: string): string {
  const args = tryParseJson(present)
  if (!isRecord(args)) return ''
  const main = mainArgument(spec)
  const said = main === undefined ? JSON.stringify(args, null, 2) : args[main]
  return typeof said === 'string' ? said : ''
}

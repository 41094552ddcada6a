import type { DoneCall, Plan } from './plan-turn.ts'
import type { CallStep, Step } from './step.ts'

const maxOutputCharacters = 8_000
const maxSubjectCharacters = 120

const selfDescription = `I am the offline model: a few fixed rules, no language model. I need no key and no network, and I understand plain requests only:

- list the files here
- read notes.txt
- find *.md
- search for hello
- write notes.txt saying hello
- append bye to notes.txt
- replace hello with bye in notes.txt
- make a directory called drafts
- run the command: wc -c notes.txt
- fetch https://example.com
- use TOOL {"argument": "value"}

Join several with “then”. For everything else, set the key of a model, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, and start again.`

/** Composes the final answer of a turn: all outputs, failures with their reasons, and skipped steps. */
export function report(plan: Plan, unavailable: readonly CallStep[] = []): string {
  const said = [
    ...plan.done.map(outcome),
    ...unavailable.map(
      (step) => `There is no tool \`${step.tool}\` here that I could use for this.`,
    ),
    ...notDone(plan, unavailable),
    ...plan.unknown
      .filter((text) => text !== '')
      .map((text) => `I did not understand: “${shorten(text)}”.`),
  ]
  const nothing = plan.done.length === 0 && plan.left.length === 0
  return (nothing ? [...said, selfDescription] : said).join('\n\n')
}

/** `read notes.txt`, a call as a person would put it. */
function subject(tool: string, args: Readonly<Record<string, unknown>>): string {
  const main = ['command', 'url', 'pattern', 'source', 'path'].map((key) => args[key])
  const first = main.find((value) => typeof value === 'string')
  return `\`${shorten(`${tool} ${typeof first === 'string' ? first : ''}`.trim()).replaceAll('`', 'ˋ')}\``
}

const notStartedCodes: ReadonlySet<string> = new Set([
  'policy_blocked',
  'confirmation_required',
  'cancelled',
])

function outcome({ call, text, isError }: DoneCall): string {
  const name = subject(call.tool, parseArguments(call.arguments))
  if (!isError) return `${name}:\n\n${fenced(text)}`
  const { error } = /^error: (?<error>.*)$/m.exec(text)?.groups ?? {}
  const { category } = /^category: (?<category>\w+)$/m.exec(text)?.groups ?? {}
  if (error === undefined) return `${name} failed:\n\n${fenced(text)}`
  const verb = category !== undefined && notStartedCodes.has(category) ? 'was not done' : 'failed'
  return `${name} ${verb}: ${error}`
}

function notDone({ left }: Plan, unavailable: readonly CallStep[]): string[] {
  const steps = left
    .flat()
    .filter(isCall)
    .filter((step) => !unavailable.includes(step))
  if (steps.length === 0) return []
  return [`Not done: ${steps.map((step) => subject(step.tool, step.arguments)).join(', ')}.`]
}

function isCall(step: Step): step is CallStep {
  return step.kind === 'call'
}

/** Uses a fence longer than any in the text, so that the text cannot close it. */
function fenced(text: string): string {
  const cut =
    text.length > maxOutputCharacters
      ? `${text.slice(0, maxOutputCharacters).toWellFormed()}\n…`
      : text
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${cut.replace(/\n$/, '')}\n${fence}`
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > maxSubjectCharacters
    ? `${line.slice(0, maxSubjectCharacters).toWellFormed()}…`
    : line
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(text)) }
  } catch {
    return {}
  }
}

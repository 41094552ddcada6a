import { filesHeader } from '../../../domain/upload-name.ts'
import { matchPhrase } from './phrases.ts'
import type { Step } from './step.ts'

const maxMessageCharacters = 100_000
const verbs =
  'run|execute|list|show|read|cat|open|display|print|view|find|locate|search|grep|look|write|create|make|save|append|add|edit|replace|change|fetch|get|visit|scrape|delete|remove|move|rename|copy|mkdir|use|call'
const polite = '(?:(?:please|also|now|next|finally|kindly)\\s+|(?:can|could|would|will)\\s+you\\s+)'
const thenVerb = new RegExp(
  `(?<!;\\s*)(?:,\\s*|\\s+)(?:and\\s+)?(?:then|after\\s+that),?\\s+(?=${polite}*(?:${verbs})\\b)`,
  'i',
)
const andVerb = new RegExp(`(?:,\\s*|\\s+)and\\s+(?=${polite}*(?:${verbs})\\b)`, 'i')
const andCommand = /(?:,\s*|\s+)and\s+(?=(?:also\s+)?run\s+the\s+command\b)/i
const leadingMarks = /^(?:\s*(?:\[[^\]\n]*\]|<[^>\n]*>)\s*)+/
const leadingPolite = new RegExp(`^(?:(?:hi|hello|hey|ok|okay)[,!.]?\\s+)?${polite}*`, 'i')
const directCall =
  /^(?:use|call)\s+(?:the\s+)?(?:tool\s+)?(?<tool>[\w-]{1,64})\s+(?:with\s+)?(?<json>\{.*\})$/is

/**
 * Parses a message into batches of steps: `then` starts the next batch, `and` extends the current one. Never throws; text that no
 * rule matches is an `unknown` step.
 */
export function parseRequest(message: string): Step[][] {
  if (message.length > maxMessageCharacters) return [[unknown(message)]]
  const [words = '', files] = message.split(filesHeader)
  const text = words.replace(leadingMarks, '').trim()
  if (text === '' && files !== undefined) return [[filesStep(files)]]
  return splitOutsideQuotes(text, thenVerb).map((request) => parseBatch(request))
}

/** Files without a message: their folder is listed. */
function filesStep(list: string): Step {
  const [, path] = /^- (\w+)\//m.exec(list) ?? []
  if (path === undefined) return unknown(list.trim())
  return { kind: 'call', tool: 'list_directory', arguments: { path } }
}

function parseBatch(request: string): Step[] {
  const text = request.replace(leadingPolite, '').trim()
  const direct = parseDirectCall(text)
  if (direct !== undefined) return [direct]
  const whole = matchPhrase(text) ?? matchPhrase(withoutEnd(text))
  const parts = splitOutsideQuotes(text, whole?.free === true ? andCommand : andVerb)
  if (parts.length > 1) return parts.flatMap(parseBatch)
  return [whole?.step ?? unknown(text)]
}

/** `use TOOL {json}` can call any tool. */
function parseDirectCall(text: string): Step | undefined {
  const { tool, json } = directCall.exec(text)?.groups ?? {}
  if (tool === undefined || json === undefined) return undefined
  try {
    return { kind: 'call', tool, arguments: { ...Object(JSON.parse(json)) } }
  } catch {
    return undefined
  }
}

function splitOutsideQuotes(text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let from = 0
  for (const match of text.matchAll(new RegExp(separator, `${separator.flags}g`))) {
    if (isQuoted(text.slice(from, match.index))) continue
    parts.push(text.slice(from, match.index))
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)].filter((part) => part.trim() !== '')
}

/** An apostrophe inside a word is not a quote. */
function isQuoted(before: string): boolean {
  const quotes = before.replaceAll(/(?<=\w)'(?=\w)/g, '')
  return ['"', "'", '`'].some((quote) => (quotes.split(quote).length - 1) % 2 === 1)
}

function withoutEnd(text: string): string {
  return text.replace(/(?:[\s.,!?]|\b(?:please|for me|thanks))+$/i, '')
}

function unknown(text: string): Step {
  return { kind: 'unknown', text }
}

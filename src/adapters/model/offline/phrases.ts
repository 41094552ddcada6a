import {
  toAppend,
  toCommand,
  toEdit,
  toEnds,
  toFind,
  toGrep,
  toPath,
  toPlace,
  toScrape,
  toUrl,
  toWrite,
} from './phrase-arguments.ts'
import type { CallStep } from './step.ts'

/** Longer requests are matched only by patterns that take linear time. */
const maxRequestCharacters = 2_000

/** One phrasing that calls one tool. `free`: ends in arbitrary text, in which no further request is looked for. */
interface Phrase {
  readonly tool: string
  readonly pattern: RegExp
  readonly toArguments: (groups: Readonly<Record<string, string>>) => CallStep['arguments']
  readonly free: boolean
}

const word = String.raw`(?:"[^"\n]+"|'[^'\n]+'|\x60[^\x60\n]+\x60|\S+)`
const named = String.raw`(?:(?:called|named)\s+)?`
const file = String.raw`(?:the\s+)?(?:file\s+)?`
const kindOfText = String.raw`(?:the\s+)?(?:(?:word|text|string|phrase)\s+)?`
const place = String.raw`(?:\s+(?:in|of|under|inside)\s+(?<path>.+))?`
const saying = String.raw`(?:saying|containing|(?:that|which)\s+says|with(?:\s+the)?(?:\s+(?:text|contents?))?)`

/** The first pattern that matches the whole request wins. */
const phrases: readonly Phrase[] = [
  free(
    'bash',
    String.raw`(?:run|execute)\s+(?:the\s+|this\s+)?(?:shell\s+)?command\s*:?\s+(?<rest>.+)`,
    toCommand,
  ),
  free('bash', String.raw`(?:run|execute)\s*:?\s+(?!(?:the|my|all|an?)\s)(?<rest>.+)`, toCommand),
  free('bash', String.raw`\$\s+(?<rest>.+)`, toCommand),
  short(
    'web_scrape',
    String.raw`scrape\s+(?<select>${word})\s+(?:from|at|on)\s+(?<url>https?:\S+)`,
    toScrape,
  ),
  short(
    'fetch',
    String.raw`(?:fetch|get|open|read|show|visit|browse|load|download|summari[sz]e)\s+(?:[\w']+\s+){0,5}(?<url>https?:\S+)`,
    toUrl,
  ),
  short(
    'edit',
    String.raw`(?:replace|change)\s+(?<old>.+?)\s+(?:with|by|to)\s+(?<new>.+)\s+in\s+${file}(?<path>${word})`,
    toEdit,
  ),
  short(
    'edit',
    String.raw`(?:edit|in)\s+${file}(?<path>${word})\s+(?:and\s+)?(?:replace|change)\s+(?<old>.+?)\s+(?:with|by|to)\s+(?<new>.+)`,
    toEdit,
  ),
  short(
    'create_directory',
    String.raw`(?:make|create|add)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:directory|folder)\s+${named}(?<path>${word})`,
    toPath,
  ),
  short('create_directory', String.raw`mkdir\s+(?:-p\s+)?(?<path>${word})`, toPath),
  free(
    'write',
    String.raw`(?:write|create|make|save)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?${named}(?<path>${word})\s+${saying}\s*:?\s+(?<text>.+)`,
    toWrite,
  ),
  short('write', String.raw`write\s+(?<text>.+)\s+(?:to|into)\s+${file}(?<path>${word})`, toWrite),
  short(
    'bash',
    String.raw`(?:append|add)\s+(?<text>.+)\s+to\s+(?:the\s+end\s+of\s+)?${file}(?<path>${word})`,
    toAppend,
  ),
  short(
    'move_path',
    String.raw`(?:move|rename)\s+${file}(?<source>${word})\s+(?:to|into|as)\s+(?<destination>${word})`,
    toEnds,
  ),
  short(
    'copy_path',
    String.raw`copy\s+${file}(?<source>${word})\s+(?:to|into|as)\s+(?<destination>${word})`,
    toEnds,
  ),
  short(
    'delete_path',
    String.raw`(?:delete|remove)\s+(?:the\s+)?(?:(?:file|directory|folder)\s+)?(?<path>${word})`,
    toPath,
  ),
  short(
    'list_directory',
    String.raw`(?:list\s+(?:the\s+)?contents|(?:list|show|what)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|my\s+)?(?:files|directory|folder))(?:\s+(?:are|is))?(?:\s+(?:there|here))*${place}`,
    toPlace,
  ),
  short('list_directory', String.raw`(?:list|ls|dir)(?:\s+(?<path>${word}))?`, toPlace),
  short(
    'grep',
    String.raw`(?:search|grep|look)\s+(?:(?:all\s+)?(?:the\s+)?files\s+)?(?:for\s+)?${kindOfText}(?<text>${word}|.+?)${place}`,
    toGrep,
  ),
  short(
    'grep',
    String.raw`find\s+(?:all\s+)?(?:the\s+)?(?:word|text|string|phrase|lines?\s+(?:with|containing))\s+(?<text>${word}|.+?)${place}`,
    toGrep,
  ),
  short(
    'find_path',
    String.raw`(?:find|locate)\s+(?:all\s+)?(?:the\s+)?(?:files?\s+)?(?:(?:named|called|matching|like)\s+)?(?<pattern>${word})(?:\s+files?)?${place}`,
    toFind,
  ),
  short(
    'read',
    String.raw`(?:read|show|cat|open|display|print|view|what(?:'s|\s+is)\s+in)\s+(?:me\s+)?(?:the\s+contents?\s+of\s+)?${file}(?<path>${word})`,
    toPath,
  ),
]

/** The call for a request, and whether it ends in free text; undefined if no phrase matches. */
export function matchPhrase(text: string): { step: CallStep; free: boolean } | undefined {
  const usable =
    text.length > maxRequestCharacters ? phrases.filter((phrase) => phrase.free) : phrases
  for (const { tool, pattern, toArguments, free } of usable) {
    const groups = pattern.exec(text)?.groups
    if (groups !== undefined)
      return { step: { kind: 'call', tool, arguments: toArguments(present(groups)) }, free }
  }
  return undefined
}

function free(tool: string, pattern: string, toArguments: Phrase['toArguments']): Phrase {
  return { tool, pattern: new RegExp(`^${pattern}$`, 'is'), toArguments, free: true }
}

function short(tool: string, pattern: string, toArguments: Phrase['toArguments']): Phrase {
  return { tool, pattern: new RegExp(`^${pattern}$`, 'is'), toArguments, free: false }
}

function present(groups: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(groups).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.trim()] as const],
  )
  return Object.fromEntries(given)
}

import { z } from 'zod'
import type { ToolRequest } from '../../../domain/message.ts'
import type { ModelTool } from '../../../ports/model.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { type FencedBlock, findFencedBlocks, findOpenBlock } from './fenced-blocks.ts'

/** MODEL-02: the answer of a model without native tool calling. */
export interface TextCalls {
  readonly calls: readonly ToolRequest[]
  /** The text without the blocks that are calls. */
  readonly remainingText: string
}

/**
 * Parses the calls in a model's text, in order. A `json` block names its tool; a block marked with an offered tool's name calls
 * that tool. `cutAt`: the token count at which the limit ended the text (MODEL-08); a block still open there is a cut call.
 */
export function parseTextCalls(
  text: string,
  offered: readonly ModelTool[],
  cutAt?: number,
): TextCalls {
  const found = findFencedBlocks(text).flatMap((block): Found[] => {
    const call = toCall(block, offered)
    return call === undefined ? [] : [{ block, call }]
  })
  const open = cutAt === undefined ? undefined : findOpenBlock(text)
  const cut = open && toCall(open, offered)
  if (open !== undefined && cut !== undefined) found.push({ block: open, call: { ...cut, cutAt } })
  const calls = found.map(({ call }, index) => ({ id: `text_${index + 1}`, ...call }))
  return { calls, remainingText: without(text, found).trim() }
}

type Call = Omit<ToolRequest, 'id'>

interface Found {
  readonly block: FencedBlock
  readonly call: Call
}

function toCall({ info, content }: FencedBlock, offered: readonly ModelTool[]): Call | undefined {
  if (info === 'json') return toNamedCall(content)
  const tool = offered.find(({ block }) => block?.mark === info)
  if (tool === undefined) return undefined
  const argument = tool.block?.argument
  return inText(
    tool.name,
    argument === undefined ? content : JSON.stringify({ [argument]: content }),
  )
}

const named = z.union([
  z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.json()) }),
  // Many models were trained on this form.
  z
    .strictObject({ name: z.string(), arguments: z.record(z.string(), z.json()) })
    .transform(({ name, arguments: args }) => ({ tool: name, arguments: args })),
])

/**
 * Malformed JSON that starts like a call is treated as a call with invalid arguments, so that the model can fix it.
 */
const broken = /^\s*\{\s*"(?:tool|name)"\s*:\s*"([\w.-]{1,64})"\s*,\s*"arguments"\s*:/

function toNamedCall(content: string): Call | undefined {
  const value = tryParseJson(content)
  const parsed = named.safeParse(value)
  if (parsed.success) return inText(parsed.data.tool, JSON.stringify(parsed.data.arguments))
  const tool = value === undefined ? broken.exec(content)?.[1] : undefined
  return tool === undefined ? undefined : inText(tool, content)
}

function inText(tool: string, args: string): Call {
  return { tool, arguments: args, inText: true }
}

function without(text: string, found: readonly { readonly block: FencedBlock }[]): string {
  const starts = [0, ...found.map(({ block }) => block.end)]
  const ends = [...found.map(({ block }) => block.start), text.length]
  return starts.map((start, index) => text.slice(start, ends[index])).join('')
}

import { z } from 'zod'
import { effectKinds } from '../domain/effect.ts'
import type { TranscriptMessage } from '../domain/message.ts'
import type { McpAnnotations } from '../domain/tool/mcp-tool.ts'
import type { Verdict } from '../domain/verdict.ts'

/** Parses the JSON of a column. Throws if it does not match the schema. */
export function readStored<T>(schema: z.ZodType<T>, text: string): T {
  return schema.parse(JSON.parse(text))
}

const list = z.array(z.string())

/** Parses a column with a list of texts. */
export function readTexts(text: string): string[] {
  return readStored(list, text)
}

const action = z.enum(['allow', 'ask', 'deny'])

/** Effects of a call, as stored with verdicts and cards. */
export const effects = z.array(
  z.object({ kind: z.enum(effectKinds).catch('other'), of: z.exactOptional(z.string()) }),
)

const verdict = z.object({
  action,
  patterns: list,
  alwaysPatterns: list,
  alwaysBeats: z.exactOptional(z.record(z.string(), list)),
  reasons: list,
  effects: z.exactOptional(effects),
  asks: z.exactOptional(
    z.array(
      z.object({
        why: z.enum(['rule', 'none', 'unconfined', 'undecided', 'person', 'other']),
        about: z.string(),
        layer: z.exactOptional(z.enum(['agent', 'operator', 'worker', 'session'])),
      }),
    ),
  ),
  trace: z.array(
    z.object({
      check: z.string(),
      action,
      reason: z.string(),
      rule: z.exactOptional(z.string()),
    }),
  ),
  risk: z.enum(['low', 'medium', 'high']),
  programs: z.exactOptional(list),
  unbound: z.exactOptional(list),
  unreviewed: z.exactOptional(z.literal(true)),
  shadow: z.exactOptional(z.object({ action, why: z.string() })),
  grants: z.exactOptional(list),
})

/** Parses a call's verdict. */
export function readVerdict({ verdict: text }: { readonly verdict: string }): Verdict {
  return readStored(verdict, text)
}

const hint = z.exactOptional(z.boolean())

const annotations = z.object({
  readOnlyHint: hint,
  destructiveHint: hint,
  idempotentHint: hint,
  openWorldHint: hint,
  requiresUserInteraction: hint,
})

/** Parses the hints of an MCP server about a tool. */
export function readAnnotations(text: string): McpAnnotations {
  return readStored(annotations, text)
}

const request = z.object({
  id: z.string(),
  tool: z.string(),
  arguments: z.string(),
  inText: z.exactOptional(z.literal(true)),
  cutAt: z.number().optional(),
})

const said = z.object({
  role: z.literal('assistant'),
  text: z.string(),
  calls: z.array(request),
  spoken: z.exactOptional(z.string()),
  raw: z.exactOptional(z.unknown()),
})

/** Parses the body of a model's message. */
export function readAssistantMessage(
  body: string,
): Extract<TranscriptMessage, { role: 'assistant' }> {
  return readStored(said, body)
}

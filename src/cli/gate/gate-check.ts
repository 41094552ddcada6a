import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import type { Verdict } from '../../domain/verdict.ts'
import { evaluateCall, type GateFacts } from '../../rules/gate/gate.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'
import { agentLayer, operatorLayer } from '../../rules/gate/permissions/operator-layer.ts'
import { propertyText } from '../../rules/gate/permissions/property-text.ts'
import { readPermissions } from '../../rules/gate/permissions/read-permissions.ts'
import { parseArguments } from '../../rules/tools/parse-arguments.ts'
import { presumedTool, toolFinder, toPresumed } from '../../rules/tools/presumed-tool.ts'
import { nearestTools, toToolName } from '../../rules/tools/registry.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'

const workspace = '/workspace'

const table = z.record(
  z.string(),
  z.array(z.strictObject({ pattern: z.string().min(1), action: z.enum(['allow', 'ask', 'deny']) })),
)

const question = z.strictObject({
  id: z.unknown().optional(),
  tool: z.string(),
  server: z.string().min(1).max(64).optional(),
  arguments: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.unknown()).optional(),
  operator: table.optional(),
  agent: table.optional(),
  session: z
    .array(
      z.strictObject({
        tool: z.string(),
        pattern: z.string().min(1),
        beats: z.array(z.string()).optional(),
      }),
    )
    .optional(),
})
type Question = z.infer<typeof question>

type Answer = Omit<Verdict, 'risk'>

/**
 * Implements `countersign gate check`: reads one JSON call a line and writes one verdict a line in the same order. Needs
 * no database; paths are evaluated in `/workspace`. `servers`: the MCP servers of the configuration, whose tools may be named as
 * `{server}_{tool}`. Resolves to the exit code: 1 if a line was invalid, otherwise 0.
 */
export async function runGateCheck(
  input: Readable,
  output: Writable,
  servers: readonly string[] = [],
): Promise<number> {
  let exitCode = 0
  for await (const line of linesOf(input)) {
    if (line.trim() === '') continue
    const { id, answer, isBad } = answerLine(line, servers)
    if (isBad) exitCode = 1
    const { action, patterns, alwaysPatterns, reasons, trace } = answer
    const shown = { action, patterns, alwaysPatterns, reasons, trace }
    await write(output, `${JSON.stringify(id === undefined ? shown : { id, ...shown })}\n`)
  }
  return exitCode
}

/** Splits at line feeds only, since U+2028 and similar may occur in JSON strings. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = ''
  input.setEncoding('utf8')
  for await (const chunk of input) {
    const [first = '', ...others] = String(chunk).split('\n')
    const lines = [rest + first, ...others]
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

interface AnsweredLine {
  readonly id: unknown
  readonly answer: Answer
  readonly isBad: boolean
}

function answerLine(line: string, servers: readonly string[]): AnsweredLine {
  const json = parseJson(line)
  if (json === undefined) return bad(undefined, 'the line is not valid JSON')
  const id = idOf(json.value)
  const parsed = question.safeParse(json.value)
  if (!parsed.success) return bad(id, `the line is not a call: ${z.prettifyError(parsed.error)}`)
  return { id, ...answerQuestion(parsed.data, line, servers) }
}

function answerQuestion(
  asked: Question,
  line: string,
  servers: readonly string[],
): Omit<AnsweredLine, 'id'> {
  const spec = specOf(asked, servers)
  if (spec === undefined) {
    const near = nearestTools(toToolName(asked.tool))
    const hint = near.length === 0 ? '' : `; the nearest are ${near.join(', ')}`
    return good(refusal('schema', `tool_not_found: there is no tool ${asked.tool}${hint}`))
  }
  // The text itself: a field may stand in it twice.
  const parsed = parseArguments(spec, propertyText(line, 'arguments') ?? '')
  if (parsed.kind === 'error') {
    return good(refusal('schema', `${parsed.error.category}: ${parsed.error.message}`))
  }
  const facts = toFacts(asked, line)
  if (facts.kind === 'wrong') return { answer: refusal('input', facts.why), isBad: true }
  return good(evaluateCall({ spec, args: parsed.args }, facts.facts))
}

/** A built-in tool, or one of a server: named with it, or as `mcp__server__tool`, or by a server of the configuration. */
function specOf({ tool, server }: Question, servers: readonly string[]): ToolSpec | undefined {
  if (server !== undefined) return toPresumed({ server, tool })
  return toolFinder(servers)(tool) ?? presumedTool(tool, 'any')
}

type FactsOutcome =
  | { readonly kind: 'facts'; readonly facts: GateFacts }
  | { readonly kind: 'wrong'; readonly why: string }

function toFacts(asked: Question, line: string): FactsOutcome {
  const shell = { blocked_commands: [], confirm_patterns: [] }
  const operator = operatorLayer({ permissions: asked.operator ?? {}, shell }, true)
  if (operator.kind === 'damaged') {
    return { kind: 'wrong', why: operator.problems.map(({ message }) => message).join('; ') }
  }
  const text = propertyText(line, 'permissions') ?? defaultPermissions
  return {
    kind: 'facts',
    facts: {
      ...(asked.agent === undefined ? {} : { agent: agentLayer(asked.agent) }),
      operator: operator.layer,
      worker: readPermissions(text, { home: workspace }),
      grants: (asked.session ?? []).map(({ beats = null, ...grant }) => ({ ...grant, beats })),
      workspace,
      protectedPaths: [],
      allowedPaths: [],
      commandPaths: [],
      readablePaths: [],
      confined: true,
      web: { allowedDomains: [], deniedDomains: [], allowedPorts: [] },
    },
  }
}

function parseJson(line: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) }
  } catch {
    return undefined
  }
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
}

function good(answer: Answer): Omit<AnsweredLine, 'id'> {
  return { answer, isBad: false }
}

function bad(id: unknown, reason: string): AnsweredLine {
  return { id, answer: refusal('input', reason), isBad: true }
}

function refusal(check: string, reason: string): Answer {
  return {
    action: 'deny',
    patterns: [],
    alwaysPatterns: [],
    reasons: [reason],
    trace: [{ check, action: 'deny', reason }],
  }
}

async function write(output: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

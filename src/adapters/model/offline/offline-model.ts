import { setImmediate as nextTick } from 'node:timers/promises'
import type { ToolRequest, TranscriptMessage } from '../../../domain/message.ts'
import {
  type Model,
  type ModelAnswer,
  ModelError,
  type ModelRequest,
} from '../../../ports/model.ts'
import { planTurn } from './plan-turn.ts'
import { report } from './report.ts'
import type { CallStep, Step } from './step.ts'

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/**
 * MODEL-03: a rule-based planner behind the model port. No key, network, state or clock: equal transcripts give equal answers. A
 * failed step ends the plan, since later steps depend on it.
 */
export function createOfflineModel(): Model {
  return { provider: 'offline', name: 'offline', nativeTools: true, answer }
}

async function answer(request: ModelRequest): Promise<ModelAnswer> {
  assertNotAborted(request.signal)
  const plan = planTurn(request.messages)
  const next = plan.left[0]?.filter(isCall) ?? []
  const offered = new Set(request.tools.map((tool) => tool.name))
  const unavailable = next.filter((step) => !offered.has(step.tool))
  const goesOn =
    next.length > 0 && unavailable.length === 0 && !plan.done.some(({ isError }) => isError)
  if (goesOn && request.toolChoice === 'auto') {
    return { text: '', calls: toCalls(next, request.messages), usage: noUsage }
  }
  const text = report(plan, unavailable)
  await stream(text, request)
  return { text, calls: [], usage: noUsage }
}

function isCall(step: Step): step is CallStep {
  return step.kind === 'call'
}

/** Ids count the calls of the whole transcript, so each is unique. */
function toCalls(
  steps: readonly CallStep[],
  messages: readonly TranscriptMessage[],
): ToolRequest[] {
  const before = messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls : [],
  ).length
  return steps.map((step, index) => ({
    id: `offline-${before + index + 1}`,
    tool: step.tool,
    arguments: JSON.stringify(step.arguments),
  }))
}

async function stream(text: string, { onText, signal }: ModelRequest): Promise<void> {
  const size = Math.max(40, Math.ceil(text.length / 4))
  const chunks = text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []
  for (const chunk of chunks) {
    onText?.(chunk)
    await nextTick()
    assertNotAborted(signal)
  }
}

function assertNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The call of the offline model was stopped.')
}
